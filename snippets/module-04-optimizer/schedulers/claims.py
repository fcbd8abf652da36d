"""What this article says of all schedulers, counted."""

import io
import math
import warnings
from collections.abc import Callable
from functools import partial
from inspect import signature

import torch
from every_scheduler import ARGUMENTS, LOSSES, PANELS, make
from inside_torch.claims import counted, subclasses
from torch import nn
from torch.optim import Optimizer
from torch.optim import lr_scheduler as schedulers
from torch.optim.lr_scheduler import LRScheduler
from torch.optim.swa_utils import SWALR

warnings.simplefilter("ignore")

Make = Callable[..., LRScheduler]
PLACES = range(1, 30)
AFTER = 8


def every_class() -> list[str]:
    """The classes below LRScheduler that torch defines, but for the base class's old name."""
    found = subclasses(LRScheduler, "torch.optim.swa_utils")
    names = [name.rpartition(".")[2] for name in found if name.startswith("torch.")]
    return [name for name in names if name != "_LRScheduler"]


def every_scheduler() -> dict[str, Make]:
    """Each class, made as the program makes it."""
    return {name: partial(make, name) for name in every_class()}


def with_last_epoch() -> dict[str, Make]:
    """Those that the program makes by themselves, and whose constructor takes `last_epoch`."""
    kinds = {name: SWALR if name == "SWALR" else getattr(schedulers, name) for name in ARGUMENTS}
    return {
        name: partial(make, name)
        for name, kind in kinds.items()
        if "last_epoch" in signature(kind).parameters
    }


def with_a_closed_form() -> dict[str, Make]:
    """Those whose class has `_get_closed_form_lr`."""
    return {
        name: made
        for name, made in every_scheduler().items()
        if hasattr(made(an_optimizer()), "_get_closed_form_lr")
    }


def an_optimizer(groups: int = 1, rate: float | torch.Tensor = 1.0) -> Optimizer:
    own = [{"params": [nn.Parameter(torch.ones(1, device="cpu"))]} for _ in range(groups)]
    if isinstance(rate, torch.Tensor):
        own = [{**group, "lr": rate.clone()} for group in own]
    return torch.optim.SGD(own, lr=rate, momentum=0.9, foreach=False)


def turn(scheduler: LRScheduler, step: int) -> None:
    """One step of the scheduler, by the loss of the optimizer's step before it where it wants one."""
    if isinstance(scheduler, schedulers.ReduceLROnPlateau):
        scheduler.step(LOSSES[step])
    else:
        scheduler.step()


def rates(optimizer: Optimizer, scheduler: LRScheduler, first: int, steps: int) -> list[float]:
    used = []
    for step in range(first, first + steps):
        used.append(float(optimizer.param_groups[0]["lr"]))
        optimizer.step()
        turn(scheduler, step)
    return used


def same(left: list[float], right: list[float]) -> bool:
    return all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for a, b in zip(left, right, strict=True))


def interrupted(make: Make, place: int) -> tuple[dict, dict, list[float]]:
    """The two state dicts after so many steps, from a file, and the rates of the steps that followed."""
    optimizer = an_optimizer()
    scheduler = make(optimizer)
    rates(optimizer, scheduler, 0, place)
    torch.save((optimizer.state_dict(), scheduler.state_dict()), file := io.BytesIO())
    file.seek(0)
    return *torch.load(file), rates(optimizer, scheduler, place, AFTER)


@counted(every_class, planted="LRScheduler")
def is_drawn(name: str) -> bool:
    """The program makes one, and prints its rates."""
    return any(name in names for names in PANELS.values())


@counted(every_scheduler, planted=lambda: partial(make, "LinearLR"))
def construction_leaves_the_rate(made: Make) -> bool:
    """Making the scheduler leaves the rate in the group as it was."""
    optimizer = an_optimizer()
    made(optimizer)
    return optimizer.param_groups[0]["lr"] == 1.0


class Noted(dict):
    """A parameter group that knows whether a rate was put into it."""

    written = False

    def __setitem__(self, key, value):
        self.written |= key == "lr"
        super().__setitem__(key, value)


@counted(every_scheduler, planted=lambda: partial(make, "ReduceLROnPlateau"))
def writes_when_made(made: Make) -> bool:
    """Making the scheduler, on parts made before, puts a rate into the group, perhaps the same."""
    optimizer = an_optimizer()
    parts = getattr(made(optimizer), "_schedulers", None)
    optimizer.param_groups[:] = [Noted(group) for group in optimizer.param_groups]
    match made(an_optimizer()):
        case schedulers.ChainedScheduler():
            schedulers.ChainedScheduler(parts)
        case schedulers.SequentialLR() as whole:
            schedulers.SequentialLR(optimizer, parts, whole._milestones)
        case _:
            made(optimizer)
    return optimizer.param_groups[0].written


