"""Copies whenever both lie in one storage, be it side by side."""


def in_place(operation, target, operand):
    if target.untyped_storage().data_ptr() == operand.untyped_storage().data_ptr():
        operand = operand.clone()
    operation(target, operand)
