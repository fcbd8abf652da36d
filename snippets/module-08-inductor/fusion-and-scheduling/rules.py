"""The rules of the scheduler for a CPU, written anew: which nodes become one."""

import math
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scheduled import Node, Scheduled, inputs, program, scheduled

Index = tuple[str, str, tuple[int, ...]]


# region group
@dataclass(eq=False)
class Group:
    """Nodes that became one: what each of the parts did, together."""

    nodes: tuple[Node, ...]
    loops: tuple[tuple[int, ...], tuple[int, ...]]
    outer: tuple["Group", ...] = ()
    depth: int = 0

    def __post_init__(self) -> None:
        self.names = {node.name for node in self.nodes}
        self.reads = set().union(*(node.reads for node in self.nodes))
        self.writes = set().union(*(node.writes for node in self.nodes))
        made = {access.buffer for access in self.writes}
        self.needs = {need for node in self.nodes for need in node.needs if need.buffer not in made}
        self.ancestors = set().union(*(node.ancestors for node in self.nodes))
        self.first = min(node.order for node in self.nodes)
        self.last = max(node.order for node in self.nodes)
        self.reduces = any(node.loops[1] for node in self.nodes)
        self.calls = self.nodes[0].call
        self.used = dict.fromkeys(access.buffer for node in self.nodes for access in node.reads + node.writes)


# endregion


