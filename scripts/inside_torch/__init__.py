"""The machine of Inside Torch: pins, book, render, run, and a command line above them."""
