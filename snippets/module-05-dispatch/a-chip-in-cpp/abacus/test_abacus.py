"""What must hold of the device. Run `pytest` in this folder."""

import copy
import faulthandler
import io
import itertools
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import abacus
import main
import pytest
import torch
from torch._dynamo import bytecode_transformation, symbolic_convert
from torch._inductor import compile_fx, utils
from torch.utils.checkpoint import checkpoint

initialised = []
abacus._lazy_init = lambda: initialised.append("abacus")


@pytest.mark.parametrize("nbytes", [1, 31, 32, 33, 4097])
def test_every_block_lies_on_a_line(nbytes):
    blocks = [torch.empty(nbytes, dtype=torch.uint8, device="abacus") for _ in range(5)]
    assert [block.data_ptr() % 32 for block in blocks] == [0] * 5
    spans = sorted((block.data_ptr(), block.data_ptr() + nbytes) for block in blocks)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


def test_the_first_factory_calls_the_lazy_initialisation_of_the_module():
    torch.empty(1, device="abacus")
    assert initialised == ["abacus"]


def test_memory_comes_back():
    before = torch.accelerator.memory_allocated()
    tensors = [torch.empty(n, device="abacus") for n in (1, 100, 7)]
    assert torch.accelerator.memory_allocated() - before == 32 + 416 + 32
    del tensors[1], tensors
    assert torch.accelerator.memory_allocated() == before


def test_out_of_memory_is_an_error_of_its_own():
    with pytest.raises(torch.OutOfMemoryError, match="no room"):
        torch.empty(1 << 30, device="abacus")


@pytest.mark.parametrize("shift", range(9))
def test_add_is_right_on_lines_and_off_them(shift):
    x = torch.arange(40.0)
    y = x.to("abacus")
    before = abacus.lines()
    assert (y[shift:] + y[: 40 - shift]).cpu().equal(x[shift:] + x[: 40 - shift])
    assert (abacus.lines() > before) == (shift % 8 == 0)


@pytest.mark.parametrize("other", [torch.ones(3), torch.ones(2, 1), torch.tensor([1, 2, 3]), 2, 0.5])
def test_add_broadcasts_and_promotes(other):
    x = torch.arange(6.0).reshape(2, 3)
    there = other.to("abacus") if isinstance(other, torch.Tensor) else other
    right = torch.add(x, other, alpha=3)
    assert torch.add(x.to("abacus"), there, alpha=3).cpu().equal(right)
    assert torch.add(x.t().to("abacus").t(), there, alpha=3).cpu().equal(right)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float16, torch.float64, torch.complex64])
def test_add_of_another_type(dtype):
    x = torch.arange(5).to(dtype)
    there = x.to("abacus")
    abacus.fallbacks()
    assert (there + there).cpu().equal(x + x)
    assert not abacus.fallbacks(), "the CPU adds, and the fallback is not asked"


@pytest.mark.parametrize("other", [torch.ones(2, device="abacus:1"), torch.ones(2)])
def test_add_refuses_two_devices(other):
    x = torch.ones(2, device="abacus:0")
    with pytest.raises(RuntimeError, match="same device"):
        x + other
    with pytest.raises(RuntimeError, match="same device"):
        torch.add(x, other, out=torch.empty(2, device="abacus:0"))


def test_one_kernel_for_three_operators():
    x = torch.arange(8.0, device="abacus")
    out = torch.empty(0, device="abacus")
    abacus.fallbacks()
    torch.add(x, x, out=out)
    x += x
    assert x.tolist() == out.tolist() == [2 * i for i in range(8)]
    assert not any("add" in name for name in abacus.fallbacks())
    with pytest.raises(RuntimeError, match="Boolean alpha"):
        torch.add(x, x, alpha=True, out=out)


def test_add_to_a_result_of_another_type_is_by_the_rules_of_the_cpu():
    """The sum is made in the operands' type, and only then becomes the result's."""
    x, y = torch.tensor([1 + 1e-9], dtype=torch.float64), torch.tensor([-1.0], dtype=torch.float64)
    right = torch.add(x, y, out=torch.empty(1))
    assert torch.add(x.to("abacus"), y.to("abacus"), out=torch.empty(1, device="abacus")).cpu().equal(right)
    z = torch.ones(1, dtype=torch.complex64).to("abacus")
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.add(z, z, out=torch.empty(1, device="abacus"))


def test_an_operator_of_nothing():
    x = torch.empty(0, 3, device="abacus")
    assert (x + x).t().cpu().shape == (3, 0)
    assert x.untyped_storage().data_ptr() == 0


