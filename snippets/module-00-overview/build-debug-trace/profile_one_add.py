"""The profiler on the running example: what it records, what lies in what. `path()` is one profiled call."""

import json
import tempfile
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, record_function

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0])


def add():
    return a + b


def path():
    with profile(activities=[ProfilerActivity.CPU]):
        return add()


# region inside
def inside(event):
    """The events that an event lies in, innermost first."""
    while (event := event.cpu_parent) is not None:
        yield event


# endregion


if __name__ == "__main__":
    path()

    # region record
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as session:
        with record_function("the book's addition"):
            c = add()
        c.backward(b)
    # endregion
    for event in session.events():
        print("  " * len(list(inside(event))) + event.name, [shape for shape in event.input_shapes if shape])

    # region trace
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "trace.json")
        session.export_chrome_trace(str(file))
        events = json.loads(file.read_text())["traceEvents"]
    print("kinds of events in the trace:", *sorted({event["cat"] for event in events if "cat" in event}))
    # endregion

    # region stack
    with profile(activities=[ProfilerActivity.CPU], with_stack=True) as session:
        add()
    (addition,) = (event for event in session.events() if event.name == "aten::add")
    print("aten::add lies in:", *(outer.name.split("/")[-1] for outer in list(inside(addition))[:2]))
    # endregion
