"""What the scheduler did with a function: its nodes before and after, and what it said of each pair.

The compiler is left once the nodes are fused. No code is generated and no C++ compiler is needed.
"""

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from types import CodeType
from unittest import mock

import torch
import torch._inductor.test_operators
from torch import Tensor, fx
from torch._inductor import compile_fx, config
from torch._inductor.scheduler import (
    BaseSchedulerNode,
    ExternKernelSchedulerNode,
    Scheduler,
    SchedulerNode,
    fusion_log,
)
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

# An operator that copies: what it copies has memory of its own.
kept = torch.ops._inductor_test.realize


class Enough(Exception):
    """The nodes are fused; what follows is not wanted."""


def nothing(graph: fx.GraphModule) -> Callable:
    """In the place of a compiled graph: as many values, all of them `None`."""
    (output,) = graph.graph.find_nodes(op="output")
    many = len(pytree.arg_tree_leaves(*output.args))
    return lambda *_: [None] * many


# region node
@dataclass(frozen=True)
class Access:
    """Where a loop reads or writes: a buffer, an index, sizes of loops, how many bytes, and how."""

    buffer: str
    index: str
    sizes: tuple[int, ...]
    bytes: int = field(compare=False, default=0)
    mode: str = ""

    def __str__(self) -> str:
        sizes = "x".join(map(str, self.sizes)) or "1"
        return ", ".join(filter(None, (f"{self.buffer}[{self.index}]", sizes, self.mode)))


@dataclass(frozen=True)
class Node:
    """A node as it was before anything was fused."""

    name: str
    call: bool
    loops: tuple[tuple[int, ...], tuple[int, ...]]
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    needs: tuple[Access, ...]
    ancestors: frozenset[str]
    order: int
    shape: tuple[int, ...] = ()
    reuse: tuple[tuple[str, str, int], ...] = ()


# endregion


@dataclass
class Scheduled:
    """A run of the scheduler."""

    before: list[Node] = field(default_factory=list)
    after: list[tuple[str, ...]] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    # two names, the verdict, and the reason that the log gives
    judged: list[tuple[str, str, bool, str]] = field(default_factory=list)
    fused: list[tuple[str, str]] = field(default_factory=list)
    # what the log says of pairs that are not fused
    refused: list[str] = field(default_factory=list)
    rounds: list[tuple[int, int]] = field(default_factory=list)
    # for two names, the bytes that the scheduler says are shared
    scores: dict[tuple[str, str], int] = field(default_factory=dict)
    graph: object = field(default=None, repr=False)


def access(dep: object, scheduler: Scheduler) -> Access:
    """A dependency, by what it compares."""
    index = str(getattr(dep, "index", "*")) if type(dep).__name__ == "MemoryDep" else type(dep).__name__
    sizes = tuple(int(size) for size in dep.size) if type(dep).__name__ == "MemoryDep" else ()
    return Access(dep.name, index, sizes, scheduler.dep_size_hint(dep), getattr(dep, "mode", None) or "")


def node(of: BaseSchedulerNode) -> Node:
    """A copy, for fusing may change the node."""
    scheduler = of.scheduler
    call = isinstance(of, ExternKernelSchedulerNode)
    loop = isinstance(of, SchedulerNode)
    sizes = of.group[1] if loop else ((), ())
    single = {
        (read.name, str(buffer.node.get_dtype()), int(buffer.node.get_numel()))
        for read in of.read_writes.reads
        if (buffer := scheduler.name_to_buf.get(read.name))
        and len(buffer.users) == 1
        and buffer.node.has_tensor_output()
    }
    return Node(
        of.get_name(),
        call,
        tuple(tuple(int(size) for size in (part if isinstance(part, tuple) else (part,))) for part in sizes),
        tuple(access(dep, scheduler) for dep in of.read_writes.reads),
        tuple(access(dep, scheduler) for dep in of.read_writes.writes),
        tuple(access(dep, scheduler) for dep in of.unmet_dependencies),
        frozenset(of.ancestors),
        of.min_order,
        tuple(int(size) for size in of.node.data.get_size()) if loop else (),
        tuple(sorted(single)),
    )


