"""A package that has its weights beside the library, and all of them."""

import os
import resource
import signal
import sys
import zipfile
from pathlib import Path

import torch
from torch.export.pt2_archive._package import load_pt2

sys.path.insert(0, str(Path(__file__).parent))
from packaged import Scores, inputs, package

# region settings
SETTINGS = {
    "aot_inductor.package_constants_in_so": False,
    "aot_inductor.package_constants_on_disk_format": "pickle_weights",
    "always_keep_tensor_constants": True,
}


# endregion


# region child
def in_a_child(run: object) -> str:
    """How a forked process ends that runs this."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        run()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "well"


# endregion


# region show
def show() -> None:
    """What is in both packages, and what the second one does with weights and without."""
    for path in package(), package(SETTINGS):
        with zipfile.ZipFile(path) as archive:
            print([name.rpartition("/")[2] for name in archive.namelist() if "/weight" in name])
    model = torch._inductor.aoti_load_package(package(SETTINGS))
    print("its constants:", sorted(model.get_constant_fqns()))
    print("without weights it ends:", in_a_child(lambda: model(*inputs())))
    model.load_constants(Scores().state_dict(), check_full_update=True)
    print("with a state_dict:", model(*inputs()).tolist())
    loaded = load_pt2(package(SETTINGS), load_weights_from_disk=True).aoti_runners["model"]
    print("with those in the package:", loaded(*inputs()).tolist())


# endregion

if __name__ == "__main__":
    with torch._inductor.config.patch(
        "cpp.vec_isa_ok", False
    ):  # what loading asks, no compiler has to answer
        show()
