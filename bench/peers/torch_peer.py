#!/usr/bin/env python3
"""PyTorch as a peer: elementwise chains, normalisations, attention, sorts, lookups, transposes.

usage: torch_peer.py THREADS WORK [ARGUMENTS]    the functions below
"""
import sys

from timed_loop import missing, serve

try:
    import torch
    from torch.nn import functional
except ImportError:
    missing("PyTorch (python3-torch)")

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def random(dtype, *shape):
    return torch.rand(*shape).to(TYPES[dtype])


def chain(dtype, count):
    x = random(dtype, int(count))
    functions = [torch.multiply, torch.maximum, torch.subtract, torch.minimum, torch.add]

    def run():
        value = torch.add(x, x)
        for i in range(9):
            value = functions[i % 5](value, x)
        return value
    return run


def choices(dtype, count):
    x = random(dtype, int(count))

    def run():
        is_above = x > 0
        leaky = torch.where(is_above, x, x * 0.25)
        return torch.where(is_above & (leaky < 0.75), leaky + x, x) - 0.25
    return run


def transcendental(names, dtype, count):
    x = random(dtype, int(count))
    functions = [getattr(torch, name) for name in names.split(",")]

    def run():
        value = x
        for function in functions:
            value = function(value)
        return value
    return run


def layer_norm(dtype, rows, columns):
    x = random(dtype, int(rows), int(columns))
    scale, shift = random(dtype, int(columns)), random(dtype, int(columns))
    return lambda: functional.layer_norm(x, (int(columns),), scale, shift, 1e-5)


def softmax(dtype, rows, columns):
    x = random(dtype, int(rows), int(columns))
    return lambda: torch.softmax(x, -1)


def masked_softmax(dtype, heads, length):
    scores = random(dtype, int(heads), int(length), int(length))
    mask = torch.ones(int(length), int(length), dtype=torch.bool).tril()
    hidden = torch.tensor(-1e9, dtype=TYPES[dtype])
    return lambda: torch.softmax(torch.where(mask, scores, hidden), -1)


def gelu(dtype, rows, columns):
    x = random(dtype, int(rows), int(columns))
    return lambda: functional.gelu(x)


def attention(dtype, heads, length, width):
    q, k, v = (random(dtype, int(heads), int(length), int(width)) for _ in range(3))
    scale = float(width) ** -0.5
    return lambda: torch.softmax(q @ k.transpose(1, 2) * scale, -1) @ v


def cross_entropy(rows, classes):
    x = random("f32", int(rows), int(classes))
    labels = torch.randint(int(classes), (int(rows),))
    return lambda: functional.cross_entropy(x, labels, reduction="sum")


def norm(count):
    x = random("f32", int(count))
    return lambda: torch.linalg.vector_norm(x)


def squared_error(rows, columns):
    x, y = (random("f32", int(rows), int(columns)) for _ in range(2))
    return lambda: functional.mse_loss(x, y, reduction="sum")


def group_norm(batch, height, width, features, groups):
    """Features are outermost, as PyTorch likes them."""
    x = random("f32", int(batch), int(features), int(height), int(width))
    scale, shift = random("f32", int(features)), random("f32", int(features))
    return lambda: functional.group_norm(x, int(groups), scale, shift)


def layer_norm_gradient(rows, columns):
    x, gradient = (random("f32", int(rows), int(columns)) for _ in range(2))
    scale, shift = random("f32", int(columns)), random("f32", int(columns))
    shape = (int(columns),)
    _, mean, factor = torch.native_layer_norm(x, shape, scale, shift, 1e-5)
    wanted = [True, True, True]
    return lambda: torch.ops.aten.native_layer_norm_backward(gradient, x, shape, mean, factor,
                                                             scale, shift, wanted)


def lstm(rows, size, steps):
    layer = torch.nn.LSTM(int(size), int(size))
    x = random("f32", int(steps), int(rows), int(size))

    def run():
        with torch.no_grad():
            return layer(x)
    return run


def cumulative_sum(rows, columns):
    x = random("f32", int(rows), int(columns))
    return lambda: torch.cumsum(x, 1)


def reduce(dtype, dims, *shape):
    x = random(dtype, *map(int, shape))
    axes = [int(dim) for dim in dims.split(",")]
    return lambda: torch.sum(x, axes)


def transpose(dtype, permutation, *shape):
    x = random(dtype, *map(int, shape))
    order = [int(dim) for dim in permutation.split(",")]
    return lambda: x.permute(order).contiguous()


def sort(count):
    keys = random("f32", int(count))
    return lambda: torch.sort(keys)[0]


def argsort(count):
    keys = random("f32", int(count))
    return lambda: torch.argsort(keys)


def sort_pairs(count):
    keys, values = random("f32", int(count)), torch.arange(int(count), dtype=torch.int32)

    def run():
        sorted_keys, order = torch.sort(keys)
        return sorted_keys, values[order]
    return run


def sort_rows(dtype, rows, columns):
    keys = random(dtype, int(rows), int(columns))
    return lambda: torch.sort(keys, 1)[0]


def argsort_rows(dtype, rows, columns):
    keys = random(dtype, int(rows), int(columns))
    return lambda: torch.argsort(keys, 1)


def topk(dtype, rows, columns, k):
    x = random(dtype, int(rows), int(columns))
    return lambda: torch.topk(x, int(k))


def gather(table_rows, width, count):
    table = random("f32", int(table_rows), int(width))
    rows = torch.randint(int(table_rows), (int(count),))
    return lambda: torch.index_select(table, 0, rows)


def scatter_add(table_rows, width, count):
    table = random("f32", int(table_rows), int(width))
    rows = torch.randint(int(table_rows), (int(count),))
    updates = random("f32", int(count), int(width))
    return lambda: torch.index_add(table, 0, rows, updates)


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    with torch.inference_mode():
        serve(globals()[sys.argv[2]](*sys.argv[3:]))
