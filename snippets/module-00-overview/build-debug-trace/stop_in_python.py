"""pdb on the running example: what `step` enters, and what it cannot. The commands are written down here."""

import io
import pdb
import sys

import torch
from torch.nn.functional import relu

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0])


# region work
def work():
    c = a + b
    return relu(c)


# endregion


# region session
class Session(pdb.Pdb):
    """pdb that reads its commands from a text and echoes them, as a terminal would show them."""

    def precmd(self, line):
        print(line)
        return line


COMMANDS = "step\np c.tolist(), c.grad_fn.name()\nstep\np inplace\ncontinue\n"
# endregion

if __name__ == "__main__":
    Session(stdin=io.StringIO(COMMANDS), stdout=sys.stdout, readrc=False).runcall(work)