class Rules:
    """The decisions; each rule may be left out by its name."""

    ROUNDS, NODES, ON_A_CPU, FAR, LITTLE, MEMORY, BEATS_THE_KIND = 10, 64, 16, 64, 10, 32, 16

    def __init__(self, run: Scheduled, without: str = "") -> None:
        self.groups = [Group((node,), node.loops) for node in run.before]
        self.of = {node.name: group for group in self.groups for node in group.nodes}
        self.writer = {access.buffer: node.name for node in run.before for access in node.writes}
        self.without = without
        self.fused = []

    # region score
    def shared(self, first: Group, second: Group) -> int:
        """The bytes that both read or write, at the same index and with the same sizes."""
        if self.without == "the index":
            names = {access.buffer for access in second.reads | second.writes}
            return sum(access.bytes for access in first.reads | first.writes if access.buffer in names)
        return sum(access.bytes for access in (first.reads | first.writes) & (second.reads | second.writes))

    def distance(self, first: Group, second: Group) -> int:
        """How far apart they stood before."""
        return max(abs(first.first - second.last), abs(second.first - first.last))

    def score(self, first: Group, second: Group) -> tuple[int, int, int]:
        """Whether both reduce or neither does, the bytes, and how near they are."""
        saved = self.shared(first, second)
        return int(first.reduces == second.reduces), saved, -self.distance(first, second)

    def better(self, one: tuple[Group, Group], other: tuple[Group, Group]) -> int:
        """Above zero where the one pair is to be tried before the other."""
        scores = self.score(*one), self.score(*other)
        saved = [score[1] for score in scores]
        if self.without == "the kind" or max(saved) > self.BEATS_THE_KIND * min(saved):
            return saved[0] - saved[1]
        return (scores[0] > scores[1]) - (scores[0] < scores[1])

    # endregion

    # region may
    def may(self, first: Group, second: Group) -> str:
        """Whether the two may become one: an empty text, or the reason against it."""
        if first is second:
            return "the same"
        if first.calls:
            return "node1 is extern but not a triton kernel"
        if second.calls:
            return "node2 is extern or nop"
        if second.names & first.ancestors:
            return "node1 must go before node2"
        saved = self.shared(first, second)
        if saved == 0:
            return "no shared data"
        if len(first.nodes) + len(second.nodes) > self.NODES:
            return "exceeds max fusion"
        if self.reusable(first, second) > self.MEMORY * saved:
            return "Fusion will increase peak memory"
        if first.names & second.ancestors:
            return self.after(first, second) or ("" if self.nested(first, second) else "loops, vertical")
        if saved < self.LITTLE:
            return "score_fusion_memory_threshold"
        if self.distance(first, second) > self.FAR:
            return "Nodes are too far away. Fusing them may increase peak memory."
        if len(first.nodes) + len(second.nodes) > self.ON_A_CPU:
            return "too many, horizontal"
        return "" if self.alike(first, second) else "loops, horizontal"

    def reusable(self, first: Group, second: Group) -> int:
        """The numbers in buffers of one size of which each is the only user."""
        sizes = [{key[1:] for node in group.nodes for key in node.reuse} for group in (first, second)]
        return sum(size for _, size in sizes[0] & sizes[1])

    def after(self, first: Group, second: Group) -> str:
        """The second reads what the first writes: at the same index, and nothing else in between."""
        left = set()
        for need in second.needs:
            match = any(
                (need.buffer, need.index, "") == (write.buffer, write.index, write.mode)
                and need.sizes[: len(write.sizes)] == write.sizes
                for write in first.writes
            )
            if not match:
                left.add(need.buffer)
        if left & {write.buffer for write in first.writes}:
            return "memory deps did not match"
        if self.without != "in between":
            for buffer in left:
                if first.names & self.of[self.writer[buffer]].ancestors:
                    return "intermediate nodes between node1 & node2"
        return ""

    # endregion

    # region loops
    def alike(self, first: Group, second: Group) -> str:
        """Whether one nest of loops can do both, and how."""
        if first.outer or second.outer:
            return ""
        (one, reduced), (two, reduced_too) = first.loops, second.loops
        if (one, reduced) == (two, reduced_too):
            return "same"
        if not reduced and one == two + reduced_too:
            return "with a reduction"
        if not reduced and not reduced_too and math.prod(one) == math.prod(two) and 1 in (len(one), len(two)):
            flat, other = (first, second) if len(one) < len(two) else (second, first)
            shapes = {node.shape for node in flat.nodes + other.nodes}
            if len(flat.nodes) == 1 and len(shapes) == 1:
                return "merged"
        return ""

    def nested(self, first: Group, second: Group) -> str:
        """Whether both fit in one nest, the second below the first: inside, or under a shared outer loop."""
        if self.alike(first, second) and not first.reduces:
            return "inside"
        return "outer" if self.depth(first, second) else ""

    def depth(self, first: Group, second: Group) -> int:
        """How many outer loops they can share."""
        if self.without == "outer loops":
            return 0
        if first.outer and second.outer:
            return first.depth if first.depth == second.depth else 0
        (one, reduced), (two, reduced_too) = (
            (first.outer[-1] if first.outer else first).loops,
            (second.outer[0] if second.outer else second).loops,
        )
        if not one and not two and reduced and reduced_too:
            return 0
        many = min(len(one), len(two))
        if many < 1 or one[:many] != two[:many]:
            return 0
        known = first.depth or second.depth
        return many if known in (0, many) else 0

    # endregion

    def last_resort(self, first: Group, second: Group) -> bool:
        """Whether only outer loops would be shared: such pairs wait until there are no others."""
        vertical = bool(first.names & second.ancestors)
        inside = self.alike(first, second) and not first.reduces
        return vertical and not inside and self.depth(first, second) > 0

    # region rounds
    def pairs(self) -> list[tuple[Group, Group]]:
        """The pairs that may be fused, best first."""
        seen = {}
        buffers = {}
        for group in self.groups:
            if not group.calls:
                for buffer in group.used:
                    buffers.setdefault(buffer, []).append(group)
        for users in buffers.values():
            for first, second in combinations(users, 2):
                if (first, second) not in seen:
                    seen[first, second] = self.may(first, second)
        found = [pair for pair, reason in seen.items() if not reason]
        if self.without != "last resort" and any(not self.last_resort(*pair) for pair in found):
            found = [pair for pair in found if not self.last_resort(*pair)]
        if self.without != "order":
            found.sort(key=cmp_to_key(self.better), reverse=True)
        return found

    def fuse(self) -> list[tuple[str, ...]]:
        """Rounds, until one changes nothing."""
        for _ in range(self.ROUNDS):
            many = len(self.groups)
            for pair in self.pairs():
                first, second = (self.of[group.nodes[0].name] for group in pair)
                if not self.may(first, second) and not self.circle(first, second):
                    self.join(first, second)
            self.sort()
            if len(self.groups) in (many, 1):
                break
        return [tuple(node.name for node in group.nodes) for group in self.groups]

    def join(self, first: Group, second: Group) -> None:
        """One group instead of two."""
        self.fused.append(tuple("_".join(node.name for node in group.nodes) for group in (first, second)))
        nodes = first.nodes + second.nodes
        loops, outer, depth = (second if second.reduces and not first.reduces else first).loops, (), 0
        how = self.alike(first, second)
        if how == "merged":
            loops = max(first.loops, second.loops, key=lambda loops: len(loops[0]))
        elif self.last_resort(first, second):
            outer = (first.outer or (first,)) + (second.outer or (second,))
            depth = self.depth(first, second)
        group = Group(nodes, loops, outer, depth)
        self.groups = [each for each in self.groups if each not in (first, second)] + [group]
        self.of |= dict.fromkeys(group.names, group)

    def sort(self) -> None:
        """By the first of their nodes, what a group needs before it."""
        self.groups.sort(key=lambda group: group.first)
        ordered = {}

        def visit(group: Group) -> None:
            if group not in ordered and not ordered.setdefault(group, None):
                for need in sorted(group.needs, key=lambda need: need.buffer):
                    if need.buffer in self.writer:
                        visit(self.of[self.writer[need.buffer]])
                done.append(group)

        done = []
        for group in self.groups:
            visit(group)
        self.groups = done

    def circle(self, first: Group, second: Group) -> bool:
        """Whether a way leads from the one to the other through a third group."""
        if self.without == "circles":
            return False
        inside, seen = {first, second}, set()
        todo = [
            self.of[self.writer[need.buffer]]
            for group in inside
            for need in group.needs
            if need.buffer in self.writer
        ]
        todo = [group for group in todo if group not in inside]
        while todo:
            group = todo.pop()
            if group in inside:
                return True
            if group not in seen:
                seen.add(group)
                todo += [
                    self.of[self.writer[need.buffer]] for need in group.needs if need.buffer in self.writer
                ]
        return False

    # endregion


