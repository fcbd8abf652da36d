"""What is said of an operator, held against the YAML's own text, the libraries and the running torch."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch
from inside_torch.book.whole_book import Book
from inside_torch.cli import app
from inside_torch.errors import BookError
from inside_torch.operators.catalogue import Catalogue
from inside_torch.operators.generated import Presence, search, symbols
from inside_torch.operators.places import headers, mentions, places
from typer.testing import CliRunner

# One of each kind: structured by ufunc, structured, in place, out=, composite, several outputs, view, copy of
# a view, made by autogen, foreach, written by hand, a dunder.
NAMES = [
    "add.Tensor",
    "mul.Tensor",
    "add_.Tensor",
    "add.out",
    "linear",
    "native_layer_norm",
    "expand",
    "expand_copy",
    "native_layer_norm.out",
    "_foreach_add.Tensor",
    "copy_",
    "__iand__.Tensor",
    "relu",
    "detach",
]


@pytest.fixture(scope="module")
def catalogue(wheel) -> Catalogue:
    return Catalogue(wheel)


def run(*arguments: object) -> tuple[int, str]:
    """Exit status and everything printed."""
    result = CliRunner().invoke(app, ["op", *map(str, arguments)])
    if isinstance(result.exception, BookError):
        return 1, result.output + str(result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def kernels(operator) -> dict[str, tuple[str, str]]:
    return {one.key: (one.kernel, one.origin) for one in operator.kernels}


@pytest.mark.parametrize("name", NAMES)
def test_the_running_torch_agrees(catalogue, libraries, name):
    operator = catalogue.find(name)
    base, _, overload = name.partition(".")
    packet = getattr(torch.ops.aten, base)
    assert operator.schema == str(getattr(packet, overload or "default")._schema)
    for other in operator.overloads:
        other_base, _, other_overload = other.partition(".")
        assert hasattr(getattr(torch.ops.aten, other_base), other_overload or "default"), other
    found = {one.name.replace("(anonymous namespace)::", ""): one for one in symbols(operator, libraries)}
    for kernel in operator.kernels:
        held = found[f"at::{kernel.registered}"].presence is not Presence.absent
        runs = torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", kernel.key)
        assert held == runs, f"{kernel.key}: in the libraries {held}, registered {runs}"


@pytest.mark.parametrize("name", NAMES)
def test_python_names_are_there(catalogue, name):
    for written in catalogue.find(name).python:
        value = torch
        for part in written.split(".")[1:]:
            value = getattr(value, part)
        assert callable(value)


def test_structured_delegate(catalogue):
    operator = catalogue.find("add.Tensor")
    assert operator.structured == "add.out" and operator.family == {
        "out": "add.out",
        "inplace": "add_.Tensor",
    }
    assert operator.tags == ["core", "pointwise", "pt2_compliant_tag"]
    assert operator.variants == ["function", "method"]
    assert operator.ufunc["ScalarOnly"] == "add (Bool)"
    found = kernels(operator)
    assert found["CPU"][0] == "at::native::structured_ufunc_add_CPU::impl"
    assert found["CPU"][1] == "the ufunc_inner_loop of add.out, its structured_delegate"
    assert found["SparseCPU"] == ("at::native::add_sparse", "the dispatch of its entry")
    assert found["Meta"][0] == "at::meta::structured_add_Tensor::meta"
    assert found["CompositeExplicitAutogradNonFunctional"][1] == "the default of a structured operator"
    mul = catalogue.find("mul.Tensor")
    assert mul.ufunc == {} and kernels(mul)["CPU"][0] == "at::native::structured_mul_out::impl"


def test_composite(catalogue):
    assert kernels(catalogue.find("linear"))["CompositeImplicitAutograd"][0] == "at::native::linear"
    kernel, origin = kernels(catalogue.find("__iand__.Tensor"))["CompositeImplicitAutograd"]
    assert kernel == "at::native::__iand__" and "no dispatch" in origin


def test_autogen(catalogue):
    operator = catalogue.find("native_layer_norm.out")
    assert operator.generated and operator.entry == "native_layer_norm" and operator.python == []
    assert list(kernels(operator)) == ["CompositeExplicitAutograd"]
    assert kernels(operator)["CompositeExplicitAutograd"][1] == "the autogen list of native_layer_norm"
    assert operator.derivatives == []


def test_view(catalogue, libraries):
    operator = catalogue.find("expand")
    assert operator.view and operator.family == {"view_copy": "expand_copy"}
    found = {one.role: one for one in symbols(operator, libraries)}
    assert found["replays the view"].name == "torch::autograd::generated::ExpandViewFunc::operator()"
    assert found["replays the view"].presence is Presence.function
    assert found["ADInplaceOrView kernel"].presence is Presence.function, "a view has such a kernel"
    ordinary = {one.role: one for one in symbols(catalogue.find("mul.Tensor"), libraries)}
    assert ordinary["ADInplaceOrView kernel"].presence is Presence.absent, "mul has none"


def nested(x: torch.Tensor) -> torch.Tensor:
    """A nested tensor of one tensor: the backend for which linear has a kernel of its own."""
    return torch.nested.as_nested_tensor([x])


def backward_of(call) -> str:
    """The node's class that a call records."""
    made = call(torch.ones(2, 2, requires_grad=True))
    return (made[0] if isinstance(made, (tuple, list)) else made).grad_fn.name()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("add.Tensor", lambda x: x + x),
        ("add_.Tensor", lambda x: x.clone().add_(x)),
        ("mul.Tensor", lambda x: x * x),
        ("linear", lambda x: torch.nn.functional.linear(nested(x), x)),
        ("native_layer_norm", lambda x: torch.native_layer_norm(x, [2], None, None, 1e-5)),
        ("expand", lambda x: x.expand(3, 2, 2)),
        ("expand_copy", lambda x: torch.expand_copy(x, (3, 2, 2))),
        ("pow.Scalar", lambda x: 2**x),
        ("_foreach_add.List", lambda x: torch._foreach_add([x], [x])),
    ],
)
def test_the_node_is_the_one_that_a_run_records(catalogue, name, call):
    nodes = [one.node for one in catalogue.find(name).derivatives if one.key == "Default"]
    assert nodes == [backward_of(call)]


