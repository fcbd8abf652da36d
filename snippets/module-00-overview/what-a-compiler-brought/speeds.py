"""Inference and training of three small models, each way of running them timed against eager."""

import copy
import tempfile
import warnings
from pathlib import Path
from time import process_time

import torch
from torch import nn

ROUNDS = 13  # in each round every way is timed once, in turn
ROUND_SECONDS = 0.03  # about as long as eager is given in a round
PROFILES = 3

# Operators that a library or a kernel written by hand does, compiled or not.
ATTENTION = "aten::_scaled_dot_product_flash_attention_for_cpu"
CONVOLUTION = {"aten::mkldnn_convolution", "aten::mkldnn_convolution_backward", "aten::convolution_backward"}
LIBRARY = {"aten::mm", "aten::addmm", "aten::bmm", ATTENTION, f"{ATTENTION}_backward"} | CONVOLUTION


# region models
def mlp():
    """Three linear layers on a batch of 32."""
    layers = [nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)]
    return nn.Sequential(*layers), torch.randn(32, 64)


def cnn():
    """Two blocks of convolution, batch norm, ReLU and pooling, on 16 images of 28 by 28."""
    blocks = []
    for inputs, outputs in ((1, 16), (16, 32)):
        convolution = nn.Conv2d(inputs, outputs, 3, padding=1)
        blocks += [convolution, nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*blocks, nn.Flatten(), nn.Linear(32 * 7 * 7, 10)), torch.randn(16, 1, 28, 28)


def transformer():
    """Two encoder layers of width 64 on 8 sequences of 32; a stand-in for a Transformer of our own."""
    layers = [nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True) for _ in range(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(32 * 64, 10)), torch.randn(8, 32, 64)


# endregion


# region ways
def package(model, x):
    """The model exported and compiled ahead of time, loaded back from its file."""
    with tempfile.TemporaryDirectory() as folder:
        program = torch.export.export(model, (x,))
        return torch._inductor.aoti_load_package(
            torch._inductor.aoti_compile_and_package(program, package_path=str(Path(folder) / "model.pt2"))
        )


def channels_last(model):
    """The same model with the weights of its convolutions laid out channels last; its images follow them."""
    return model.to(memory_format=torch.channels_last)


INFERENCE = {
    "eager": lambda model, x: model,
    "compile": lambda model, x: torch.compile(model),
    "reduce_overhead": lambda model, x: torch.compile(model, mode="reduce-overhead"),
    "max_autotune": lambda model, x: torch.compile(model, mode="max-autotune"),
    "script": lambda model, x: torch.jit.script(model),
    "trace_freeze": lambda model, x: torch.jit.freeze(torch.jit.trace(model, (x,))),
    "package": package,
}
TRAINING = {way: INFERENCE[way] for way in ("eager", "compile", "script")}
LAYOUT = {  # for the model that has convolutions
    "channels_last": lambda model, x: channels_last(model),
    "channels_last_compile": lambda model, x: torch.compile(channels_last(model)),
    "compile_no_layout": lambda model, x: torch.compile(model, options={"layout_optimization": False}),
}
# endregion


def inference_call(way, model, x):
    """A function that runs the model once."""
    with torch.no_grad():  # tracers see the mode too, and take the branch that belongs to it
        run = way(copy.deepcopy(model).eval(), x)

    def call():
        with torch.no_grad():
            run(x)

    return call


def training_call(way, model, x):
    """A function that takes one step: forward, loss, backward, update."""
    model = copy.deepcopy(model).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    run, target = way(model, x), torch.zeros(len(x), dtype=torch.long)

    def call():
        optimizer.zero_grad()
        nn.functional.cross_entropy(run(x), target).backward()
        optimizer.step()

    return call


# region timing
def seconds(call, times):
    """Seconds of the processor that so many calls take: what other programs do meanwhile does not count."""
    start = process_time()
    for _ in range(times):
        call()
    return process_time() - start


def ratios(calls):
    """Eager's best time over that of each way, from rounds in which the ways take turns."""
    for call in calls.values():
        seconds(call, 10)  # compiles, profiles, and settles whatever settles
    times = max(1, round(ROUND_SECONDS * 10 / seconds(calls["eager"], 10)))
    rounds = [{way: seconds(call, times) for way, call in calls.items()} for _ in range(ROUNDS)]
    best = {way: min(each[way] for each in rounds) for way in calls}
    return {way: round(best["eager"] / best[way], 2) for way in calls if way != "eager"}


def library_share(call):
    """The share of a call that is spent in products of matrices, convolutions and attention."""

    def split():
        with torch.profiler.profile() as profile:
            seconds(call, 10)
        spent = {event.key: event.self_cpu_time_total for event in profile.key_averages()}
        return sum(spent.values()), sum(time for name, time in spent.items() if name in LIBRARY)

    total, library = min(split() for _ in range(PROFILES))
    return library / total


# endregion


def measure():
    """Speeds relative to eager, on one thread: above one is faster. And who works in a training step."""
    warnings.simplefilter("ignore", DeprecationWarning)
    torch.set_num_threads(1)
    values = {}
    for make in (mlp, cnn, transformer):
        model, x = make()
        layout = LAYOUT if make is cnn else {}
        for phase, ways, call in (("infer", INFERENCE, inference_call), ("train", TRAINING, training_call)):
            calls = {name: call(way, model, x) for name, way in (ways | layout).items()}
            found = ratios(calls)
            if phase == "train":
                found["library_percent"] = round(100 * library_share(calls["eager"]))
            values |= {f"{make.__name__}_{phase}_{name}": value for name, value in found.items()}
            torch._dynamo.reset()
    return values


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:32} {value:5.2f}")
