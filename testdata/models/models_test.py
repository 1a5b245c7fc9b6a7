#!/usr/bin/env python3
"""Runs the models beside this file and compares with numpy.

The inputs are the fixed pattern of `hlo-run --fake=pattern`, made here from its formula. The
expected results are computed from the mathematics of each model in float64, by code that shares
nothing with hlokit: matrix products, explicit convolution loops, and for the oscillator the
closed-form solution besides the same integrator.

usage: models_test.py HLO_RUN
"""
import math
import os
import re
import subprocess
import sys
import unittest

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
HLO_RUN = sys.argv.pop(1)


def pattern(leaf, *shape, integer=False):
    """Element i of array leaf L: from j = i + 5 L."""
    j = np.arange(math.prod(shape)) + 5 * leaf
    values = j % 5 if integer else ((j * 7 + 3) % 13 - 6) / 4
    return values.reshape(shape)


def run(model):
    """All numbers that hlo-run prints for the model, in order."""
    command = [HLO_RUN, os.path.join(FOLDER, model), "--fake=pattern"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = re.sub(r"/\*.*?\*/", " ", text)
    text = re.sub(r"\b[a-z]+[0-9]+\[[0-9,]*\](\{[0-9,]*\})?", " ", text)
    return np.array([float(n) for n in re.findall(r"-?(?:inf|nan|[0-9][0-9.]*(?:e[-+]?[0-9]+)?)", text)])


def softmax(logits):
    exps = np.exp(logits - logits.max(-1, keepdims=True))
    return exps / exps.sum(-1, keepdims=True)


def convolve(images, kernel, stride, low, high):
    """[b,h,w,c] with [kh,kw,c,o], element by element."""
    padded = np.pad(images, ((0, 0), (low, high), (low, high), (0, 0)))
    size = (padded.shape[1] - kernel.shape[0]) // stride + 1
    out = np.zeros((images.shape[0], size, size, kernel.shape[3]))
    for y in range(size):
        for x in range(size):
            window = padded[:, y * stride:y * stride + 3, x * stride:x * stride + 3, :]
            out[:, y, x, :] = np.einsum("bijc,ijco->bo", window, kernel)
    return out


class ModelsTest(unittest.TestCase):
    def check(self, model, expected, rtol):
        flat = np.concatenate([np.ravel(e) for e in expected])
        actual = run(model)
        self.assertEqual(actual.size, flat.size)
        np.testing.assert_allclose(actual, flat, rtol=rtol, atol=rtol)

    def test_mlp_train_step(self):
        x, labels = pattern(0, 8, 4), pattern(1, 8, integer=True)
        w1, b1 = pattern(2, 4, 16), pattern(3, 16)
        w2, b2 = pattern(4, 16, 5), pattern(5, 5)

        # Backpropagation in matrix form; relu has slope 0 at 0.
        preactivation = x @ w1 + b1
        hidden = np.maximum(preactivation, 0)
        probabilities = softmax(hidden @ w2 + b2)
        loss = -np.mean(np.log(probabilities[np.arange(8), labels]))
        d_logits = (probabilities - np.eye(5)[labels]) / 8
        d_preactivation = (d_logits @ w2.T) * (preactivation > 0)
        gradients = [x.T @ d_preactivation, d_preactivation.sum(0), hidden.T @ d_logits, d_logits.sum(0)]
        updated = [p - 0.1 * g for p, g in zip([w1, b1, w2, b2], gradients)]
        self.check("mlp_train_step.hlo", [loss] + updated, 1e-5)

    def test_conv_net(self):
        images, kernel1, bias1 = pattern(0, 2, 8, 8, 3), pattern(1, 3, 3, 3, 4), pattern(2, 4)
        kernel2, dense = pattern(3, 3, 3, 4, 6), pattern(4, 6, 5)
        hidden = np.maximum(convolve(images, kernel1, 1, 1, 1) + bias1, 0)
        pooled = hidden.reshape(2, 4, 2, 4, 2, 4).max((2, 4))
        second = np.maximum(convolve(pooled, kernel2, 2, 0, 1), 0)
        self.check("conv_net.hlo", [second.mean((1, 2)) @ dense], 1e-5)

    def test_transformer_block(self):
        tokens, scale, offset = pattern(0, 6, 8), pattern(1, 8), pattern(2, 8)
        w_qkv, w_out = pattern(3, 8, 24), pattern(4, 8, 8)
        w_up, w_down = pattern(5, 8, 32), pattern(6, 32, 8)

        def norm(v):
            return (v - v.mean(-1, keepdims=True)) / np.sqrt(v.var(-1, keepdims=True) + 1e-5) * scale + offset

        q, k, v = np.moveaxis((norm(tokens) @ w_qkv).reshape(6, 3, 2, 4), 1, 0)
        scores = np.einsum("qhd,khd->hqk", q, k) / 2
        scores[:, np.triu(np.ones((6, 6), bool), 1)] = -np.inf
        mixed = np.einsum("hqk,khd->qhd", softmax(scores), v).reshape(6, 8)
        residual = tokens + mixed @ w_out
        up = norm(residual) @ w_up
        gelu = up / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (up + 0.044715 * up**3)))
        self.check("transformer_block.hlo", [residual + gelu @ w_down], 1e-4)

    def test_ode_while(self):
        matrix, y, h = np.array([[0, 1], [-1, -0.1]]), np.array([1.0, 0.0]), 0.01
        for _ in range(1000):
            k1 = matrix @ y
            k2 = matrix @ (y + h / 2 * k1)
            k3 = matrix @ (y + h / 2 * k2)
            k4 = matrix @ (y + h * k3)
            y = y + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        # The closed form: decay 1/20, frequency sqrt(1 - 1/400).
        decay, omega, t = 0.05, math.sqrt(1 - 0.0025), 10.0
        x = math.exp(-decay * t) * (math.cos(omega * t) + decay / omega * math.sin(omega * t))
        self.assertAlmostEqual(y[0], x, places=9)
        self.check("ode_while.hlo", [y, 1000], 1e-12)


if __name__ == "__main__":
    unittest.main()