def test_bits_of_views_are_copied_as_they_are_meant():
    z = torch.tensor([1 + 2j, 3 - 1j])
    there = z.to("abacus")
    assert there.conj().cpu().equal(z.conj())
    assert there.conj().imag.cpu().equal(-z.imag)
    assert (there.conj() + 1).cpu().equal(z.conj() + 1)
    into = torch.empty_like(there)
    into.conj().copy_(z)
    assert into.cpu().equal(z.conj())


def test_a_copy_onto_a_part_of_itself_is_refused():
    x = torch.arange(4.0, device="abacus")
    with pytest.raises(RuntimeError, match="single memory location"):
        x[1:].copy_(x[:-1])
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.add(x[:-1], 1, out=x[1:])


def test_an_overlap_with_gaps_is_let_pass():
    x = torch.arange(8.0, device="abacus")
    x[:6:2].copy_(x[2::2])
    torch.add(x[2::2], 1, out=x[:6:2])


def test_copies_between_all_and_with_strides():
    x = torch.arange(24.0).reshape(2, 3, 4)
    y = x.to("abacus:0").to("abacus:1").transpose(0, 2)
    assert y.device == torch.device("abacus:1")
    assert y.cpu().equal(x.transpose(0, 2))
    y.copy_(torch.arange(2.0))
    assert y.cpu().equal(torch.arange(2.0).expand(4, 3, 2))
    before = abacus.commands()
    assert y.copy_(y) is y and abacus.commands() == before
    assert x.to("abacus", torch.int32).cpu().equal(x.int())
    zeros = torch._efficientzerotensor(1)
    abacus.fallbacks()
    assert y.copy_(zeros).sum() == 0
    assert abacus.fallbacks()["aten::zero_"] == 1
    with pytest.raises(RuntimeError, match="ZeroTensors are immutable"):
        zeros.copy_(y[0, 0, :1])
    y.copy_(torch._efficientzerotensor(1, device="abacus"))  # of the chip: by the fallback, with memory
    assert "aten::zero_" not in abacus.fallbacks()


def test_a_non_blocking_copy_to_the_host_wants_pinned_memory():
    x = torch.ones(2, device="abacus")
    with pytest.raises(NotImplementedError, match="getPinnedMemoryAllocator"):
        x.to("cpu", non_blocking=True)
    assert torch.empty(2).copy_(x, non_blocking=True).tolist() == [1, 1]  # into memory that is not pinned
    assert torch.ones(2).to("abacus", non_blocking=True).tolist() == [1, 1]


def test_views_share_memory():
    x = torch.zeros(4, 4, device="abacus")
    x.view(16)[3] = 1
    x.t()[3, 1] = 2
    x.unfold(0, 2, 2)[1, 1, 1] = 3
    assert x.cpu().nonzero().tolist() == [[0, 3], [1, 3], [3, 1]]
    assert torch.view_as_complex(x.view(4, 2, 2)).data_ptr() == x.data_ptr()


def test_resize_keeps_what_was_there():
    x = torch.arange(3.0, device="abacus")
    assert x.resize_(5)[:3].tolist() == [0, 1, 2]
    x.untyped_storage().resize_(8)
    assert x.untyped_storage().nbytes() == 8
    assert x.resize_(2).tolist() == [0, 1]
    assert torch.arange(8.0, device="abacus")[4:].resize_(10)[:4].tolist() == [4, 5, 6, 7]


def test_the_resize_of_the_cpu_will_do_until_the_storage_must_grow():
    def resize(tensor, size):
        cpu = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
        return torch.ops.aten.resize_.default.redispatch(cpu, tensor, [size])

    x = torch.arange(8.0, device="abacus")
    assert resize(x, 3).tolist() == [0, 1, 2]
    assert resize(x, 8).tolist() == list(range(8))
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        resize(x, 9)  # copies eight elements on the host
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGSEGV


def test_a_lazy_clone_gets_its_memory_on_the_current_device():
    x = torch.arange(2.0, device="abacus:1")
    y = torch._lazy_clone(x)
    assert y.untyped_storage().device.index == 1
    assert y.data_ptr() != x.data_ptr()  # asked for, to write, it is copied
    assert (y.device.index, y.untyped_storage().device.index) == (1, 0)
    assert y.tolist() == [0, 1]


def test_set_shares_memory_and_makes_room():
    x = torch.arange(4.0, device="abacus:1")
    y = torch.empty(0, device="abacus:1").set_(x)
    assert y.data_ptr() == x.data_ptr()
    y.set_(x.untyped_storage(), 2, (100,), (1,))
    assert x.untyped_storage().nbytes() == 102 * 4
    assert y[:2].tolist() == [2, 3]


