"""What the parts of `import torch` cost: processor time and memory, each in processes of their own."""

import json
import subprocess
import sys

ROUNDS = 5

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


def child(code):
    command = [sys.executable, "-c", CHILD.format(code=code)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def measure():
    """Shares of the processor time and of the memory of `import torch`, the least of several rounds."""
    rounds = [{name: child(code) for name, code in PARTS.items()} for _ in range(ROUNDS)]
    time, memory = ({name: min(one[name][what] for one in rounds) for name in PARTS} for what in (0, 1))
    return {
        "extension_time": round(time["extension"] / time["torch"], 2),
        "python_time": round(1 - time["extension"] / time["torch"], 2),
        "optimizer_time": round(time["optimizer"] / time["torch"] - 1, 2),
        "numpy_memory": round(memory["numpy"] / memory["torch"], 2),
        "extension_memory": round(memory["extension"] / memory["torch"], 2),
        "optimizer_memory": round(memory["optimizer"] / memory["torch"] - 1, 2),
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:20} {value}")
