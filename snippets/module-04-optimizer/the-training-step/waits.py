"""Which updates need a number from the GPU before they can go on."""

import torch
from inside_torch.dry import is_dry
from torch import nn


# region asks
def fetches(work) -> bool:
    """Whether the host reads what a kernel computes: the dry GPU refuses it, a profiler shows it."""
    torch.cuda.synchronize()
    if is_dry():
        try:
            work()
        except torch.AcceleratorError as error:
            assert "that a kernel has written" in str(error)
            return True
        return False
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
        torch.cuda.synchronize()
    return any("DtoH" in event.name for event in profile.events())


def one_update(kind: type, options: dict[str, bool], scaled: bool, log: str) -> bool:
    """Whether an update of 8 weights, which are clipped too, fetches a number."""
    weights = [nn.Parameter(torch.ones(16, device="cuda")) for _ in range(8)]
    optimizer = kind(weights, **options)
    scaler = torch.amp.GradScaler("cuda", enabled=scaled)
    scaler.scale(torch.stack([weight.sum() for weight in weights]).sum()).backward()

    def update() -> None:
        scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(weights, 1.0, error_if_nonfinite=log == "error_if_nonfinite")
        scaler.step(optimizer)
        scaler.update()
        if log == "norm":
            norm.item()
        elif log == "scale":
            scaler.get_scale()

    return fetches(update)


# endregion


def main() -> None:
    for name, options in {"foreach": {"foreach": True}, "fused": {"fused": True}}.items():
        for scaled in False, True:
            for log in "nothing", "norm", "scale", "error_if_nonfinite":
                answer = "fetches" if one_update(torch.optim.Adam, options, scaled, log) else "goes on"
                print(f"{name:8}{'scaled' if scaled else 'as it is':10}{log:20}{answer}")
    answer = "fetches" if one_update(torch.optim.ASGD, {}, False, "nothing") else "goes on"
    print(f"{'ASGD':8}{'as it is':10}{'nothing':20}{answer}")


if __name__ == "__main__":
    main()