def test_a_composite_kernel_comes_before_a_formula_of_its_own(catalogue):
    operator = catalogue.find("linear")
    dense = backward_of(lambda x: torch.nn.functional.linear(x, x))
    assert operator.derivatives[0].node == "LinearBackward0" != dense
    said = run("linear")[1]
    assert "NestedTensorCPU" in said.split("Derivative")[1].split("Generated")[0]
    assert "CompositeImplicitAutograd" not in run("relu")[1]


def test_formulas_are_those_of_the_file(catalogue):
    (add,) = catalogue.find("add.Tensor").derivatives
    text = "\n".join(catalogue.wheel.read("tools/autograd/derivatives.yaml").lines)
    assert list(add.formulas) == ["self", "other", "result"]
    for of, formula in add.formulas.items():
        assert f"  {of}: {formula}\n" in text
    assert catalogue.find("add_.Tensor").derivatives == [add], "in place, by the same entry"


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("aten::add.Tensor", "add.Tensor"),
        ("torch.ops.aten.add.Tensor", "add.Tensor"),
        ("aten.relu.default", "relu"),
        (" linear ", "linear"),
        ("add_.Tensor", "add_.Tensor"),
    ],
)
def test_spellings(catalogue, written, means):
    assert catalogue.find(written).name == means


def test_a_name_of_several(catalogue):
    found = [one.name for one in catalogue.find("add")]
    assert found == ["add.Tensor", "add.out", "add.Scalar", "add.Scalar_out"]
    status, said = run("add")
    assert status == 0
    lines = [line for line in said.splitlines() if "aten::add." in line]
    assert len(lines) == 4 and lines[0].split() == [
        "add.Tensor",
        *catalogue.find("add.Tensor").schema.split(),
    ]
    assert [one["name"] for one in json.loads(run("add", "--json")[1])["overloads"]] == found


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("add.Tensr", "add.Tensor"),
        ("native_layer_nrom", "native_layer_norm"),
        ("linear.Tensor", "linear"),
        ("", ""),
        (".", ""),
        ("aten::", ""),
        ("ad(d", "add"),
        ("prelu.out", "prelu"),  # autogen names it, and torchgen writes none
        ("添加", ""),
    ],
)
def test_an_unknown_name_is_one_error_with_the_nearest(written, nearest):
    status, said = run(written)
    assert status == 1 and "[op-unknown]" in said and said.count("expected:") == 1
    assert nearest in said


def test_a_name_that_no_library_has_is_not_claimed(libraries):
    names = ["at::_ops::add_Tensor::call", "at::_ops::add_Tenser::call", "at::_ops::add_Tensor"]
    found = search(names, libraries.present)
    assert found[names[0]] == (names[0], Presence.function, "libtorch_cpu.so")
    assert found[names[1]] == (names[1], Presence.absent, None)
    assert found[names[2]][1] is not Presence.function, "a struct is no function"


def test_inlined_is_told_from_absent(catalogue, libraries):
    found = {one.name: one for one in symbols(catalogue.find("native_layer_norm"), libraries)}
    assert found["at::wrapper_CPU__native_layer_norm"].presence is Presence.inlined
    assert found["at::native::layer_norm_cpu"].presence is Presence.function
    assert found["at::native::layer_norm_mps"].presence is Presence.absent