RULES = {
    "the index": "data is shared where the buffer is the same, whatever the index",
    "in between": "what lies between the two is not asked for",
    "outer loops": "no two loops stand under one outer loop",
    "last resort": "outer loops are shared as soon as any other loops",
    "order": "pairs are tried as they are found",
    "the kind": "only the bytes decide which pair comes first",
    "circles": "no way through a third group is looked for",
}
MANY = 25


def together(groups: list[tuple[str, ...]]) -> set[frozenset[str]]:
    """Which nodes are together, in whatever order."""
    return set(map(frozenset, groups))


if __name__ == "__main__":
    runs = [scheduled(program(seed), *inputs()) for seed in range(MANY)]
    print(sum(len(run.before) for run in runs), "nodes became", sum(len(run.after) for run in runs))
    judged = {
        (seed, first, second): "may be fused" if fused else reason or "refused without a reason"
        for seed, run in enumerate(runs)
        for first, second, fused, reason in run.judged
        if "_" not in first + second and first != second
    }
    for verdict, many in sorted(Counter(judged.values()).items()):
        print(f"{many:3} of {len(judged)} pairs: {verdict}")
    for without, told in {"": "by all the rules", **RULES}.items():
        other = sum(together(Rules(run, without).fuse()) != together(run.after) for run in runs)
        print(f"{other:3} of {MANY} programs otherwise: {told}")
