"""What this article says of all functions, overloads, methods, arguments and graphs, gone through."""

import ast
import operator
import random
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from by_hand import run
from inside_torch.claims import counted, overloads
from torch import fx
from torch.fx.node import base_types


def written_and_found(target: Callable) -> Any:
    """What the name by which the code calls a function leads to, in the globals of that code."""
    graph = fx.Graph()
    graph.output(graph.call_function(target, (graph.placeholder("x"),)))
    code = graph.python_code("self")
    call = next(node for node in ast.walk(ast.parse(code.src)) if isinstance(node, ast.Call))
    return eval(ast.unparse(call.func), {"torch": torch, **code.globals})


def leads_back(target: Callable) -> bool:
    """Whether that is the function."""
    try:
        return written_and_found(target) is target
    except (AttributeError, SyntaxError):
        return False


def overridable_functions() -> dict[str, Callable]:
    """The functions and methods that a class like Proxy can override, but for those that get an attribute."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        listed = torch.overrides.get_testing_overrides()
        names = {one: torch.overrides.resolve_name(one) for one in listed}
    found = {name or f"{one.__module__}.{one.__name__}": one for one, name in names.items()}
    return {name: one for name, one in found.items() if not name.endswith("__get__")}


@counted(overridable_functions, planted=lambda: torch.nn.ReLU().forward, minimum=1000)
def function_is_written_by_its_name(target: Callable) -> bool:
    """A function that is the target of a node is written by a name that leads back to it."""
    return leads_back(target)


def overload(name: str) -> Any:
    """An overload of ATen, by its name."""
    operator, _, which = name.partition(".")
    return getattr(getattr(torch.ops.aten, operator), which or "default")


def aten_overloads() -> dict[str, Any]:
    """Every overload of ATen, by name."""
    return {name: overload(name) for name in overloads()}


@counted(aten_overloads, planted=lambda: torch.nn.ReLU().forward, minimum=2500)
def overload_is_written_by_its_name(target: Any) -> bool:
    """An overload that is the target of a node is written by a name that leads back to it."""
    return leads_back(target)


def dropped(op: str, target: Any) -> bool:
    """Whether a node that nobody uses is taken away as dead."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.create_node(op, target, (x,))
    graph.output(x)
    graph.eliminate_dead_code()
    return len(graph.nodes) == 2


def methods_in_place() -> dict[str, tuple[str, Any]]:
    """The methods of a tensor whose name ends in an underscore and does not begin with one."""
    names = [name for name in dir(torch.Tensor) if re.fullmatch(r"[a-z].*[^_]_", name)]
    return {name: ("call_method", name) for name in names if callable(getattr(torch.Tensor, name))}


@counted(methods_in_place, planted=lambda: ("call_function", torch.ops.aten.add_.Tensor), minimum=100)
def method_in_place_is_dropped(node: tuple[str, Any]) -> bool:
    """The call of an in-place method whose result nobody uses is taken away as dead code."""
    return dropped(*node)


def functions_in_place() -> dict[str, tuple[str, Any]]:
    """Functions of torch and its functional with an underscore at the end, and the operators like `+=`."""
    places = {"torch": torch, "torch.nn.functional": torch.nn.functional}
    found = {f"{place}.{name}": getattr(one, name) for place, one in places.items() for name in dir(one)}
    in_place = re.compile(r".*\.[a-z]\w*[^_]_")
    found = {name: one for name, one in found.items() if in_place.fullmatch(name) and callable(one)}
    found |= {f"operator.{name}": getattr(operator, name) for name in fx.graph.inplace_methods}
    return {name: ("call_function", one) for name, one in found.items()}


@counted(functions_in_place, planted=lambda: ("call_function", torch.ops.aten.add_.Tensor), minimum=80)
def function_in_place_is_dropped(node: tuple[str, Any]) -> bool:
    """The call of an in-place function, no overload, whose result nobody uses is taken away as dead code."""
    return dropped(*node)


