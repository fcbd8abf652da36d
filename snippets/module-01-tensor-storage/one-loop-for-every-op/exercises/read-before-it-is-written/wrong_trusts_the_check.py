"""Copies where PyTorch raises, and takes its silence for a yes."""


def in_place(operation, target, operand):
    shares = target.untyped_storage().data_ptr() == operand.untyped_storage().data_ptr()
    if shares and raises(target, operand):
        operand = operand.clone()
    operation(target, operand)


def raises(target, operand):
    before = target.clone()
    try:
        target.sub_(operand)
    except RuntimeError:
        return True
    target.copy_(before)
    return False
