"""What this article says of all messages, of what took RPC's place, and of graphs that are cut."""

import ast
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torch
from cut import PLACES, both, run
from hypothesis import strategies as st
from inside_torch.claims import cases, counted
from workers import processes

TORCH = Path(torch.__file__).parent


def message_types() -> dict[str, int]:
    """The enumerators of `MessageType`, by the header, with their values."""
    text = (TORCH / "include/torch/csrc/distributed/rpc/message.h").read_text("utf-8")
    body = text.split("enum MessageType {")[1].split("};")[0]
    lines = " ".join(line.split("//")[0] for line in body.splitlines())
    flags = {"REQUEST_TYPE": 0x100, "RESPONSE_TYPE": 0x200}
    found = {}
    for entry in lines.split(","):
        if entry.strip():
            name, value = (part.strip() for part in entry.split("="))
            number, _, flag = value.partition("|")
            found[name] = int(number, 16) | flags.get(flag.strip().removeprefix("MessageTypeFlags::"), 0)
    return found


@counted(message_types, planted=0x3C, minimum=25, exceptions="it stands for no message that is sent")
def request_or_response(value: int) -> bool:
    """A type of message is either a request or a response, by a bit of its number."""
    return bool(value & 0x100) != bool(value & 0x200)


def files_of_the_successors() -> dict[str, Path]:
    """The files of DDP, FSDP, DTensor and pipelining."""
    files = [TORCH / "nn/parallel/distributed.py"]
    for folder in "fsdp", "tensor", "pipelining":
        files += (TORCH / "distributed" / folder).rglob("*.py")
    return {str(file.relative_to(TORCH.parent)): file for file in sorted(files)}


def optimizer_file() -> Path:
    return TORCH / "distributed/optim/optimizer.py"


@counted(
    files_of_the_successors,
    planted=optimizer_file,
    minimum=80,
    exceptions="it imports `RRef` for outputs that are one",
)
def imports_no_rpc(file: Path) -> bool:
    """A file of DDP, FSDP, DTensor or pipelining imports nothing of `torch.distributed.rpc` directly."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        if any("rpc" in name.split(".") for name in names):
            return False
    return True


def graphs():
    """Steps, each with where it is done, what is done, and the numbers of two earlier values."""
    number = st.integers(0, 20)
    one = st.tuples(st.sampled_from(PLACES), st.sampled_from(["add", "sub", "mul"]), number, number)
    return st.lists(one, min_size=1, max_size=6)


def cut_graphs():
    """Two hundred graphs, all of them run by the same three processes."""
    made = cases(graphs(), count=200)()
    found = processes(
        {
            "trainer": lambda: {name: both(steps) for name, steps in made.items()},
            "server": None,
            "other": None,
        }
    )
    return found["trainer"]


def without_a_context():
    def work():
        steps = [("server", "mul", 0, 1)]
        leaves, loss = run(steps, cut=True)
        loss.backward()
        ours = [leaf.grad for leaf in leaves]
        leaves, loss = run(steps, cut=False)
        return ours, list(torch.autograd.grad(loss, leaves))

    return processes({"trainer": work, "server": None, "other": None})["trainer"]


@counted(cut_graphs, planted=without_a_context, minimum=200)
def cut_or_whole(gradients) -> bool:
    """A graph that is cut between three processes gives the gradients that it gives in one."""
    ours, whole = gradients
    return all(torch.allclose(a, b, rtol=1e-12, atol=0) for a, b in zip(ours, whole, strict=True))