def test_places_and_headers(catalogue, wheel, sources):
    operator = catalogue.find("add.Tensor")
    found = {str(pin.address): pin for pin in places(operator, sources)}
    assert list(found) == [
        "src:aten/src/ATen/native/native_functions.yaml::add.Tensor",
        "src:aten/src/ATen/native/native_functions.yaml::add.out",
        "src:tools/autograd/derivatives.yaml::add.Tensor",
        "src:torch/include/ATen/ops/add_ops.h::add_Tensor",
    ]
    assert all(pin.permalink or pin.generated for pin in found.values())
    assert len(places(catalogue.find("_foreach_add.Tensor"), sources)) == 2, "its formula is no entry's"
    assert headers(operator, wheel) == sorted(
        file.relative_to(wheel.site).as_posix()
        for file in (wheel.site / "torch/include/ATen/ops").iterdir()
        if file.name == "add.h" or file.name in {f"add_{kind}.h" for kind in ("ops", "native", "meta")}
        or (file.name.startswith("add_") and file.name.endswith("_dispatch.h"))
    )  # fmt: skip


def test_articles_that_pin_a_place(catalogue, sources, tmp_path):
    page = tmp_path / "docs" / "en" / "module-00-x" / "one.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        "\n[a](src:tools/autograd/derivatives.yaml::add.Tensor)\n"
        "[b](<src:aten/src/ATen/native/BinaryOps.cpp::TORCH_META_FUNC2(add, Tensor)>)\n"
        "[c](src:tools/autograd/derivatives.yaml::mul.Tensor) [d](src:torch/nn/functional.py::linear)\n"
    )
    trace = tmp_path / "snippets" / "module-00-x" / "two" / "run.trace.yml"
    trace.parent.mkdir(parents=True)
    trace.write_text("pins: {x: 'src:torch/include/ATen/ops/add_ops.h::add_Tensor::call'}\n")
    operator = catalogue.find("add.Tensor")
    first, second = mentions(operator, places(operator, sources), Book.load(tmp_path))
    assert (first.article, first.file, first.line) == (
        "module-00-x/one",
        "docs/en/module-00-x/one.md",
        2,
    )
    assert [address.rpartition("::")[2] for address in first.addresses] == [
        "add.Tensor",
        "TORCH_META_FUNC2(add, Tensor)",
    ]
    assert second.article == "module-00-x/two" and len(second.addresses) == 1
    linear = catalogue.find("linear")
    assert mentions(linear, places(linear, sources), Book.load(tmp_path)) == [], (
        "a Python function of the same name"
    )


def test_what_is_printed(libraries, tmp_path):
    (tmp_path / "docs").mkdir()  # a book with no article
    status, said = run("add.Tensor", "--root", tmp_path)
    assert status == 0
    for part in (
        "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) ->",
        "structured_delegate add.out",
        "  node AddBackward0, by the entry add.Tensor",
        "    torch::autograd::VariableType::(anonymous namespace)::add_Tensor  [libtorch_cpu.so]",
        "    torch::autograd::THPVariable_add  [libtorch_python.so]",
        "    at::native::structured_add_out_mps::impl  [not in the binary]",
        "  src:aten/src/ATen/native/native_functions.yaml::add.Tensor\n",
        "  no page pins any of these places",
    ):
        assert part in said
    prose = [line for line in said.splitlines() if "::" not in line and "/" not in line and "_" not in line]
    assert max(map(len, prose)) <= 80


def test_json_is_the_same_facts(libraries):
    facts = json.loads(run("add_.Tensor", "--json")[1])
    assert facts["name"] == "add_.Tensor" and facts["derivatives"][0]["node"] == "AddBackward0"
    held = {one["name"]: one["library"] for one in facts["symbols"]}
    assert held["at::_ops::add__Tensor::call"] == "libtorch_cpu.so"
    assert facts["places"][0]["link"].startswith("https://github.com/pytorch/pytorch/blob/")


def test_libraries_that_cannot_be_searched_are_said_and_nothing_is_claimed(monkeypatch, tmp_path):
    monkeypatch.setattr("inside_torch.pins.wheel.Wheel.libraries", property(lambda self: tmp_path))
    status, said = run("relu")
    assert status == 0
    assert (
        "symbol tables not searched" in said and "[libtorch" not in said and "not in the binary" not in said
    )


def test_torch_is_not_imported():
    code = (
        "import sys; from inside_torch.cli import app\n"
        "try: app(['op', 'add.Tensor'])\n"
        "except SystemExit as end: assert not end.code\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_what_is_printed_explains_its_marks():
    said = " ".join(run("add.Tensor")[1].split())
    assert said.index("[inlined]: no function of its own") < said.index("[libtorch_cpu.so]")
    assert "because of the ufunc_inner_loop of add.out, its structured_delegate" in said
    assert "result (forward mode):" in said and "self (forward mode):" not in said


def test_help_teaches():
    status, said = run("--help")
    assert status == 0 and "inside-torch op add.Tensor" in said and "not in the binary" in said