def scheduled(function: Callable, *arguments: object, **options: object) -> Scheduled:
    """What becomes of the function's nodes, with those options of `torch._inductor.config`."""
    run = Scheduled()
    said: list[str] = []

    def before(nodes: list[BaseSchedulerNode]) -> list[BaseSchedulerNode]:
        run.before = [node(each) for each in nodes]
        for first, second in combinations(nodes, 2):
            if all(isinstance(each, SchedulerNode) for each in (first, second)):
                score = first.scheduler.score_fusion_memory(first, second)
                run.scores[first.get_name(), second.get_name()] = score
        return nodes

    def after(nodes: list[BaseSchedulerNode]) -> list[BaseSchedulerNode]:
        run.after = [tuple(part.get_name() for part in each.get_nodes()) for each in nodes]
        run.kinds = [type(each).__name__ for each in nodes]
        raise Enough

    def say(record: logging.LogRecord) -> None:
        said.append(record.getMessage())
        if said[-1].startswith("cannot fuse"):
            run.refused.append(said[-1].removeprefix("cannot fuse "))

    can_fuse, fuse_two_nodes, once = Scheduler.can_fuse, Scheduler.fuse_two_nodes, Scheduler.fuse_nodes_once

    def judge(self: Scheduler, first: BaseSchedulerNode, second: BaseSchedulerNode, *rest, **more) -> bool:
        many = len(said)
        verdict = can_fuse(self, first, second, *rest, **more)
        reasons = [text.partition(": ")[2] for text in said[many:] if text.startswith("cannot fuse")]
        run.judged.append(
            (first.get_name(), second.get_name(), verdict, "" if verdict else " ".join(reasons))
        )
        return verdict

    def fuse(
        self: Scheduler, first: BaseSchedulerNode, second: BaseSchedulerNode, *rest
    ) -> BaseSchedulerNode:
        run.fused.append((first.get_name(), second.get_name()))
        return fuse_two_nodes(self, first, second, *rest)

    def a_round(self: Scheduler, nodes: list[BaseSchedulerNode], *rest, **more) -> list[BaseSchedulerNode]:
        result = once(self, nodes, *rest, **more)
        run.rounds.append((len(nodes), len(result)))
        return result

    def inner(graph: fx.GraphModule, examples: list[Tensor], **more) -> Callable:
        run.graph = graph.graph
        try:
            compile_fx.compile_fx_inner(graph, examples, **more)
        except Enough:
            pass
        except Exception as error:
            if not isinstance(getattr(error, "inner_exception", None), Enough):
                raise
        return nothing(graph)

    hooks = {
        "_pre_fusion_custom_pass": before,
        "_post_fusion_custom_pass": after,
        "fx_graph_cache": False,
        "compile_threads": 1,
    }
    handler = logging.Handler()
    handler.emit = say
    fusion_log.addHandler(handler)
    fusion_log.setLevel(logging.DEBUG)
    try:
        with (
            config.patch({**hooks, **options}),
            mock.patch.object(Scheduler, "can_fuse", judge),
            mock.patch.object(Scheduler, "fuse_two_nodes", fuse),
            mock.patch.object(Scheduler, "fuse_nodes_once", a_round),
            torch.no_grad(),
        ):
            compile_fx.compile_fx(
                make_fx(function, tracing_mode="fake")(*arguments), arguments, inner_compile=inner
            )
    finally:
        fusion_log.removeHandler(handler)
        fusion_log.setLevel(logging.NOTSET)
    return run


_known: dict[CodeType, Scheduled] = {}


def scheduled_once(function: Callable, x: Tensor) -> Scheduled:
    """The same for a function of one matrix that reads nothing else, once for each text of such a function.

    The test of an exercise asks for the same functions with each answer that is tried.
    """
    code = function.__code__
    if code not in _known:
        _known[code] = scheduled(function, x)
    return _known[code]


SIDE = 32


def inputs(device: str = "cpu") -> tuple[Tensor, Tensor]:
    """A matrix, and a row of numbers."""
    return torch.ones(SIDE, SIDE, device=device), torch.ones(SIDE, device=device)


# region program
MATRIX = {
    "sin": lambda m: m.sin(),
    "twice": lambda m: m * 2,
    "turned": lambda m: m.t().contiguous(),
    "rolled": lambda m: m.roll(1, 0),
    "picked": lambda m: m[m[:, 0].long()],
    "product": lambda m: m @ m,
    "softmax": lambda m: m.softmax(1),
    "less": lambda m: m - m.mean(1, keepdim=True),
    "kept": lambda m: kept(m.exp()),
}
VECTOR = {
    "row sum": lambda m: m.sum(1),
    "row max": lambda m: m.amax(1),
    "column sum": lambda m: m.sum(0),
    "first": lambda m: m[0] + 1,
}
BOTH = {
    "per column": lambda m, v: m + v,
    "per row": lambda m, v: m * v[:, None],
}


def program(seed: int) -> Callable:
    """A function of a matrix and a vector that makes more values of those it has, and returns some."""
    draw = random.Random(seed)
    steps = []
    matrices, vectors = 1, 1
    for _ in range(draw.randint(3, 9)):
        kind = draw.choice("MMMVVBP")
        step = {"M": MATRIX, "V": VECTOR, "B": BOTH, "P": {"sum": Tensor.add}}[kind]
        name = draw.choice(list(step))
        steps.append(
            (kind, step[name], draw.randrange(matrices), draw.randrange(vectors), draw.randrange(matrices))
        )
        matrices, vectors = matrices + (kind != "V"), vectors + (kind == "V")
    returned = [draw.randrange(1, matrices) if matrices > 1 else 0 for _ in range(2)]
    last = draw.randrange(vectors)

    def function(x: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        ms, vs = [x], [v]
        for kind, step, m, v, other in steps:
            if kind == "V":
                vs.append(step(ms[m]))
            elif kind == "B":
                ms.append(step(ms[m], vs[v]))
            elif kind == "P":
                ms.append(step(ms[m], ms[other]))
            else:
                ms.append(step(ms[m]))
        return *(ms[which] for which in returned), vs[last], ms[-1], vs[-1]

    return function


# endregion


if __name__ == "__main__":
    for seed in range(3):
        run = scheduled(program(seed), *inputs())
        print(f"program {seed}:", *("+".join(names) for names in run.after))
