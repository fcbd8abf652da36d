"""The slot of the dispatch table, computed by hand for many sets of keys and held against PyTorch."""

import ctypes
import os
import subprocess
import tempfile
from pathlib import Path

import torch
from torch._C import DispatchKey, DispatchKeySet
from torch.utils.cpp_extension import include_paths

# region table
BACKENDS = torch._C._dispatch_num_backends()
ALL_BACKENDS = (1 << BACKENDS) - 1
# Undefined, which is number 0, has no bit.
FUNCTIONALITIES = torch._C._dispatch_keyset_full().raw_repr().bit_length() - BACKENDS + 1


def number(functionality: str) -> int:
    """The place of a functionality in the enum, which is its bit above the backends, counted from one."""
    return (DispatchKeySet(getattr(DispatchKey, functionality)).raw_repr() >> BACKENDS).bit_length()


PER_BACKEND = {
    number(name)
    for name in ("Dense", "Quantized", "Sparse", "SparseCsr", "NestedTensor", "AutogradFunctionality")
}


def offsets_and_masks() -> list[tuple[int, int]]:
    """Where the slots of each functionality begin, and which backend bits choose among them."""
    table, offset = [], 0
    for functionality in range(FUNCTIONALITIES):
        wide = functionality in PER_BACKEND
        table.append((offset, ALL_BACKENDS if wide else 0))
        offset += BACKENDS if wide else 1
    return table


OFFSETS_AND_MASKS = offsets_and_masks()
# endregion


# region index
def table_index(keys: int) -> int:
    """The slot for a set of keys, given as its 64 bits."""
    functionality = (keys >> BACKENDS).bit_length()
    offset, mask = OFFSETS_AND_MASKS[functionality]
    return offset + ((keys & mask) >> 1).bit_length()


# endregion


# region effective
def not_fallthrough(operator: str) -> int:
    """The keys at which this operator has something to run; a fallthrough is an entry that says: skip me."""
    keys = torch._C._dispatch_keyset_full()
    for line in torch._C._dispatch_dump_table(operator).splitlines():
        key, _, entry = line.partition(": ")
        if entry.startswith("fallthrough"):
            keys = keys.remove(torch._C._dispatch_key_parse(key))
    return keys.raw_repr()


def effective(operator: str, *arguments: torch.Tensor) -> int:
    """The 64 bits by which a call of `operator` with these arguments is dispatched, here and now."""
    keys = 0
    for tensor in arguments:
        keys |= torch._C._dispatch_keys(tensor).raw_repr()
    keys |= torch._C._dispatch_tls_local_include_set().raw_repr()
    excluded = torch._C._dispatch_tls_local_exclude_set().raw_repr()
    keys &= ALL_BACKENDS | ~excluded
    return keys & not_fallthrough(operator)


# endregion


def build(folder: str) -> ctypes.CDLL:
    """Compiles table_index.cpp against the installed PyTorch."""
    here, torch_lib = Path(__file__).parent, Path(torch.__file__).parent / "lib"
    target = Path(folder) / "table_index.so"
    includes = [flag for path in include_paths() for flag in ("-I", path)]
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-shared", "-fPIC", *includes]
    command += [str(here / "table_index.cpp"), f"-L{torch_lib}", f"-Wl,-rpath,{torch_lib}", "-lc10"]
    subprocess.run([*command, "-o", str(target)], check=True)
    return ctypes.CDLL(str(target))


# region compare
def calls() -> list[tuple[str, int]]:
    """A few calls and their effective keys, under the state of the thread in which each would be made."""
    with torch.device("cpu"):
        a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        b = torch.tensor([10.0, 20.0, 30.0])
        matrix = torch.eye(3)
        sparse = matrix.to_sparse()
    meta = torch.ones(3, device="meta")
    below_autograd = torch._C._dispatch_keyset_full_after(DispatchKey.AutogradOther).raw_repr()

    add, in_place, mm = "aten::add.Tensor", "aten::add_.Tensor", "aten::mm"
    found = [
        ("a + b", effective(add, a, b)),
        ("   ... below autograd", effective(add, a, b) & below_autograd),
        ("b.add_(b)", effective(in_place, b, b)),
        ("   ... below autograd", effective(in_place, b, b) & below_autograd),
        ("b + meta", effective(add, b, meta)),
        ("mm(sparse, dense)", effective(mm, sparse, matrix)),
        ("   ... below autograd", effective(mm, sparse, matrix) & below_autograd),
        ("empty(3)", effective("aten::empty.memory_format")),
    ]
    with torch.autocast("cpu"):
        found.append(("autocast: a + b", effective(add, a, b)))
        found.append(("autocast: mm(dense, dense)", effective(mm, matrix, matrix)))
    with torch.no_grad():
        found.append(("no_grad: a + b", effective(add, a, b)))
    with torch.inference_mode():
        found.append(("inference_mode: a + b", effective(add, a, b)))
    return found


with tempfile.TemporaryDirectory() as folder:
    pytorch = build(folder)
    pytorch.table_index.argtypes = [ctypes.c_uint64]

    offset, mask = OFFSETS_AND_MASKS[-1]
    print("slots:", offset + 1, "as compiled:", pytorch.entries())
    for call, keys in calls():
        key = DispatchKeySet.from_raw_repr(keys).highestPriorityTypeId().name
        print(f"{call:26} {keys:#014x} {key:14} {table_index(keys):3} {pytorch.table_index(keys):3}")

    bits = [1 << bit for bit in range(BACKENDS + FUNCTIONALITIES - 1)]
    pairs = [one | other for one in bits for other in bits]
    wrong = [keys for keys in pairs if table_index(keys) != pytorch.table_index(keys)]
    print(len(pairs), "pairs of bits,", len(wrong), "answered differently")
# endregion
