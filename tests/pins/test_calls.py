"""The compiled code of the wheel: callees and their order, held against what gdb's recordings and the lines
of assertions say of the same functions.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from inside_torch.errors import BookError
from inside_torch.pins.calls import CallsLock, derive
from inside_torch.pins.facts import Facts, anchor, callee_is
from inside_torch.pins.lock import PinLock

ROOT = Path(__file__).parents[2]
ENGINE = "src:torch/csrc/autograd/engine.cpp::Engine::"


@pytest.fixture(scope="module")
def pins():
    return PinLock.load(ROOT)


@pytest.fixture(scope="module")
def code(libraries):
    from inside_torch.pins.compiled import Code

    with Code(libraries) as code:
        yield code


def test_callees_are_found_in_each_way(code, pins):
    names = ("validate_outputs", "execute_with_graph_task", "GraphTask", "Engine::thread_main")
    facts = code.facts(pins.pin(f"{ENGINE}execute"), names, ())
    assert facts.within == "torch::autograd::Engine::execute"
    assert facts.callees == {
        "validate_outputs": "call",
        "execute_with_graph_task": "virtual",
        "GraphTask": "call",
        "Engine::thread_main": None,
    }
    unpack = code.facts(
        pins.pin("src:torch/csrc/autograd/saved_variable.cpp::SavedVariable::unpack"), ["current_version"], ()
    )
    assert unpack.callees == {"current_version": "inlined"}


def test_the_order_is_that_of_the_ways_through_the_code(code, pins):
    facts = code.facts(
        pins.pin(f"{ENGINE}thread_main"),
        [
            "pop",
            "evaluate_function",
            "mark_as_completed_and_run_post_processing",
            "push",
        ],
        [526],
    )
    chain = [anchor(526), "pop", "evaluate_function", "mark_as_completed_and_run_post_processing", "push"]
    for place, one in enumerate(chain):
        for other in chain[place + 1 :]:
            assert (one, other) in facts.before and (other, one) not in facts.before, (one, other)


def test_what_an_exception_leads_to_comes_after_what_raises_it(code, pins):
    """No jump leads to a handler, only the table of landing pads."""
    pin = pins.pin("src:torch/csrc/autograd/python_engine.cpp::PythonEngine::execute")
    facts = code.facts(pin, ["Engine::execute", "python_error::restore"], ())
    assert ("Engine::execute", "python_error::restore") in facts.before


def test_assertions_of_one_function_have_the_order_of_their_lines(code, pins):
    """Where the code orders two assertions at all, it is the order of the source."""
    ordered = 0
    for name in ("execute", "evaluate_function"):
        pin = pins.pin(f"{ENGINE}{name}")
        facts = code.facts(pin, (), [witness.line for witness in pin.witnesses])
        for one, other in facts.before:
            assert int(one.split()[1]) < int(other.split()[1])
            ordered += 1
    assert ordered >= 3


def test_the_recorded_callees_are_in_the_code(code, pins):
    """What gdb saw called is called by name, or through a table."""
    seen = json.loads(
        (ROOT / "snippets/module-02-autograd/running-backward/one_backward.path.json").read_text()
    )
    frames = seen["frames"]
    checked = 0
    for place, frame in enumerate(frames):
        if not (frame["pin"] or "").startswith("src:torch/csrc/autograd/engine.cpp"):
            continue
        below = [f["symbol"] for f in frames[place + 1 : place + 2] if f["depth"] == frame["depth"] + 1]
        for symbol in below:
            name = "::".join(symbol.split("::")[-2:])
            assert code.facts(pins.pin(frame["pin"]), [name], ()).callees[name], (frame["symbol"], name)
            checked += 1
    assert checked >= 4


def test_a_template_says_what_all_its_instances_say(code, pins):
    facts = code.facts(
        pins.pin("src:torch/csrc/autograd/engine.cpp::validate_outputs_impl"), ["maybe_reduce"], ()
    )
    assert facts.callees == {"maybe_reduce": "call"}


def test_a_function_that_is_inlined_is_read_where_its_assertions_are(code, pins):
    pin = pins.pin("src:torch/csrc/autograd/custom_function.cpp::_process_backward_mode_ad")
    assert code.facts(pin, ["set_gradient_edge"], ()).within == "torch::autograd::_wrap_outputs"


def test_names_of_callees():
    assert callee_is("torch::autograd::Engine::execute", "Engine::execute")
    assert callee_is("torch::autograd::GraphTask::GraphTask", "GraphTask")
    assert callee_is("at::_ops::isnan::call", "at::isnan") and callee_is("at::_ops::isnan::call", "isnan")
    assert not callee_is("torch::autograd::Engine::execute", "Other::execute")
    assert not callee_is("torch::autograd::Engine::execute_all", "execute")


def test_a_changed_lock_is_told_with_what_changed(pins, searched, tmp_path):
    address = f"{ENGINE}thread_main"
    true = CallsLock.load(ROOT).facts[address]
    (pair, *_) = sorted(true.before)
    turned = replace(true, before=true.before - {pair} | {(pair[1], pair[0])})
    spoken = {address: (set(true.callees), set(true.lines))}
    (error,), _ = CallsLock(tmp_path, {address: turned}).against(spoken, pins, searched)
    assert error.rule == "calls-changed" and f"{pair[0]} before {pair[1]} now only" in error.found


def test_another_build_may_order_less_but_not_otherwise():
    locked = Facts("n::f", {"g": "call", "h": None}, frozenset({("g", "line 3")}), (3,))
    assert locked.borne_out(replace(locked, callees={"g": "inlined", "h": None}, before=frozenset()))
    assert not locked.borne_out(replace(locked, before=frozenset({("line 3", "g")})))
    assert not locked.borne_out(replace(locked, callees={"g": None, "h": None}))
    assert not locked.borne_out(replace(locked, callees={"g": "call", "h": "call"}))
    assert not locked.borne_out(replace(locked, lines=()))


def test_calls_of_the_cuda_build_are_read_on_it_and_said_elsewhere(pins, searched, tmp_path):
    address = "src:c10/cuda/CUDACachingAllocator.cpp::DeviceCachingAllocator::free_block"
    true = CallsLock.load(ROOT).facts[address]
    wrong = replace(true, callees=dict.fromkeys(true.callees))
    spoken = {address: (set(true.callees), set(true.lines))}
    errors, notes = CallsLock(tmp_path, {address: wrong}).against(spoken, pins, searched)
    if searched.witnesses.cuda:
        assert [error.rule for error in errors] == ["calls-changed"] and not notes
        assert "on the CUDA build" in errors[0].expected
        return
    assert not errors and len(notes) == 1 and "not read" in notes[0]
    with pytest.raises(BookError, match="CPU build") as caught:
        derive(spoken, {address: pins.pin(address)}, searched.witnesses)
    assert caught.value.rule == "witness-cuda"


@pytest.mark.parametrize(
    "text",
    ["[]", "{", '{"release": "1.0", "commit": "", "functions": {}}', '{"functions": 3}'],
)
def test_a_file_that_is_none_of_ours_is_an_error(tmp_path, text):
    (tmp_path / "calls.lock").write_text(text)
    with pytest.raises(BookError) as caught:
        CallsLock.load(tmp_path)
    assert caught.value.rule == "calls-form"


def test_what_is_saved_is_what_is_loaded(tmp_path):
    facts = Facts("n::f", {"g": "call", "h": None}, frozenset({("g", "line 3")}), (3,))
    CallsLock(tmp_path, {"src:a.cpp::f": facts}).save()
    assert CallsLock.load(tmp_path).facts == {"src:a.cpp::f": facts}
    assert [path.name for path in tmp_path.iterdir()] == ["calls.lock"]