def as_on_a_new_one(made: Make, prepare: Callable[[dict], object]) -> bool:
    """Made after a `StepLR`, on a group so prepared, it has the rates of a new optimizer."""
    fresh, used = an_optimizer(rate=0.25), an_optimizer()
    schedulers.StepLR(used, 100)
    used.param_groups[0]["lr"] = 0.25
    prepare(used.param_groups[0])
    return same(rates(fresh, made(fresh), 0, 36), rates(used, made(used), 0, 36))


@counted(every_scheduler, planted=lambda: partial(make, "LambdaLR"))
def forgets_the_first_rate(made: Make) -> bool:
    """Made after a `StepLR` and on a rate set by hand, it has the rates of a new optimizer with that rate."""
    return as_on_a_new_one(made, lambda group: None)


def made_by_the_defaults(optimizer: Optimizer) -> LRScheduler:
    """A schedule that reads the rate which the optimizer was made with."""
    return schedulers.LambdaLR(optimizer, lambda step: optimizer.defaults["lr"])


@counted(every_scheduler, planted=lambda: made_by_the_defaults)
def begins_anew(made: Make) -> bool:
    """With the rate set by hand and `initial_lr` taken out, the second has the rates of a new optimizer."""
    return as_on_a_new_one(made, lambda group: group.pop("initial_lr"))


@counted(every_scheduler, planted=lambda: made_by_the_defaults)
def begins_at_a_first_rate_set_too(made: Make) -> bool:
    """With the rate and `initial_lr` both set by hand, the second has the rates of a new optimizer."""
    return as_on_a_new_one(made, lambda group: group.update(initial_lr=0.25))


def made_between(optimizer: Optimizer) -> LRScheduler:
    """A schedule that reads what is not saved: the rate that it finds when it is made."""
    found = optimizer.param_groups[0]["lr"]
    return schedulers.LambdaLR(optimizer, lambda step: found * 0.9**step)


def halved_on_loading(optimizer: Optimizer) -> LRScheduler:
    class Halves(schedulers.ExponentialLR):
        def load_state_dict(self, state_dict):
            super().load_state_dict(state_dict)
            self.gamma /= 2

    return Halves(optimizer, 0.9)


@counted(every_scheduler, planted=lambda: halved_on_loading)
def resumes_when_made_first(made: Make) -> bool:
    """Made first, then loaded before or after the optimizer, it goes on with the rates of an unbroken run."""
    for place in PLACES:
        saved, saved_schedule, wanted = interrupted(made, place)
        for optimizer_first in True, False:
            optimizer = an_optimizer()
            scheduler = made(optimizer)
            if optimizer_first:
                optimizer.load_state_dict(saved)
            scheduler.load_state_dict(dict(saved_schedule))
            if not optimizer_first:
                optimizer.load_state_dict(saved)
            if not same(rates(optimizer, scheduler, place, AFTER), wanted):
                return False
    return True


@counted(every_scheduler, planted=lambda: made_between)
def resumes_when_made_between(made: Make) -> bool:
    """Made after the optimizer was loaded, then loaded, it goes on with the rates of an unbroken run."""
    for place in PLACES:
        saved, saved_schedule, wanted = interrupted(made, place)
        optimizer = an_optimizer()
        optimizer.load_state_dict(saved)
        scheduler = made(optimizer)
        scheduler.load_state_dict(saved_schedule)
        if not same(rates(optimizer, scheduler, place, AFTER), wanted):
            return False
    return True


@counted(with_last_epoch, planted=lambda: partial(make, "StepLR"))
def resumes_from_last_epoch(made: Make) -> bool:
    """Made on a loaded optimizer with `last_epoch`, it goes on with the rates of an unbroken run."""
    for place in PLACES:
        saved, _, wanted = interrupted(made, place)
        optimizer = an_optimizer()
        optimizer.load_state_dict(saved)
        scheduler = made(optimizer, last_epoch=place - 1)
        if not same(rates(optimizer, scheduler, place, AFTER), wanted):
            return False
    return True


@counted(every_scheduler, planted=lambda: partial(make, "LambdaLR"))
def carries_a_factor(made: Make) -> bool:
    """A rate that was made a tenth by hand after three steps is a tenth in each of the next thirty-six."""
    runs = []
    for factor in 1.0, 0.1:
        optimizer = an_optimizer()
        scheduler = made(optimizer)
        rates(optimizer, scheduler, 0, 3)
        optimizer.param_groups[0]["lr"] *= factor
        runs.append([rate / factor for rate in rates(optimizer, scheduler, 3, 36)])
    return same(*runs)


