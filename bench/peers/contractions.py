"""Matrix products and convolutions: their HLO texts, and how oneDNN's peer is told of them.

A convolution is a `Conv`; the list of those in a model is read from its dump.
"""
import dataclasses
import re

from programs import program, shape


def dot(dtype, batch, m, k, n, is_transposed=False):
    """[batch,m,k] x [batch,k,n]; the second as [batch,n,k] if it is transposed."""
    lead = [batch] if batch > 1 else []
    right = [n, k] if is_transposed else [k, n]
    first = len(lead)
    batch_dims = "lhs_batch_dims={0}, rhs_batch_dims={0}, " if lead else ""
    return program(f"""  x = {shape(dtype, lead + [m, k])} parameter(0)
  y = {shape(dtype, lead + right)} parameter(1)
  ROOT r = {shape("s32" if dtype == "s8" else dtype, lead + [m, n])} dot(x, y), {batch_dims}lhs_contracting_dims={{{first + 1}}}, rhs_contracting_dims={{{first + is_transposed}}}""")


def dot_to_heads(dtype, rows, heads, terms, size, is_left):
    """[rows,terms] x [heads,terms,size], as attention makes queries; `is_left`: weights come first."""
    operands = "y, x" if is_left else "x, y"
    result = [heads, size, rows] if is_left else [rows, heads, size]
    return program(f"""  x = {shape(dtype, [rows, terms])} parameter(0)
  y = {shape(dtype, [heads, terms, size])} parameter(1)
  ROOT r = {shape(dtype, result)} dot({operands}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}""")


def dot_of_bytes(m, k, n):
    """[m,k] f32 x [k,n] s8, converted to f32: weights that were quantised."""
    return program(f"""  x = {shape("f32", [m, k])} parameter(0)
  y = {shape("s8", [k, n])} parameter(1)
  wide = {shape("f32", [k, n])} convert(y)
  ROOT r = {shape("f32", [m, n])} dot(x, wide), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}""")


@dataclasses.dataclass(frozen=True)
class Conv:
    """Images nhwc, kernels hwio; with `pixels_last` nchw and oihw."""
    batch: int
    size: tuple  # h, w
    inputs: int
    outputs: int
    window: tuple
    strides: tuple = (1, 1)
    padding: tuple = ((0, 0), (0, 0))
    groups: int = 1
    pixels_last: bool = False

    @property
    def result_size(self):
        return tuple((size + sum(padding) - window) // stride + 1 for size, window, stride, padding
                     in zip(self.size, self.window, self.strides, self.padding))

    @property
    def name(self):
        text = "x".join(map(str, [self.batch, *self.size, self.inputs]))
        text += f" {'x'.join(map(str, self.window))} to {self.outputs}"
        if self.strides != (1, 1):
            text += f" stride {self.strides[0]}"
        text += f" groups {self.groups}" if self.groups > 1 else ""
        return text + (" nchw" if self.pixels_last else "")

    def images(self, dtype, size, features):
        sizes = [features, *size] if self.pixels_last else [*size, features]
        return shape(dtype, [self.batch, *sizes])

    def image(self, dtype):
        return self.images(dtype, self.size, self.inputs)

    def kernel(self, dtype):
        inputs = self.inputs // self.groups
        return shape(dtype, [self.outputs, inputs, *self.window] if self.pixels_last else
                     [*self.window, inputs, self.outputs])

    def result(self, dtype):
        return self.images(dtype, self.result_size, self.outputs)

    def labels(self, with_features_last, with_pixels_last):
        return f"dim_labels={with_pixels_last if self.pixels_last else with_features_last}"

    def spec(self):
        """As onednn_peer takes it."""
        numbers = [self.batch, *self.size, self.inputs, self.outputs, *self.window, *self.strides,
                   *self.padding[0], *self.padding[1], self.groups]
        return [str(number) for number in numbers] + (["nchw"] if self.pixels_last else [])


