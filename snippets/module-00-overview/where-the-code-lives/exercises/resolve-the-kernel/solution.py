"""From an operator's name to the C++ function that its CPU kernel is, from native_functions.yaml alone."""

from pathlib import Path

import torchgen
import yaml

YAML = Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"

#: Where a call on a CPU tensor looks for a kernel, best first.
KEYS = (
    "CPU",
    "CompositeExplicitAutogradNonFunctional",
    "CompositeExplicitAutograd",
    "CompositeImplicitAutograd",
)


def entries():
    """The entries by operator name: ``add.Tensor``, ``layer_norm``."""
    loaded = yaml.load(YAML.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return {entry["func"].partition("(")[0]: entry for entry in loaded}


def kernels(entry):
    """The ``dispatch`` of an entry, a key each: ``{"CPU, MPS": "roll"}`` becomes two."""
    return {
        key.strip(): kernel for keys, kernel in entry.get("dispatch", {}).items() for key in keys.split(",")
    }


def resolve(operator, entries):
    """The key under which the CPU finds its kernel, and the kernel below ``at::native::``.

    ``("CPU", "structured_ufunc_add_CPU::impl")`` for ``add.Tensor``,
    ``("CompositeImplicitAutograd", "layer_norm_symint")`` for ``layer_norm``.
    Raises LookupError where no key of KEYS has one.
    """
    entry = entries[operator]
    if "CPU" in kernels(entry) and not entry.get("structured"):
        return "CPU", kernels(entry)["CPU"]
    delegate = entry.get("structured_delegate") or (operator if entry.get("structured") else None)
    if delegate:
        out = entries[delegate]
        if "CPU" in kernels(out):
            return "CPU", f"structured_{kernels(out)['CPU']}::impl"
        if "ufunc_inner_loop" in out:
            return "CPU", f"structured_ufunc_{delegate.partition('.')[0]}_CPU::impl"
    for key in KEYS:
        if key in kernels(entry):
            return key, kernels(entry)[key]
    if "dispatch" not in entry and not delegate:  # the default that an entry need not spell out
        base = operator.partition(".")[0]
        return "CompositeImplicitAutograd", base + ("_out" if is_out(entry) else "")
    raise LookupError(operator)


def is_out(entry):
    """Whether the schema writes to arguments that the caller gives by name: ``*, Tensor(a!) out``."""
    arguments = entry["func"].partition(" -> ")[0]
    return "!" in arguments.partition("*, ")[2]
