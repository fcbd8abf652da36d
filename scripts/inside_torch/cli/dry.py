"""The verb dry: a program of a reader's, run on a GPU that computes nothing."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from inside_torch.cli import ROOT
from inside_torch.dry import cuda_build
from inside_torch.dry.answers import compiled
from inside_torch.dry.cuda_build import CudaBuild
from inside_torch.dry.dry_run import REFUSED, DryGpu, run_dry
from inside_torch.dry.launch_log import FILLS, LAUNCHES, WAITS, LaunchLog, human
from inside_torch.dry.timeline import listing
from inside_torch.dry.timeline import timeline as drawn
from inside_torch.errors import BookError, counted
from inside_torch.files import write_whole

out = Console(highlight=False, soft_wrap=True, markup=False)
UNITS = {"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
DEVICES = 16
#: What cuDNN wants for these is told by the real library alone, whose ``cudnnCreate`` fails without a device.
TOO_LOW = """\
The memory below is too low: the program called cuDNN's recurrent networks. Their workspace, and what they
keep of a forward for the backward, count as nothing here."""


def dry(
    program: Annotated[Path, typer.Argument(help="A program in Python.")],
    arguments: Annotated[list[str] | None, typer.Argument(help="What the program is given.")] = None,
    devices: Annotated[int, typer.Option(help="How many GPUs there are, up to 16.")] = 1,
    memory: Annotated[str, typer.Option(help="The memory of each: 24GB, 512MB, or bytes.")] = "24GB",
    values: Annotated[
        str,
        typer.Option(
            help="A value that a kernel would compute is an error (refuse), or read as zeros (zeros)."
        ),
    ] = "refuse",
    log: Annotated[Path | None, typer.Option(help="Where to keep the log, a JSON object a line.")] = None,
    timeline: Annotated[
        Path | None,
        typer.Option(
            help="Where to draw the calls in their order: a file that ends in .svg, or in .md for a table.",
            metavar="FILE.svg",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every kernel, not the 20 launched most.")] = False,
) -> None:
    """Run a program on a GPU that computes nothing, and print what it asked of the device.

    torch's CUDA build runs with a library in the place of NVIDIA's: no GPU is needed. The program's status is
    that of this command. What comes after the program's name goes to the program.

    Examples:

      inside-torch dry train.py

      inside-torch dry --memory 8GB --devices 2 train.py --epochs 1

      inside-torch dry --timeline train.svg train.py
    """
    if not program.is_file():
        raise BookError("dry-program", "no such program", "a file in Python", file=program)
    if values not in ("refuse", "zeros"):
        raise BookError("dry-values", f"--values {values}", "refuse, zeros")
    if not 0 <= devices <= DEVICES:
        raise BookError("dry-devices", f"--devices {devices}", f"0 to {DEVICES}")
    if log is not None and (log.is_dir() or not log.absolute().parent.is_dir()):
        raise BookError(
            "dry-log", "the log cannot be written there", "a file in a folder that is there", file=log
        )
    if timeline is not None:
        drawable(timeline)
    gpu = DryGpu(devices, size(memory), values)
    build = cuda_build.find(ROOT)
    compiled(build)
    out.print(head(build, gpu))
    out.rule(program.name)
    with tempfile.TemporaryDirectory() as folder:
        file = log.resolve() if log else Path(folder) / "log"
        for before in (file, Path(f"{file}.stacks")):
            before.unlink(missing_ok=True)
        status = run_dry(build, program, tuple(arguments or ()), gpu=gpu, log=file).returncode
        done = LaunchLog.load(file)
    out.rule(f"what {program.name} asked of the device")
    show(done, gpu, program, every)
    if timeline is not None:
        table = timeline.suffix == ".md"
        write_whole(timeline, listing(done, program) if table else drawn(done, gpu.memory, program))
        out.print(f"\nThe calls in their order are {'listed' if table else 'drawn'} in {timeline}")
    if status:
        reason = ": it called what is not answered" if status == REFUSED else ""
        out.print(
            f"The program ended with status {status}{reason}. The tables hold what it had asked until then."
        )
    sys.exit(status)


def drawable(file: Path) -> None:
    """Refuse a place for the picture before the program is run, which may take long."""
    folder = file.absolute().parent
    if (
        file.suffix not in (".svg", ".md")
        or file.is_dir()
        or not folder.is_dir()
        or not os.access(folder, os.W_OK)
    ):
        raise BookError(
            "dry-timeline",
            "the picture cannot be written there",
            "a file that ends in .svg or .md, in a folder that is there and can be written",
            file=file,
        )


def size(text: str) -> int:
    """A number of bytes, with a unit or without: ``24GB`` is 24 times 2 to the power of 30."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMG]i?B|)", text, re.IGNORECASE)
    if found is None or not float(found[1]):
        raise BookError("dry-memory", f"--memory {text}", "24GB, 512MB, or a number of bytes")
    return int(float(found[1]) * UNITS[found[2].upper().replace("I", "")])