@pytest.mark.parametrize("index", [-5, 2, 256])
def test_no_such_device(index):
    with pytest.raises(RuntimeError, match=f"device {index} of 2"):
        abacus.set_device(index)


def test_each_thread_has_its_own_device_and_all_share_the_memory():
    def work(index):
        abacus.set_device(index)
        for n in range(1, 200):
            x = torch.empty(n, device="abacus")
            assert x.device.index == index
            assert (x + x).data_ptr() % 32 == 0

    before = torch.accelerator.memory_allocated(0), torch.accelerator.memory_allocated(1)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [0, 1, 0, 1]))
    assert abacus.current_device() == 0
    assert (torch.accelerator.memory_allocated(0), torch.accelerator.memory_allocated(1)) == before


@pytest.mark.filterwarnings("ignore:Warning only once")
def test_the_default_kernel_switches_to_the_device_of_the_result_and_a_direct_call_does_not():
    current = []

    def add_out(a, b, *, alpha=1, out):
        current.append(abacus.current_device())
        return out

    library = torch.library.Library("aten", "IMPL")
    library.impl("add.out", add_out, "PrivateUse1")
    try:
        x = torch.ones(2, device="abacus:1")
        _ = x + x
        x += x
        torch.add(x, x, out=torch.empty(2, device="abacus:1"))
    finally:
        library._destroy()
    assert current == [1, 1, 0]


def test_a_backward_from_device_to_device_wants_events():
    x = torch.ones(2, device="abacus:0", requires_grad=True)
    with pytest.raises(RuntimeError, match="doesn't support events"):
        x.to("abacus:1").sum().backward()


@pytest.mark.parametrize("multithreading", [True, False])
def test_the_node_of_a_copy_to_the_host_runs_on_the_thread_of_the_caller(multithreading):
    there = torch.ones(2, device="abacus", requires_grad=True) * 2
    here = there.cpu()
    ran = []
    for node in here.grad_fn, there.grad_fn:
        node.register_hook(lambda *_: ran.append(threading.get_ident()))
    with torch.autograd.set_multithreading_enabled(multithreading):
        here.sum().backward()
    caller = threading.get_ident()
    assert [thread == caller for thread in ran] == [True, not multithreading]


def test_an_engine_thread_chooses_its_device_before_each_node():
    found = []

    def at_the_end():  # of a backward, on the thread that ran its last node
        found.append((threading.get_ident(), abacus.current_device()))
        abacus.set_device(0)

    x = torch.ones(2, device="abacus:1", requires_grad=True)
    x.register_hook(lambda _: torch.autograd.Variable._execution_engine.queue_callback(at_the_end))
    for _ in range(2):
        (x * 2).sum().backward()
    assert found == [found[0]] * 2
    assert found[0][0] != threading.get_ident()
    assert found[0][1] == 1


def test_deepcopy_and_print():
    x = torch.ones(2, device="abacus:1")
    assert copy.deepcopy(x).device == x.device
    assert repr(x) == "tensor([1., 1.], device='abacus:1')"


def test_training_is_the_same_as_on_the_cpu():
    losses = main.train("abacus")
    assert losses == main.train("cpu")
    assert losses == sorted(losses, reverse=True)


def test_autocast():
    layer = torch.nn.Linear(2, 2).to("abacus")
    with torch.amp.autocast("abacus", dtype=torch.bfloat16):
        y = layer(torch.ones(1, 2, device="abacus"))
    assert y.dtype == torch.bfloat16
    y.sum().backward()
    assert layer.weight.grad.dtype == torch.float32


def test_grad_scaler_skips_a_step_that_overflows():
    layer = torch.nn.Linear(2, 1).to("abacus")
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("abacus", init_scale=1024.0)
    for factor, scale in (1.0, 1024.0), (float("inf"), 512.0):
        start = layer.weight.tolist()
        with torch.amp.autocast("abacus", dtype=torch.float16):
            loss = (layer(torch.ones(3, 2, device="abacus")) * factor).sum()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        assert scaler.get_scale() == scale
        assert (layer.weight.tolist() == start) == (factor != 1.0)


def test_a_file_comes_back_to_its_device():
    file = io.BytesIO()
    torch.save({"x": torch.ones(2, device="abacus:1")}, file)
    file.seek(0)
    assert torch.load(file)["x"].device == torch.device("abacus:1")
    with abacus.device(1):  # a location without a number is the current device
        file.seek(0)
        assert torch.load(file, map_location="abacus")["x"].device == torch.device("abacus:1")


