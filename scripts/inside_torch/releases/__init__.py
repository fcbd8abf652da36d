"""Other releases of torch, held against the book: their wheels, and what each did to every pin."""
