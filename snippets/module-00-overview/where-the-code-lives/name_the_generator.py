"""From the shape of a name to the files that such names were compiled from, for every symbol of the build.

A row is held against all symbols of its shape, and prints no more than a dozen files. `_N` stands for the
number of a shard: many of the generated files are split.
"""

import re
import textwrap
from collections import Counter

from which_file import symbols

# region rows
ANONYMOUS = r"(?:\(anonymous namespace\)::)+"
ROWS = {
    "THPVariable_<name>": r"torch::autograd::THPVariable_\w+\(",
    "THP<Name>Backward<n>_<field>_getter": r"torch::autograd::generated::THP\w+Backward\d\w*_getter\(",
    "at::_ops::<name>_<overload>::call": r"at::_ops::\w+::(?:call|redispatch)\(",
    "wrapper_<Key>_<overload>_<name>": rf"at::{ANONYMOUS}wrapper_(?:CPU|Composite\w+|Meta)_\w+\(",
    "structured_<kernel>_functional": rf"at::{ANONYMOUS}structured_\w+_(?:functional|inplace|out)::",
    "VariableType::<name>_<overload>": rf"torch::autograd::VariableType::{ANONYMOUS}\w+\(",
    "ADInplaceOrView::<name>_<overload>": rf"torch::ADInplaceOrView::{ANONYMOUS}\w+\(",
    "TraceType::<name>_<overload>": rf"torch::TraceType::{ANONYMOUS}\w+\(",
    "<Name>Backward<n>::apply": r"torch::autograd::generated::\w+Backward\d\w*::apply\(",
    "functionalization::<name>_<overload>": r"at::functionalization::\w+\(",
    "structured_ufunc_<name>_CPU::impl": r"at::native::structured_ufunc_\w+::impl\(",
    "<name>_<overload>_out, from autogen": r"at::native::(?:add_Scalar|roll|native_layer_norm)_out\w*\(",
    "aoti_torch_cpu_<name>": r"aoti_torch_cpu_\w+",
    "structured_<kernel>::impl": r"at::native::structured_(?!ufunc_)\w+::impl\(",
    "structured_<name>_<overload>::meta": r"at::meta::structured_\w+::meta\(",
    "<name>_stub's kernel": rf"at::native::{ANONYMOUS}(?:add|mul)_kernel\(",
}
# endregion

MOST = 12


def sources(table, pattern):
    """The files of all symbols of a shape, most frequent first, shards as one."""
    files = Counter()
    for name, units in table.items():
        if re.match(pattern, name):
            files.update({re.sub(r"_\d+\.cpp", "_N.cpp", unit) for unit in units})
    return [file for file, _ in files.most_common()]


if __name__ == "__main__":
    any_row = re.compile("|".join(ROWS.values()))  # most names have no such shape: one look at each of those
    tables = [
        {name: units for name, units in symbols(library).items() if any_row.match(name)}
        for library in ("libtorch_python.so", "libtorch_cpu.so")
    ]
    for shape, pattern in ROWS.items():
        print(shape)
        files = [file for table in tables for file in sources(table, pattern)]
        more = f", and {len(files) - MOST} more" * (len(files) > MOST)
        text = ", ".join(files[:MOST]) + more
        print(textwrap.indent(textwrap.fill(text, 90, break_on_hyphens=False), "    "))
