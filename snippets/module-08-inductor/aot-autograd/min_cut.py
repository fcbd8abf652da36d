"""A minimal cut of a joint graph, found by augmenting paths, and held against that of the partitioner.

The rules of PyTorch's partitioner are added one by one, so that one sees what each of them changes.
"""

import heapq
import math
import operator
import random
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from pathlib import Path

import torch
from torch import Tensor, fx
from torch._functorch.partitioners import default_partition, get_default_op_list
from torch._inductor.decomposition import select_decomp_table

sys.path.insert(0, str(Path(__file__).parent))
from halves import Halves, halves

OPERATORS = get_default_op_list()
RULES = ("costly", "reductions", "read whole", "distance", "in registers", "far apart")


# region flow
def last_cut(capacity: dict[str, dict[str, float]]) -> tuple[float, set[str]]:
    """The greatest flow from source to sink, and the nodes beyond the last of the minimal cuts."""
    left = defaultdict(lambda: defaultdict(float))
    for start, ends in capacity.items():
        for end, amount in ends.items():
            left[start][end] += amount
            left[end][start] += 0
    total = 0.0
    while True:
        came_from = {"source": None}
        queue = deque(["source"])
        while queue and "sink" not in came_from:
            node = queue.popleft()
            for end, amount in left[node].items():
                if amount > 0 and end not in came_from:
                    came_from[end] = node
                    queue.append(end)
        if "sink" not in came_from:
            break
        way, node = [], "sink"
        while came_from[node] is not None:
            way.append((came_from[node], node))
            node = came_from[node]
        amount = min(left[start][end] for start, end in way)
        if amount == math.inf:
            raise ValueError("what can be neither saved nor computed again is needed")
        for start, end in way:
            left[start][end] -= amount
            left[end][start] += amount
        total += amount
    beyond, queue = {"sink"}, deque(["sink"])
    while queue:
        node = queue.popleft()
        for start in left[node]:
            if left[start][node] > 0 and start not in beyond:
                beyond.add(start)
                queue.append(start)
    return total, beyond


# endregion


class Joint:
    """A joint graph, and what the rules ask of it."""

    def __init__(self, parts: Halves):
        output = parts.joint.graph.output_node()
        self.nodes = [node for node in parts.joint.graph.nodes if node.op != "output"]
        results = output.args[0]
        self.gradients = {node for node in results[parts.outputs :] if node is not None}
        self.forward = self._before(results[: parts.outputs])
        self.after_tangents = set()
        for node in self.nodes:
            if node.name.startswith("tangents") or any(
                argument in self.after_tangents for argument in node.all_input_nodes
            ):
                self.after_tangents.add(node)
        self.order = {node: index for index, node in enumerate(n for n in self.nodes if n in self.forward)}
        self.distance = {output: 10**9}
        for node in reversed(self.nodes):
            near = min((self.distance[user] + 1 for user in node.users), default=10**9)
            self.distance[node] = min(near, 10**9) if node in self.forward else 0

    @staticmethod
    def _before(results: Iterable[fx.Node]) -> set[fx.Node]:
        found, todo = set(), [node for node in results if node is not None]
        while todo:
            node = todo.pop()
            if node not in found:
                found.add(node)
                todo += node.all_input_nodes
        return found

    @staticmethod
    def size(node: fx.Node) -> int:
        """Bytes."""
        return node.meta["val"].nbytes

    @staticmethod
    def fuses(producer: fx.Node, user: fx.Node) -> bool:
        """Whether one loop could compute both, as the partitioner's list has it."""
        return OPERATORS.is_fusible(producer) and OPERATORS.is_fusible(user)

    # region rules
    def read_whole(self, node: fx.Node) -> bool:
        """Whether the backward needs it in memory: it, or a view of it, goes into what is no loop."""
        if OPERATORS.is_view(node):
            return False
        return any(
            (user not in self.forward and not self.fuses(producer, user))
            for producer in self._with_views(node)
            for user in producer.users
        )

    def _with_views(self, node: fx.Node) -> set[fx.Node]:
        return {node}.union(*(self._with_views(user) for user in node.users if OPERATORS.is_view(user)))

    def kept(self, node: fx.Node, rules: Iterable[str]) -> bool:
        """Whether a rule says that it is not computed again."""
        if node.op == "placeholder":
            return True
        if node not in self.forward or OPERATORS.is_view(node):
            return False
        read = sum(self.size(argument) for argument in node.args if isinstance(argument, fx.Node))
        return (
            ("costly" in rules and not OPERATORS.is_recomputable(node))
            or ("reductions" in rules and self.size(node) * 4 < read)
            or ("read whole" in rules and self.read_whole(node))
        )

    def weight(self, node: fx.Node, rules: Iterable[str]) -> int:
        """What it costs to save it."""
        weight = self.size(node)
        if "distance" in rules:
            weight = int(weight * 1.1 ** max(min(self.distance[node], 100), 1))
        if "in registers" in rules and node.op != "placeholder":
            weight *= 2 if all(self.fuses(node, user) for user in node.users) else 1
        return weight

    def far_apart(self) -> set[fx.Node]:
        """Users that come after a use of the same value, or of what came of it, that is no loop."""
        found = set()
        for node in self.order:
            users = [user for user in node.users if user in self.forward]
            if users:
                first = self._first_unfusible(users)
                found |= {user for user in users if self.order[user] > first and self.fuses(node, user)}
        return {node for node in found if not OPERATORS.is_view(node)}

    def _first_unfusible(self, users: list[fx.Node]) -> int:
        last = max(self.order[user] for user in users)
        heap, seen = [(self.order[user], True, user) for user in users], set()
        heapq.heapify(heap)
        while heap:
            order, fused, node = heapq.heappop(heap)
            if not fused:
                return order
            for user in node.users:
                entry = self.order.get(user, math.inf), self.fuses(node, user), user
                if entry[0] <= last and entry not in seen:
                    seen.add(entry)
                    heapq.heappush(heap, entry)
        return last

    # endregion

    # region network
    def network(self, rules: Iterable[str] = RULES) -> dict[str, dict[str, float]]:
        """Two nodes for each value; between them passes what it costs to save it."""
        edges = defaultdict(dict)
        kept = {node for node in self.nodes if self.kept(node, rules)}
        if "far apart" in rules:
            kept |= self.far_apart()
        for node in self.nodes:
            if node in self.after_tangents:
                edges[f"{node}_in"]["sink"] = math.inf
                continue
            if node in self.gradients:
                edges[f"{node}_out"]["sink"] = math.inf
            if node in kept:
                edges["source"][f"{node}_in"] = math.inf
            edges[f"{node}_in"][f"{node}_out"] = self.weight(node, rules)
            for user in node.users:
                edges[f"{node}_out"][f"{user}_in"] = math.inf
        return edges

    def saved(self, rules: Iterable[str] = RULES) -> list[str]:
        """The values whose two nodes the cut parts."""
        _, beyond = last_cut(self.network(rules))
        return [
            node.name
            for node in self.nodes
            if node not in self.after_tangents and f"{node}_in" not in beyond and f"{node}_out" in beyond
        ]

    # endregion