def test_seeds():
    torch.manual_seed(3)
    x = torch.rand(20, device="abacus")
    state = abacus.get_rng_state()
    y = torch.rand(20, device="abacus")
    abacus.set_rng_state(state)
    assert torch.rand(20, device="abacus").tolist() == y.tolist() != x.tolist()
    assert torch.rand(20, device="abacus", dtype=torch.complex64).imag.count_nonzero() > 0
    generator = torch.Generator("abacus:1").manual_seed(3)
    assert generator.clone_state().device == generator.device
    with pytest.raises(RuntimeError, match="generator of the chip"):
        torch.rand(1, device="abacus", generator=torch.Generator("cpu"))


def test_a_generator_of_the_chip_is_asked_for_an_offset():
    generator = torch.Generator("abacus")
    with pytest.raises(SystemError) as error:
        copy.deepcopy(generator)
    assert str(error.value.__cause__) == "CPU Generator does not use offset"
    with pytest.raises(SystemError) as error:
        generator.__setstate__((3, 0, generator.get_state()))
    assert str(error.value.__cause__) == "CPU Generator does not use offset"
    copy.deepcopy(torch.Generator("cpu"))


@pytest.mark.parametrize("use_reentrant", [False, True])
@pytest.mark.parametrize("device", ["abacus", "cpu"])
def test_checkpointing_draws_the_same_numbers_again_for_an_argument_on_the_chip(use_reentrant, device):
    x = torch.ones(20, device=device, requires_grad=True)
    y = checkpoint(lambda x: x * torch.rand(20, device="abacus").to(device), x, use_reentrant=use_reentrant)
    y.sum().backward()
    assert (x.grad.tolist() == y.tolist()) == (device == "abacus")


def test_two_profilers_want_different_things():
    activity = torch.profiler.ProfilerActivity
    with torch.profiler.profile(activities=[activity.CPU, activity.PrivateUse1]) as run:
        pass
    assert run.profiler.profiler_kind.name == "KINETO_PRIVATEUSE1"
    old = torch.autograd.profiler.profile(use_device="abacus")
    assert old.profiler_kind.name == "KINETO_PRIVATEUSE1_FALLBACK"


@pytest.mark.parametrize("name", ["LSTM", "GRU"])
def test_an_rnn_wants_an_operator_that_the_cpu_does_not_have(name):
    rnn = getattr(torch.nn, name)(2, 2).to("abacus")
    match = f"_thnn_fused_{name.lower()}_cell' with arguments from the 'CPU' backend"
    with pytest.raises(NotImplementedError, match=match):
        rnn(torch.ones(1, 1, 2, device="abacus"))


def test_sparse_tensors_have_a_key_of_their_own():
    with pytest.raises(NotImplementedError, match="'Sparseabacus' backend"):
        torch.sparse_coo_tensor([[0]], [1.0], (2,), device="abacus", check_invariants=False)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_copy_from_another_layout_does_not_come_to_copy_from():
    x = torch.ones(2, device="abacus")
    with pytest.raises(RuntimeError, match="copy_mkldnn_"):
        x.copy_(torch.ones(2).to_mkldnn())
    with pytest.raises(NotImplementedError, match="'NestedTensorabacus' backend"):
        x.copy_(torch.nested.nested_tensor([torch.ones(2)]))


def test_inductor_copies_what_was_aligned_when_it_compiled_for_a_gpu(monkeypatch):
    x = torch.ones(17, device="abacus")
    assert compile_fx.get_input_idxs_to_check([x, x[1:]], []) == []
    monkeypatch.setattr(utils, "GPU_TYPES", ["abacus"])
    assert compile_fx.get_input_idxs_to_check([x, x[1:]], []) == [0]


def test_dynamo_has_read_the_bytecode_when_it_asks_for_the_device_and_has_not_stepped(monkeypatch):
    order = []

    def note(owner, name):
        function = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *args: order.append(name) or function(*args))

    note(bytecode_transformation, "cleaned_instructions")
    note(abacus, "is_available")
    note(torch.accelerator, "current_stream")
    note(symbolic_convert.InstructionTranslatorBase, "step")
    torch.compile(lambda x: x + x, backend="eager")(torch.ones(8, device="abacus"))
    assert list(dict.fromkeys(order)) == ["cleaned_instructions", "is_available", "current_stream", "step"]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile(backend):
    f = torch.compile(lambda x: (x + x).relu(), backend=backend, fullgraph=True)
    assert f(torch.ones(8, device="abacus")).tolist() == [2.0] * 8
