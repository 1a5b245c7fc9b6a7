#!/usr/bin/env python3
"""Writes the models that ONNX Runtime runs, with PyTorch's exporter: those that are not there.

usage: onnx_models.py FOLDER
"""
import os
import sys

from timed_loop import missing

try:
    import torch
    from torch.nn import functional
except ImportError:
    missing("PyTorch (python3-torch), which writes the models for ONNX Runtime")


class Function(torch.nn.Module):
    """A function as a module, which is what the exporter takes."""

    def __init__(self, function):
        super().__init__()
        self.forward = function


def attention(q, k, v):
    return torch.softmax(q @ k.transpose(1, 2) * 0.125, -1) @ v


def chain(*names):
    def run(value):
        for name in names:
            value = getattr(torch, name)(value)
        return value
    return Function(run)


def resnet50():
    """ResNet-50 with its strides where Keras has them: in the first convolution of a block."""
    from torchvision.models import resnet
    model = resnet.resnet50()
    for module in model.modules():
        if isinstance(module, resnet.Bottleneck):
            module.conv1.stride, module.conv2.stride = module.conv2.stride, (1, 1)
    return torch.nn.Sequential(model, torch.nn.Softmax(-1))


def models():
    """name -> a function that makes (module, inputs)."""
    rows = (4096, 768)
    wide = (4096, 3072)
    many = 1 << 24
    heads = (12, 128, 64)
    recurrent = {f"lstm_{rows}x{size}": lambda rows=rows, size=size: (
        torch.nn.LSTM(size, size), [torch.rand(100, rows, size)])
                 for rows, size in ((1, 512), (16, 512), (64, 512))}
    return recurrent | {
        "resnet50": lambda: (resnet50(), [torch.rand(1, 3, 224, 224)]),
        "layer_norm": lambda: (torch.nn.LayerNorm(rows[1]), [torch.rand(*rows)]),
        "softmax": lambda: (torch.nn.Softmax(-1), [torch.rand(*rows)]),
        "gelu": lambda: (torch.nn.GELU(), [torch.rand(*wide)]),
        "attention": lambda: (Function(attention), [torch.rand(*heads) for _ in range(3)]),
        "tanh_exp_log_sin": lambda: (chain("tanh", "exp", "log", "sin"), [torch.rand(many)]),
        "erf_sigmoid_sqrt_cos": lambda: (chain("erf", "sigmoid", "sqrt", "cos"),
                                         [torch.rand(many)]),
    }


def export(path, module, inputs):
    torch.onnx.export(module.eval(), tuple(inputs), path + ".part", opset_version=17,
                      input_names=[f"x{i}" for i in range(len(inputs))])
    os.replace(path + ".part", path)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, make in models().items():
        path = os.path.join(folder, name + ".onnx")
        if not os.path.exists(path):
            try:
                export(path, *make())
            except ImportError as error:
                print(f"{name}: {error}")


if __name__ == "__main__":
    main()
