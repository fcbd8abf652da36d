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
    raise NotImplementedError