# region generate
POINTWISE = (torch.sin, torch.exp, torch.sigmoid, torch.tanh, torch.relu, torch.square)


def generated(seed: int) -> Callable[[Tensor, Tensor], Tensor]:
    """A function of two matrices: steps drawn from pointwise ones, products, reductions and views."""
    draw = random.Random(seed)
    steps = [
        (
            draw.choices(("point", "pair", "mm", "mean", "view"), (8, 4, 1, 1, 1))[0],
            draw.random(),
            draw.random(),
        )
        for _ in range(draw.randint(3, 20))
    ]

    def function(x: Tensor, weight: Tensor) -> Tensor:
        values = [x, weight, x * weight]
        for kind, one, other in steps:
            first, second = values[int(one * len(values))], values[int(other * len(values))]
            last = values[-1]
            if kind == "point":
                values.append(POINTWISE[int(one * len(POINTWISE))](last))
            elif kind == "pair":
                values.append(first * second if one < 0.5 else last + second)
            elif kind == "mm":
                values.append(last @ second)
            elif kind == "mean":
                values.append(last - last.mean(1, keepdim=True))
            else:
                values.append(last.t())
        return values[-1]

    return function


def matrices() -> tuple[Tensor, Tensor]:
    """Two inputs that want a gradient."""
    return torch.rand(8, 8, requires_grad=True), torch.rand(8, 8, requires_grad=True)


# endregion


# region chains
def chains(x: Tensor, weight: Tensor) -> Tensor:
    """Two long ways from one input, of steps that need nothing for the backward."""
    one, other = x, x
    for _ in range(20):
        one, other = -one, other + 1
    return one.sin() * other.sin()


def deep(x: Tensor, weight: Tensor) -> Tensor:
    """One way, so long that it is not computed again at a stretch."""
    for _ in range(200):
        x = x.sin()
    return x * weight


def ladder(x: Tensor, weight: Tensor) -> Tensor:
    """Two values side by side, each of both before."""
    for _ in range(60):
        x, weight = (x * weight).sin(), (x + weight).cos()
    return x * weight


# endregion


def in_order(names: list[str], parts: Halves) -> list[str]:
    """As the joint graph has them."""
    return [node.name for node in parts.joint.graph.nodes if node.name in names]


if __name__ == "__main__":
    table = select_decomp_table()
    cases = [halves(generated(seed), *matrices(), decompositions=table) for seed in range(20, 40)]
    graphs = [Joint(parts) for parts in cases]

    def passed(saved: list[list[str]]) -> int:
        """Bytes that pass from forwards to backwards, by the names of what is saved."""
        return sum(
            graph.size(node)
            for graph, names in zip(graphs, saved, strict=True)
            for node in {memory(node) for node in graph.nodes if node.name in names}
        )

    def memory(node: fx.Node) -> fx.Node:
        return memory(node.all_input_nodes[0]) if OPERATORS.is_view(node) else node

    def by_default(parts: Halves) -> list[str]:
        forward, _ = default_partition(parts.joint, [], num_fwd_outputs=parts.outputs)
        return [node.name for node in forward.graph.output_node().args[0][parts.outputs :]]

    theirs = [in_order(parts.saved, parts) for parts in cases]
    print("rules           as theirs  bytes")
    for number in range(len(RULES) + 1):
        rules = RULES[:number]
        ours = [graph.saved(rules) for graph in graphs]
        same = sum(map(operator.eq, ours, theirs))
        print(f"{('+ ' + rules[-1]) if rules else 'none':14}  {same:9}  {passed(ours)}")
    print(f"{'theirs':14}  {len(cases):9}  {passed(theirs)}")
    print(f"{'the default':14}  {'-':>9}  {passed([by_default(parts) for parts in cases])}")
    for function in chains, deep, ladder:
        parts = halves(function, *matrices(), decompositions=table)
        graph = Joint(parts)
        without = [rule for rule in RULES if rule != "distance"]
        again = len(parts.recomputed)
        print(function.__name__, again, in_order(parts.saved, parts), graph.saved(), graph.saved(without))
