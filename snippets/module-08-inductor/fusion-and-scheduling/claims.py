"""The claims of the article, counted."""

import functools
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from inside_torch.claims import counted
from torch._inductor.choices import FusionScore

sys.path.insert(0, str(Path(__file__).parent))
from rules import Group, Rules
from scheduled import Scheduled, inputs, kept, program, scheduled


@functools.cache
def runs() -> dict[str, Scheduled]:
    """Other programs than those of the article's table."""
    return {str(seed): scheduled(program(seed), *inputs()) for seed in range(100, 125)}


def smaller() -> Scheduled:
    """Run with another limit than ours."""
    return scheduled(lambda m, v: (m.sin(), m.cos(), m.exp()), *inputs(), max_fusion_size=2)


@counted(runs, planted=smaller, minimum=25)
def rules_decide_alike(run: Scheduled) -> bool:
    """The rules written anew make the same groups of the nodes, in the same order."""
    return Rules(run).fuse() == run.after


def scores() -> dict[str, tuple[Scheduled, tuple[str, str]]]:
    """Each pair of loops of those programs."""
    return {f"{seed} {' '.join(pair)}": (run, pair) for seed, run in runs().items() for pair in run.scores}


def overlapping() -> tuple[Scheduled, tuple[str, str]]:
    """Two halves of a matrix, with the setting that counts buffers too."""
    run = scheduled(lambda m, v: (m[:16] + 1, m[16:] * 2), *inputs(), min_overlap_ratio=0.5)
    return run, ("op0", "op1")


@counted(scores, planted=overlapping, minimum=100)
def score_is_bytes_at_equal_indices(case: tuple[Scheduled, tuple[str, str]]) -> bool:
    """The scheduler's score of the pair is the bytes at which both read or write alike, with equal sizes."""
    run, names = case
    first, second = (next(node for node in run.before if node.name == name) for name in names)
    common = {*first.reads, *first.writes} & {*second.reads, *second.writes}
    return run.scores[names] == sum(access.bytes for access in common)


def turned_round() -> Scheduled:
    """Two loops of which the second needs the first, the second put first."""
    run = scheduled(lambda m, v: kept(m.sin()).sum(0), *inputs())
    return Scheduled(before=run.before, after=run.after[::-1])


@counted(runs, planted=turned_round, minimum=25)
def what_is_needed_stands_before(run: Scheduled) -> bool:
    """Each group stands behind the groups that write what it needs."""
    writer = {access.buffer: node.name for node in run.before for access in node.writes}
    place = {name: index for index, names in enumerate(run.after) for name in names}
    return all(
        place[writer[need.buffer]] <= place[node.name]
        for node in run.before
        if node.name in place
        for need in node.needs
    )


def silent() -> dict[str, tuple[Scheduled, str, str]]:
    """Pairs of single nodes that were refused, and the log gave no reason."""
    return {
        f"{seed} {first} {second}": (run, first, second)
        for seed, run in runs().items()
        for first, second, fused, reason in run.judged
        if not fused and not reason and "_" not in first + second
    }


def with_a_reason() -> tuple[Scheduled, str, str]:
    """A pair of which the log says why."""
    run = scheduled(lambda m, v: (m.sum(0), m.sum(1)), *inputs())
    return run, "op0", "op1"


@counted(silent, planted=with_a_reason, minimum=8)
def silence_is_the_back_ends(case: tuple[Scheduled, str, str]) -> bool:
    """A pair refused without a reason shares data, and its loops fit nothing that the CPU's back end has."""
    run, *names = case
    rules = Rules(run)
    pair = [rules.of[name] for name in names]
    return rules.may(*pair).startswith("loops") and rules.shared(*pair) > 0


LIBRARY = {
    "mm": lambda m: m @ m,
    "addmm": lambda m: torch.addmm(m, m, m),
    "mv": lambda m: m @ m[0],
    "bmm": lambda m: torch.bmm(m[None], m[None]),
    "linear": lambda m: torch.nn.functional.linear(m, m),
    "cumsum": lambda m: m.cumsum(0),
    "sort": lambda m: m.sort(1).values,
    "topk": lambda m: m.topk(2).values,
    "kthvalue": lambda m: m.kthvalue(2).values,
    "cholesky": torch.linalg.cholesky,
    "inverse": torch.linalg.inv,
    "triangular": lambda m: torch.linalg.solve_triangular(m, m, upper=True),
    "convolution": lambda m: torch.nn.functional.conv2d(m[None, None], m[None, None, :3, :3]),
    "histogram": lambda m: torch.histc(m, 8),
}


