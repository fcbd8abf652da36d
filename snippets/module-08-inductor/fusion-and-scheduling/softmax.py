"""The scheduler at work on a softmax along the rows."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))
from scheduled import Scheduled, scheduled

x = torch.ones(32, 32)
scheduled(torch.sin, x)  # what is imported and made once is not to be in the path


# region path
def path() -> Scheduled:
    """Four nodes, which become one."""
    return scheduled(lambda x: x.softmax(1), x)


# endregion

if __name__ == "__main__":
    run = path()
    for node in run.before:
        print(node.name, "kept and reduced:", *node.loops)
    for pair in run.fused:
        print("fused", *pair)
    print(*run.after, *run.kinds)