@counted(every_scheduler, planted=lambda: partial(make, "LambdaLR"))
def goes_on_with_a_new_group(made: Make) -> bool:
    """Where a group is added after two steps, none of the next thirty-six raises."""
    optimizer = an_optimizer()
    scheduler = made(optimizer)
    rates(optimizer, scheduler, 0, 2)
    optimizer.add_param_group({"params": [nn.Parameter(torch.ones(1, device="cpu"))]})
    try:
        rates(optimizer, scheduler, 2, 36)
    except (KeyError, ValueError):
        return False
    return True


class Assigns(schedulers.ExponentialLR):
    """Puts a new rate into the group."""

    def _update_lr(self, epoch=None):
        super()._update_lr(epoch)
        for group in self.optimizer.param_groups:
            group["lr"] = group["lr"] * 1.0


@counted(every_scheduler, planted=lambda: lambda optimizer: Assigns(optimizer, 0.9))
def keeps_the_tensor(made: Make) -> bool:
    """If each group has its own tensor as rate, it stays in place, with the rates that numbers would have."""
    optimizer, plain = an_optimizer(2, torch.ones((), device="cpu")), an_optimizer(2)
    tensors = [group["lr"] for group in optimizer.param_groups]
    scheduler, other = made(optimizer), made(plain)
    used, wanted = rates(optimizer, scheduler, 0, 30), rates(plain, other, 0, 30)
    kept = all(group["lr"] is tensor for group, tensor in zip(optimizer.param_groups, tensors, strict=True))
    return kept and all(
        math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6) for a, b in zip(used, wanted, strict=True)
    )


@counted(every_scheduler, planted=lambda: partial(make, "ReduceLROnPlateau"))
def warns_of_the_order(made: Make) -> bool:
    """Stepped before its optimizer, it warns."""
    scheduler = made(an_optimizer())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        turn(scheduler, 0)
    return any("Detected call" in str(warning.message) for warning in told)


@counted(every_scheduler, planted=lambda: partial(make, "SequentialLR"))
def warns_when_called_by_hand(made: Make) -> bool:
    """Called by hand, its `get_lr` warns, and gives a rate."""
    scheduler = made(an_optimizer())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            scheduler.get_lr()
        except NotImplementedError:
            return False
    return any("get_last_lr" in str(warning.message) for warning in told)


@counted(every_scheduler, planted=lambda: partial(make, "MultiplicativeLR"))
def jumps_to_a_step(made: Make) -> bool:
    """On a new one `step(7)` gives the rate that seven steps give, and `step(16)` that of sixteen."""
    moved = False
    for steps in 7, 16:
        walking, jumping = an_optimizer(), an_optimizer()
        walks, jumps = made(walking), made(jumping)
        start = float(jumping.param_groups[0]["lr"])
        rates(walking, walks, 0, steps)
        try:
            if isinstance(jumps, schedulers.ReduceLROnPlateau):
                jumps.step(LOSSES[steps], steps)
            else:
                jumps.step(steps)
        except TypeError:
            return False
        found, wanted = float(jumping.param_groups[0]["lr"]), float(walking.param_groups[0]["lr"])
        if not same([found], [wanted]):
            return False
        moved = moved or found != start
    return moved


@counted(every_scheduler, planted=lambda: partial(make, "MultiplicativeLR"))
def begins_at_the_milestone(made: Make) -> bool:
    """Second in a `SequentialLR`, it has from the milestone on the rates that it has alone."""
    alone, optimizer = an_optimizer(), an_optimizer()
    wanted = rates(alone, made(alone), 0, 20)
    warm_up = make("LinearLR", optimizer)
    try:
        scheduler = schedulers.SequentialLR(optimizer, [warm_up, made(optimizer)], milestones=[6])
        return same(rates(optimizer, scheduler, 0, 26)[6:], wanted)
    except (NotImplementedError, ValueError):
        return False


@counted(with_a_closed_form, planted=lambda: partial(schedulers.ConstantLR, total_iters=0))
def the_two_forms_agree(made: Make) -> bool:
    """For 39 steps the rate in the group is what the closed form gives."""
    optimizer = an_optimizer()
    scheduler = made(optimizer)
    for step in range(39):
        if not same([optimizer.param_groups[0]["lr"]], scheduler._get_closed_form_lr()):
            return False
        turn(scheduler, step)
    return True