def between_loops(function: Callable) -> Callable:
    """A loop, the call, a loop."""
    return lambda m, v: function(kept(m.sin())) * 2


def calls() -> dict[str, tuple[Scheduled, str]]:
    """Calls of a library and their results, between a loop before and a loop after."""
    found = {}
    for name, function in LIBRARY.items():
        run = scheduled(between_loops(function), *inputs())
        found |= {f"{name} {node.name}": (run, node.name) for node in run.before if node.call}
    return found


def a_loop() -> tuple[Scheduled, str]:
    """A node that is none."""
    return scheduled(lambda m, v: (m.sin(), m.cos()), *inputs()), "op0"


@counted(calls, planted=a_loop, minimum=10)
def a_call_stays_alone(case: tuple[Scheduled, str]) -> bool:
    """A call of a library, or what takes a result out of it, is fused with nothing."""
    run, name = case
    return (name,) in run.after and all(name not in pair for pair in run.fused)


def last_rounds() -> dict[str, tuple[int, int]]:
    """The round with other orders of loops, and how many nodes it began and ended with."""
    return {seed: run.rounds[-1] for seed, run in runs().items()}


def a_first_round() -> tuple[int, int]:
    """Of two nodes that become one."""
    return scheduled(lambda m, v: kept(m.sin()) * 2, *inputs()).rounds[0]


@counted(last_rounds, planted=a_first_round, minimum=25)
def last_round_changes_nothing(many: tuple[int, int]) -> bool:
    """On a CPU the last round ends with as many nodes as it began with."""
    return many[0] == many[1]


def fused_pairs() -> dict[str, tuple[Scheduled, str, str]]:
    """Each two that were fused, groups among them."""
    return {f"{seed} {' '.join(pair)}": (run, *pair) for seed, run in runs().items() for pair in run.fused}


def not_fused() -> tuple[Scheduled, str, str]:
    """Sums along rows and columns."""
    return with_a_reason()


@counted(fused_pairs, planted=not_fused, minimum=40)
def fused_share_an_access(case: tuple[Scheduled, str, str]) -> bool:
    """What is fused reads or writes at least one buffer at the same index."""
    run, *names = case
    nodes = {node.name: node for node in run.before}
    first, second = (Group(tuple(nodes[part] for part in name.split("_")), ((), ())) for name in names)
    return bool((first.reads | first.writes) & (second.reads | second.writes))


def kinds() -> dict[str, tuple[str, str]]:
    """One operation each, and the kind of node that is expected."""
    functions = {
        "a loop": (lambda m, v: m.sin(), "SchedulerNode"),
        "a loop over no numbers": (lambda m, v: m[:0].sin(), "NopKernelSchedulerNode"),
        "a call": (lambda m, v: m @ m, "ExternKernelSchedulerNode"),
        "a result of a sort": (lambda m, v: m.sort(1).values, "ExternKernelSchedulerNode"),
        "a cat of two parts": (lambda m, v: torch.cat([m.sin(), m.sum(1)[None]]), "NopKernelSchedulerNode"),
    }
    return {
        name: (scheduled(function, *inputs()).kinds[-1], kind) for name, (function, kind) in functions.items()
    }


@counted(kinds, planted=lambda: ("SchedulerNode", "NopKernelSchedulerNode"), minimum=5)
def kinds_of_nodes(case: tuple[str, str]) -> bool:
    """The last node is of the kind that is expected."""
    return case[0] == case[1]


def orders() -> dict[str, tuple[bool, bool]]:
    """A mixed pair that shares so many times the bytes: whether it goes first, and whether it should."""
    alike = FusionScore(1, 1, 100, 0, 0)
    return {
        f"{times} times": (alike < FusionScore(1, 0, 100 * times, 0, 0), times > 16) for times in range(1, 33)
    }


@counted(orders, planted=lambda: (True, False), minimum=32)
def more_than_sixteen_times(case: tuple[bool, bool]) -> bool:
    """The mixed pair goes first if it shares more than sixteen times the bytes, and only then."""
    return case[0] == case[1]