def writing_overloads() -> dict[str, Any]:
    """The overloads of ATen whose schema says that they write to an argument."""
    return {name: one for name, one in aten_overloads().items() if one._schema.is_mutable}


@counted(writing_overloads, planted=lambda: torch.ops.aten.batch_norm.default, minimum=1000)
def writing_overload_is_kept(target: Any) -> bool:
    """An overload whose schema says that it writes is kept, though nobody uses its result."""
    return not dropped("call_function", target)


def symbols() -> dict[type, Any]:
    """A size, a truth and a float that stand for no number known."""
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    size = ShapeEnv().create_unbacked_symint()
    return {torch.SymInt: size, torch.SymBool: size > 7, torch.SymFloat: torch.sym_float(size)}


def arguments() -> dict[str, Any]:
    """A value of each kind that the annotation of a node's arguments names, and some that hold others."""
    known = {
        str: "a 'quoted'\ntext", int: 3, float: 0.1, bool: True, complex: 1 + 2j, torch.dtype: torch.float16,
        torch.Tensor: torch.ones(2), torch.device: torch.device("cpu"),
        torch.memory_format: torch.channels_last, torch.layout: torch.strided,
        torch._ops.OpOverload: torch.ops.aten.add.Tensor, **symbols(),
    }  # fmt: skip
    values = {"None": None, "inf": float("inf"), "nan": float("nan"), "range": range(3)}
    values |= {"tuple": (1,), "list": [1, [2.5]], "dict": {"a": None}, "slice": slice(1, None, 2)}
    values["nested"] = [(torch.device("cpu"), float("-inf")), {"dtype": torch.int64}]
    values["dict[str, torch._ops.OpOverload]"] = {"a": torch.ops.aten.add.Tensor}
    return values | {f"{one.__module__}.{one.__name__}": known[one] for one in base_types}


def given_back(value: object, sent: object) -> object:
    """The second argument."""
    return sent


@counted(arguments, planted=object, minimum=15)
def argument_comes_back(value: Any) -> bool:
    """A value that is an argument of a node is written so that the code makes an equal one of its type."""
    graph = fx.Graph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph.output(graph.call_function(given_back, (graph.placeholder("x"), value)))
    code = graph.python_code("self")
    try:
        scope = dict(code.globals)
        exec(code.src, scope)
        made = scope["forward"](None, 0)
    except (NameError, SyntaxError):
        return False
    return type(made) is type(value) and repr(made) == repr(value)


def a_graph(seed: int) -> fx.Graph:
    """Some nodes, made and edited by chance, each after what it uses."""
    pick = random.Random(seed)
    graph = fx.Graph()
    nodes = [graph.placeholder("a"), graph.placeholder("b")]

    def node(before: list[fx.Node]) -> fx.Node:
        one, other = pick.choice(before), pick.choice(before)
        kind = pick.randrange(4)
        if kind == 0:
            return graph.call_function(torch.neg, (one,))
        if kind == 1:
            return graph.call_method("add", (one, other))
        if kind == 2:
            return graph.call_function(sum, ([one, other, one],))
        return graph.call_function(torch.add, (one,), {"other": other, "alpha": 2})

    for _ in range(pick.randint(3, 9)):
        nodes.append(node(nodes[:2] if pick.random() < 0.3 else nodes))
    graph.output(tuple(pick.sample(nodes, 2)))
    for _ in range(pick.randint(0, 6)):
        order = [one for one in graph.nodes if one.op != "output"]
        places = [at for at, one in enumerate(order) if at > 1 and one.op != "placeholder"]
        if not places:
            break  # all has been erased
        at = pick.choice(places)
        chosen, edit = order[at], pick.randrange(4)
        if edit == 0:
            used = pick.choice(chosen.all_input_nodes)
            with graph.inserting_before(chosen):
                chosen.replace_input_with(used, graph.call_function(torch.abs, (used,)))
        elif edit == 1:
            chosen.replace_all_uses_with(pick.choice(order[:at]))
        elif edit == 2 and not chosen.users:
            graph.erase_node(chosen)
        else:
            last = max((one for one in order[:at] if one in chosen.all_input_nodes), default=order[1])
            last.append(chosen)
    return graph


