"""How two functions are called in a library: one of C++, one of C, each compiled with two strings of C++."""

import os
import subprocess
import tempfile
from pathlib import Path

TEXT = """
#include <string>
void in_cpp(std::string name) {}
extern "C" void in_c(const char* name) {}
"""

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "names.cpp"), Path(folder, "names.o")
        source.write_text(TEXT)
        for abi in 0, 1:
            option = f"-D_GLIBCXX_USE_CXX11_ABI={abi}"
            subprocess.run([os.environ.get("CXX", "g++"), option, "-c", source, "-o", made], check=True)
            table = subprocess.run(["nm", made], check=True, capture_output=True, text=True).stdout
            names = (line.split() for line in table.splitlines())
            print(option, *sorted(name for *_, kind, name in names if kind == "T"))
