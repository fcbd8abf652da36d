"""Run the whole of torchgen from the wheel, and ask the dispatcher whether the build compiled the same files.

For each kernel the dispatcher remembers a file and a line: where the block begins that registered it. Most of
these files were written at build time and stand in no repository; here they are written again.
"""

import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import torchgen

# region generate
TEMPLATES = Path(torchgen.__file__).parent / "packaged/ATen"


def generate(folder):
    """The .cpp files of torchgen for this release, all of them into a folder."""
    options = ["--source-path", TEMPLATES, "--install-dir", folder, "--per-operator-headers"]
    command = [sys.executable, "-m", "torchgen.gen", *options, "--generate", "sources"]
    # The shims of AOTInductor go below the working directory, whatever the options say.
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


# endregion


# region compare
PLACE = re.compile(r"registered at \S*build/aten/src/ATen/(Register(?:CPU|Composite\w+|Meta)_\d+\.cpp):(\d+)")


def registrations():
    """Operator, generated file and line of the block, for each kernel that such a file has registered."""
    for operator in torch._C._dispatch_get_all_op_names():
        if operator.startswith("aten::"):
            for file, line in PLACE.findall(torch._C._dispatch_dump(operator)):
                yield operator.removeprefix("aten::"), file, int(line)


def registers(lines, number, operator):
    """Whether the block that begins at that line registers the operator."""
    block = lines[number - 1 : lines.index("}", number)]
    return block[0].startswith("TORCH_LIBRARY_IMPL(aten,") and any(f'"{operator}"' in line for line in block)


# endregion

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        generate(folder)
        files = {path.name: path.read_text().splitlines() for path in Path(folder).glob("*.cpp")}
    agree, all_of, blocks = collections.Counter(), collections.Counter(), collections.defaultdict(set)
    for operator, file, line in registrations():
        kind = re.sub(r"_\d+", "_N", file)
        all_of[kind] += 1
        blocks[kind].add((file, line))
        agree[kind] += registers(files[file], line, operator)
        if operator == "add.Tensor" and "CPU" in file:
            print(f"{file}:{line}", *files[file][line - 1 : line + 1], sep="\n    ")
    for kind, count in sorted(all_of.items()):
        found = f"{agree[kind]} at their lines of the files written now"
        print(f"{kind}: {count} registrations in {len(blocks[kind])} blocks, {found}")
