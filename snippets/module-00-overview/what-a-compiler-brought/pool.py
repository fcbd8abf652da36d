"""The max pooling of the CNN: its share in eager, compiled with nothing to fuse, and in another layout."""

import sys
from pathlib import Path
from time import process_time

import torch

sys.path.insert(0, str(Path(__file__).parent))
from speeds import cnn

ROUNDS, CALLS = 31, 5


def seconds(call, x):
    """Seconds of the processor that a few calls take."""
    start = process_time()
    for _ in range(CALLS):
        call(x)
    return process_time() - start


def best(ways):
    """The best time of each call, which take turns."""
    for call, x in ways.values():
        seconds(call, x)  # compiles
    rounds = [{way: seconds(*ways[way]) for way in ways} for _ in range(ROUNDS)]
    return {way: min(each[way] for each in rounds) for way in ways}


def measure():
    """Eager over the other ways for the first pooling, and the share of both poolings, on one thread."""
    torch.set_num_threads(1)
    model, x = cnn()
    layers = {}
    with torch.no_grad():
        for layer in model.eval():
            layers[layer] = (layer, x)
            x = layer(x)
        spent = best(layers)
        pools = [layer for layer in layers if isinstance(layer, torch.nn.MaxPool2d)]
        pool, x = layers[pools[0]]
        last = x.to(memory_format=torch.channels_last)
        times = best({"eager": (pool, x), "compile": (torch.compile(pool), x), "channels_last": (pool, last)})
    values = {way: round(times["eager"] / times[way], 1) for way in times if way != "eager"}
    return values | {"percent": round(100 * sum(spent[pool] for pool in pools) / sum(spent.values()))}


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:16} {value}")
