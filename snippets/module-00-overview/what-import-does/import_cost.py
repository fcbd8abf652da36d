"""What the parts of `import torch` cost: processor time and memory, each in processes of their own."""

import json
import statistics
import subprocess
import sys

ROUNDS = 3

# region parts
CHILD = """
import importlib.util, json, sys, time, types

def memory():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS"))

path = importlib.util.find_spec("torch").submodule_search_locations
start, before = time.process_time(), memory()
{code}
print(json.dumps([time.process_time() - start, memory() - before]))
"""
PARTS = {
    "numpy": "import numpy",
    "extension": """import numpy
sys.modules["torch"] = package = types.ModuleType("torch")
package.__path__ = path
import torch._C""",
    "torch": "import torch",
    "optimizer": "import torch; torch.optim.SGD([torch.ones(1)], lr=0.1)",
}
# endregion

# region modules
# The processor time that the file of each module of Python takes by itself, without the files
# and the libraries that it imports.
OWN = """
import json, time
from importlib.machinery import ExtensionFileLoader, SourceFileLoader

def timed(loader, method):
    plain = getattr(loader, method)

    def wrapped(self, module):
        start = time.process_time()
        inner.append(0)
        try:
            return plain(self, module)
        finally:
            took = time.process_time() - start
            mine = took - inner.pop()
            inner[-1] += took
            if loader is SourceFileLoader:
                own[self.name] = mine

    setattr(loader, method, wrapped)

own, inner = {}, [0]
timed(SourceFileLoader, "exec_module")
timed(ExtensionFileLoader, "create_module")  # here the libraries are loaded
timed(ExtensionFileLoader, "exec_module")
import torch
print(json.dumps(own))
"""
REGISTERING = (
    "torch._prims",
    "torch._refs",
    "torch._decomp",
    "torch._meta_registrations",
    "torch._prims_common",
)
# endregion


def child(code):
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def python_shares(own):
    """Of the time of all files of Python: those that register for Python, and the ten dearest together."""
    whole = sum(own.values())
    registering = sum(took for name, took in own.items() if ".".join(name.split(".")[:2]) in REGISTERING)
    dearest = sum(sorted(own.values())[-10:])
    return {"registering_share": registering / whole, "ten_files_share": dearest / whole}


def measure():
    """Shares of the processor time and of the memory of `import torch`, the least of several rounds."""
    rounds = [{name: child(CHILD.format(code=code)) for name, code in PARTS.items()} for _ in range(ROUNDS)]
    shares = [python_shares(child(OWN)) for _ in range(ROUNDS)]
    time, memory = ({name: min(one[name][what] for one in rounds) for name in PARTS} for what in (0, 1))
    return {
        "extension_time": round(time["extension"] / time["torch"], 2),
        "python_time": round(1 - time["extension"] / time["torch"], 2),
        "optimizer_time": round(time["optimizer"] / time["torch"] - 1, 2),
        **{name: round(statistics.median(one[name] for one in shares), 2) for name in shares[0]},
        "numpy_memory": round(memory["numpy"] / memory["torch"], 2),
        "extension_memory": round(memory["extension"] / memory["torch"], 2),
        "optimizer_memory": round(memory["optimizer"] / memory["torch"] - 1, 2),
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:20} {value}")
