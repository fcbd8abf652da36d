"""Three ways to add up the losses of a training loop, and how much graph each one keeps alive."""

import torch

weight = torch.tensor([2.0, 3.0], requires_grad=True)
batch = torch.tensor([5.0, 7.0])


def one_step():
    """The loss of one step: a product and a sum."""
    return (weight * batch).sum()


# region three-ways
def keep_graph(total, loss):
    return total + loss


def detach(total, loss):
    return total + loss.detach()


def to_number(total, loss):
    return total + loss.item()


# endregion


# region count
def count_nodes(tensor):
    """The nodes that this tensor alone keeps alive: those that can be reached from its grad_fn."""
    stack, seen = [getattr(tensor, "grad_fn", None)], set()
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            stack.extend(child for child, _ in node.next_functions)
    return len(seen)


# endregion


if __name__ == "__main__":
    for add in (keep_graph, detach, to_number):
        total, counts = 0.0, []
        for _ in range(4):
            loss = one_step()
            loss.backward()
            total = add(total, loss)
            counts.append(count_nodes(total))
        print(f"{add.__name__:10} nodes kept alive after each step: {counts}")