def window(sizes, padding, **others):
    text = f"size={'x'.join(map(str, sizes))}"
    text += f" pad={'x'.join(f'{low}_{high}' for low, high in padding)}"
    for name, values in others.items():
        if tuple(values) != (1, 1):
            text += f" {name}={'x'.join(map(str, values))}"
    return f"window={{{text}}}"


def forward(conv, dtype):
    groups = f", feature_group_count={conv.groups}" if conv.groups > 1 else ""
    return program(f"""  x = {conv.image(dtype)} parameter(0)
  w = {conv.kernel(dtype)} parameter(1)
  ROOT y = {conv.result(dtype)} convolution(x, w), {window(conv.window, conv.padding, stride=conv.strides)}, {conv.labels("b01f_01io->b01f", "bf01_oi01->bf01")}{groups}""")


def dilated(conv):
    """The sizes of the result with holes between its elements."""
    return [(size - 1) * stride + 1 for size, stride in zip(conv.result_size, conv.strides)]


def image_gradient(conv, dtype):
    """As JAX writes it: the gradient with holes, convolved with the reversed kernel."""
    padding = []
    for size, k, holes, (low, _) in zip(conv.size, conv.window, dilated(conv), conv.padding):
        padding.append((k - 1 - low, size - holes + low))
    return program(f"""  dy = {conv.result(dtype)} parameter(0)
  w = {conv.kernel(dtype)} parameter(1)
  turned = {conv.kernel(dtype)} reverse(w), dimensions={{{"2,3" if conv.pixels_last else "0,1"}}}
  ROOT dx = {conv.image(dtype)} convolution(dy, turned), {window(conv.window, padding, lhs_dilate=conv.strides)}, {conv.labels("b01f_01oi->b01f", "bf01_io01->bf01")}""")


def kernel_gradient(conv, dtype):
    """As JAX writes it: batch and features change places, and the gradient is the kernel."""
    padding = []
    for size, k, holes, (low, _) in zip(conv.size, conv.window, dilated(conv), conv.padding):
        padding.append((low, k - 1 + holes - size - low))
    return program(f"""  x = {conv.image(dtype)} parameter(0)
  dy = {conv.result(dtype)} parameter(1)
  ROOT dw = {conv.kernel(dtype)} convolution(x, dy), {window(conv.result_size, padding, rhs_dilate=conv.strides)}, {conv.labels("f01b_i01o->01bf", "fb01_io01->bf01")}""")


def pairs(text, separator):
    """"1_1x0_2" as ((1, 1), (0, 2)); "2x2" as (2, 2)."""
    parts = text.split("x")
    if separator is None:
        return tuple(map(int, parts))
    return tuple(tuple(map(int, part.split(separator))) for part in parts)


def read_convolutions(path):
    """The distinct convolutions of a dump with images nhwc and kernels hwio, in their order."""
    shapes = {}
    found = {}
    pattern = re.compile(r"^\s*(?:ROOT )?(%?[\w.\-]+) = \w+\[([\d,]*)\]")
    with open(path) as file:
        for line in file:
            match = pattern.match(line)
            if not match:
                continue
            shapes[match[1]] = [int(size) for size in match[2].split(",") if size]
            if " convolution(" in line and "dim_labels=b01f_01io->b01f" in line:
                found[read_convolution(line, shapes)] = True
    return list(found)


def read_convolution(line, shapes):
    image, kernel = (shapes[name] for name in
                     re.search(r" convolution\((%?[\w.\-]+), (%?[\w.\-]+)\)", line).groups())
    text = re.search(r"window=\{([^}]*)\}", line)[1]
    values = dict(item.split("=") for item in text.split())
    groups = re.search(r"feature_group_count=(\d+)", line)
    return Conv(batch=image[0], size=tuple(image[1:3]), inputs=image[3], outputs=kernel[3],
                window=tuple(kernel[:2]), strides=pairs(values.get("stride", "1x1"), None),
                padding=pairs(values.get("pad", "0_0x0_0"), "_"),
                groups=int(groups[1]) if groups else 1)
