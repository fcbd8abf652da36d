"""A Reducer: it averages gradients over the ranks, bucket by bucket, while backward runs."""

import torch
from torch import Tensor, distributed
from torch.autograd import Variable  # noqa: F401, its engine can be asked to call a function when backward ends


def assign(order: list[int], sizes: list[int], caps: list[int]) -> list[list[int]]:
    """Fill buckets in this order. One that has its cap is closed; the last cap is for all that follow."""
    raise NotImplementedError


class Reducer:
    """`prepare` is called before a forward whose backward is to be averaged."""

    def __init__(self, parameters: list[Tensor], caps: list[int]) -> None:
        self.parameters, self.caps = parameters, caps
        self.buckets = [list(range(len(parameters)))]  # the first step has one
        self.arrived: list[int] = []  # in what order the gradients of the first step came
        self.rebuilt = self.expected = False
        self.sent: list[list[int]] = []  # for the tests
        for index, parameter in enumerate(parameters):
            parameter.register_post_accumulate_grad_hook(lambda _, index=index: self.ready(index))

    def prepare(self) -> None:
        if self.arrived and not self.rebuilt:
            self.rebuild()
            self.rebuilt = True
        self.missing = set(range(len(self.parameters)))
        self.turn, self.works = 0, []  # the bucket whose turn it is, and what was sent
        self.expected = True

    def rebuild(self) -> None:
        """New buckets, in the order in which the gradients came, and the same ones on each rank."""
        raise NotImplementedError

    def ready(self, index: int) -> None:
        """This parameter has its gradient. Send what can be sent; after the last bucket, ask for `finish`."""
        raise NotImplementedError

    def send(self, bucket: list[int]) -> None:
        flat = torch.cat([self.parameters[index].grad.flatten() for index in bucket])
        flat /= distributed.get_world_size()
        self.works.append((bucket, flat, distributed.all_reduce(flat, async_op=True)))
        self.sent.append(bucket)

    def finish(self) -> None:
        self.expected = False
        for bucket, flat, work in self.works:
            work.wait()
            parts = flat.split([self.parameters[index].numel() for index in bucket])
            for index, part in zip(bucket, parts, strict=True):
                self.parameters[index].grad.copy_(part.view_as(self.parameters[index]))
