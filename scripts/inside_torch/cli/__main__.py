"""``python -m inside_torch.cli`` is the program ``inside-torch``."""

from inside_torch.cli import main

main()