def graphs() -> dict[str, fx.Graph]:
    """Graphs of chance, each named by its seed."""
    return {f"seed {seed}": a_graph(seed) for seed in range(400)}


def nodes_in(value: Any) -> Iterator[fx.Node]:
    """The nodes that an argument holds, however deep."""
    if isinstance(value, fx.Node):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from nodes_in(one)
    elif isinstance(value, dict):
        yield from nodes_in(list(value.values()))


def appended_to_an_argument() -> fx.Graph:
    """A node is put into a list of arguments behind the back of the node that got it by `insert_arg`."""
    graph = fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    stack = graph.call_function(torch.stack)
    stack.insert_arg(0, [x])
    stack.args[0].append(y)
    return graph


@counted(graphs, planted=appended_to_an_argument, minimum=400)
def users_mirror_arguments(graph: fx.Graph) -> bool:
    """After edits of four kinds, the users of a node are the nodes in whose arguments it stands."""
    return all(
        set(node.users) == {other for other in graph.nodes if node in nodes_in((other.args, other.kwargs))}
        for node in graph.nodes
    )


def sorted_by_hand() -> fx.Graph:
    """A graph in which a node has been given another's place in the order, and not in the list."""
    graph = fx.Graph()
    x, _ = graph.placeholder("x"), graph.placeholder("y")
    x._sort_key = (9,)
    return graph


@counted(graphs, planted=sorted_by_hand, minimum=400)
def comparison_is_order(graph: fx.Graph) -> bool:
    """One node is less than another if it comes before it in the list, however it got there."""
    listed = list(graph.nodes)
    return sorted(random.Random(0).sample(listed, len(listed))) == listed


def with_a_late_parameter() -> fx.Graph:
    """A parameter comes after a node of its name."""
    graph = fx.Graph()
    a = graph.placeholder("a")
    b = graph.create_node("call_function", torch.neg, (a,), name="b")
    graph.output((b, graph.placeholder("b")))
    return graph


@counted(graphs, planted=with_a_late_parameter, minimum=400)
def code_computes_as_interpreter(graph: fx.Graph) -> bool:
    """The code of a graph computes what an interpreter computes node by node."""
    module = fx.GraphModule({}, graph)
    inputs = torch.tensor([1.0, -2.0]), torch.tensor([0.5, 4.0])
    pairs = zip(module(*inputs), fx.Interpreter(module).run(*inputs), strict=True)
    return all(torch.equal(one, other) for one, other in pairs)


@counted(graphs, planted=with_a_late_parameter, minimum=400)
def run_by_hand_as_by_code(graph: fx.Graph) -> bool:
    """To run a graph node by node, as we do, gives what its code computes."""
    inputs = torch.tensor([1.0, -2.0]), torch.tensor([0.5, 4.0])
    pairs = zip(fx.GraphModule({}, graph)(*inputs), run(torch.nn.Module(), graph, *inputs), strict=True)
    return all(torch.equal(one, other) for one, other in pairs)


def never_released() -> fx.Graph:
    """The lines of a graph's code are left without what lets values go."""
    graph = a_graph(0)
    graph.on_generate_code(lambda _: lambda body: [line.partition(";")[0].rstrip() + "\n" for line in body])
    return graph


@counted(graphs, planted=never_released, minimum=400)
def value_is_released_at_its_last_use(graph: fx.Graph) -> bool:
    """Each value is let go on the line of its last use, its own if it has none, and not if it is returned."""
    wanted = set()
    for node in graph.nodes:
        last = max(node.users, default=node)
        if last.op not in ("output", "placeholder"):
            wanted.add((last.name, node.name))
    found = set()
    for line in graph.python_code("self").src.splitlines():
        made, _, released = line.strip().partition(";  ")
        found |= {(made.partition(" ")[0], name) for name in released.split(" = ")[:-1]}
    return found == wanted