def head(build: CudaBuild, gpu: DryGpu) -> str:
    """What is run on, and what may be concluded from it."""
    reading = "reading one is an error" if gpu.values == "refuse" else "they are read as zeros, times as 1 ms"
    gpus = f"{counted(gpu.devices, 'device')} of {human(gpu.memory)}"
    return f"""\
Run on a GPU that computes nothing: torch {build.release} for CUDA {build.cuda}, {gpus}.
Real: what torch does on the host: allocations, copies, launches, streams, waits, errors, and their order.
Not real: values that a kernel would compute ({reading}), time, and what the driver
and NVIDIA's libraries do by themselves: their own memory (some hundred MB of a GPU's), workspaces, kernels.
It says that it is of compute capability 9.0, and torch chooses kernels by that; occupancy is made up."""


def show(log: LaunchLog, gpu: DryGpu, program: Path, every: bool) -> None:
    """Print the tables of a run; first of all in what its numbers are too low."""
    if any(call["operation"].startswith("rnn ") for call in log.cudnn):
        out.print(TOO_LOW)
    facts = rows(log, gpu, program)
    width = max(len(name) for name, _ in facts) + 2
    for name, text in facts:
        out.print(f"{name:<{width}}" + text.replace("\n", "\n" + " " * width))
    kernels = log.kernels.most_common(None if every else 20)
    if kernels:
        out.print("\ncount  kernel")
    for name, count in kernels:
        out.print(f"{count:5}  {name}")
    if left := len(log.kernels) - len(kernels):
        out.print(f"       … and {left} more (--all)")


def rows(log: LaunchLog, gpu: DryGpu, program: Path) -> list[tuple[str, str]]:
    """The facts of a run, each with its name."""
    found = []
    taken = [call for call in log.calls if "ok" in call and "used" in call]
    refused = sum(not call["ok"] for call in taken)
    for device, peak in sorted(log.peaks.items()):
        text = f"{human(peak)} of {human(gpu.memory)} at most"
        torch_peaks = [call for call in log.of({"peak"}) if call["device"] == device]
        for said in torch_peaks[:1]:
            text += f"; in tensors {human(said['allocated'])}"
        found.append((f"memory of device {device}", text))
    if taken:
        text = f"{counted(len(taken), 'time')}, by " + by_call(taken)
        found.append(
            ("memory was asked for", text + (f"; {refused} refused: out of memory" if refused else ""))
        )
    copied = [f"{way} {count} ({human(total)})" for way, (count, total) in log.copied.items()]
    found.append(("copies", ", ".join(copied) or "none"))
    if fills := log.of(FILLS):
        found.append(("fills", f"{len(fills)} ({human(sum(call['bytes'] for call in fills))})"))
    launches, operations, all_kernels = len(log.of(LAUNCHES)), len(log.cudnn), sum(log.kernels.values())
    text = f"{launches} launched by torch, {all_kernels - launches - operations} products asked of cuBLAS"
    if operations:
        text += f", {counted(operations, 'operation')} of cuDNN"
    if graphs := log.of({"cudaGraphLaunch"}):
        text += f", {sum(call['kernels'] for call in graphs)} in {counted(len(graphs), 'launch of a graph')}"
    found.append(("kernels", text))
    streams = {(call["device"], call["stream"]) for call in log.calls if call["call"] in LAUNCHES}
    found.append(("streams that kernels ran on", str(len(streams))))
    found.append(("the host waited", places(log, log.of(WAITS), program)))
    if unknown := log.read_unknown:
        how = "refused" if gpu.values == "refuse" else "given as zeros"
        found.append((f"values not computed, {how}", places(log, unknown, program)))
    return found


def by_call(calls: list[dict[str, Any]]) -> str:
    """``5 cudaMalloc, 1 cuMemCreate``."""
    return ", ".join(f"{count} {name}" for name, count in Counter(call["call"] for call in calls).items())


def places(log: LaunchLog, calls: list[dict[str, Any]], program: Path) -> str:
    """How often, and at which lines of the program."""
    if not calls:
        return "never"
    lines = [f"{count} at {place} ({name})" for (name, place), count in log.places(calls, program).items()]
    return "\n".join([counted(len(calls), "time"), *lines])


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command(context_settings={"allow_interspersed_args": False})(dry)
