"""The work that is compared: a row for each, with its program, its peers and the bars.

A bar is the largest ratio of our time to the peer's; None: the peer is shown and there is no bar.
"""
import dataclasses
import os

import contractions as c
import programs as p

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORPUS = os.path.join(os.path.dirname(ROOT), "shared/corpus/models")
RESNET = os.path.join(CORPUS, "resnet50_keras_jax_f32.hlo")


@dataclasses.dataclass
class Peer:
    name: str  # how peers.py starts it
    spec: list  # its arguments
    bar: float = None

    def __post_init__(self):
        self.spec = [str(word) for word in self.spec]


@dataclasses.dataclass
class Work:
    name: str
    group: str
    text: str  # the program; or `file`, where it lies
    peers: list
    file: str = None
    is_frozen: bool = False  # what kernels make of inputs is kept from run to run
    is_process: bool = False  # the whole process of hlo-run counts, from the file to the result


def memory_bytes(dtype, *sizes):
    count = 1
    for size in sizes:
        count *= size
    return count * {"f32": 4, "bf16": 2, "s8": 1}[dtype]


def copy(bar, dtype, *sizes):
    return Peer("memory", ["copy", memory_bytes(dtype, *sizes)], bar)


def models():
    def resnet(name, bar, **options):
        mode = "first" if options.get("is_process") else "run"
        return Work(name, "models", None, [Peer("onnxruntime", ["resnet50", mode], bar)],
                    file=RESNET, **options)
    return [resnet("resnet50 frozen weights", 1.0, is_frozen=True),
            resnet("resnet50 fresh weights", 1.4),
            resnet("resnet50 file to first result", 0.5, is_process=True)]


def elementwise():
    many = 1 << 24
    rows = [Work(f"chain of 10 {dtype} 16M", "elementwise", p.chain(dtype, many),
                 [copy(1.25, dtype, many), Peer("torch", ["chain", dtype, many])])
            for dtype in ("f32", "bf16")]
    rows += [Work(f"choices {dtype} 16M", "elementwise", p.choices(dtype, many),
                  [copy(1.25, dtype, many), Peer("torch", ["choices", dtype, many])])
             for dtype in ("f32", "bf16")]
    for opcodes, torch_names in (
            (["tanh", "exponential", "log", "sine"], "tanh,exp,log,sin"),
            (["erf", "logistic", "sqrt", "cosine"], "erf,sigmoid,sqrt,cos")):
        rows.append(Work(f"{torch_names} f32 16M", "elementwise",
                         p.functions("f32", many, opcodes),
                         [Peer("onnxruntime", [torch_names.replace(",", "_"), "run"], 0.5),
                          Peer("torch", ["transcendental", torch_names, "f32", many])]))
    rows.append(Work("threefry 16M u32", "elementwise", p.random_bits(many),
                     [Peer("rate", [many * 4, 4e9], 1.0)]))
    rows.append(Work("threefry as JAX writes it 16M u32", "elementwise",
                     p.spelled_random_bits(many), [Peer("rate", [many * 4, 4e9], 1.0)]))
    rows.append(Work("loop of 20 scalars 1M times", "elementwise",
                     p.counting_loop(1000000, 20), [Peer("time", [500], 1.0)]))
    return rows


def layers():
    rows = []
    for dtype in ("f32", "bf16"):
        for name, make, sizes in (("layer_norm", p.layer_norm, (4096, 768)),
                                  ("softmax", p.softmax, (4096, 768)),
                                  ("gelu", p.gelu, (4096, 3072)),
                                  # What no cache holds.
                                  ("layer_norm", p.layer_norm, (65536, 768)),
                                  ("softmax", p.softmax, (65536, 768))):
            peers = [Peer("torch", [name, dtype, *sizes], 0.7), copy(1.5, dtype, *sizes)]
            if dtype == "f32" and sizes[0] == 4096:
                peers.append(Peer("onnxruntime", [name, "run"], 0.7))
            size = "x".join(map(str, sizes))
            rows.append(Work(f"{name} {dtype} {size}", "layers", make(dtype, *sizes), peers))
        masked = (384, 256)
        rows.append(Work(f"masked_softmax {dtype} 384x256x256", "layers",
                         p.masked_softmax(dtype, *masked),
                         [Peer("torch", ["masked_softmax", dtype, *masked], 0.7),
                          copy(1.5, dtype, *masked, masked[1])]))
        peers = [Peer("torch", ["attention", dtype, 12, 128, 64], 0.7)]
        if dtype == "f32":
            peers.append(Peer("onnxruntime", ["attention", "run"], 0.7))
        rows.append(Work(f"attention {dtype} 12x128x64", "layers",
                         p.attention(dtype, 12, 128, 64), peers))
    return rows


def losses():
    """And what else comes with training: normalisation by groups, gradients of layers."""
    return [Work(f"{name} f32 {'x'.join(map(str, sizes))}", "losses", make(*sizes),
                 [Peer("torch", [name, *sizes], 1.0)])
            for name, make, sizes in (("cross_entropy", p.cross_entropy, (1024, 32000)),
                                      ("norm", p.norm, (1 << 24,)),
                                      ("squared_error", p.squared_error, (4096, 4096)),
                                      ("group_norm", p.group_norm, (8, 64, 64, 256, 32)),
                                      ("layer_norm_gradient", p.layer_norm_gradient, (4096, 1024)),
                                      ("cumulative_sum", p.cumulative_sum, (1024, 4096)))]


def recurrent():
    """Layers that go through a sequence step by step, which leave their weights as they are."""
    steps, size = 100, 512
    return [Work(f"lstm f32 {rows}x{size}, {steps} steps", "recurrent", p.lstm(rows, size, steps),
                 [Peer("onnxruntime", [f"lstm_{rows}x{size}", "run"]),
                  Peer("torch", ["lstm", rows, size, steps], 1.0)])
            for rows in (1, 16, 64)]


def memory():
    rows = []
    sizes = (4096, 4096)
    for dtype in ("f32", "bf16"):
        for name, dims in (("rows", [1]), ("columns", [0]), ("all", [0, 1])):
            peers = [Peer("memory", ["read", memory_bytes(dtype, *sizes)], 1.25),
                     Peer("torch", ["reduce", dtype, ",".join(map(str, dims)), *sizes])]
            rows.append(Work(f"sum of {name} {dtype} 4096x4096", "memory",
                             p.reduce(dtype, sizes, dims), peers))
        for sizes_in, permutation in (((4096, 4096), (1, 0)), ((64, 12, 128, 64), (0, 2, 1, 3))):
            order = ",".join(map(str, permutation))
            name = f"transpose {dtype} {'x'.join(map(str, sizes_in))} by {order}"
            rows.append(Work(name, "memory", p.transpose(dtype, sizes_in, permutation),
                             [copy(1 / 0.6, dtype, *sizes_in),
                              Peer("torch", ["transpose", dtype, order, *sizes_in])]))
        rows.append(Work(f"1x4096 times 4096x4096 {dtype}", "memory",
                         c.dot(dtype, 1, 1, 4096, 4096),
                         [Peer("memory", ["read", memory_bytes(dtype, *sizes)], 1.25)]))
    rows.append(Work("1x4096 times 4096x4096 s8 as f32", "memory", c.dot_of_bytes(1, 4096, 4096),
                     [Peer("memory", ["read", memory_bytes("s8", *sizes)], 1.25)]))
    return rows


def lookups():
    rows = []
    for name, make, count in (("sort", p.sort, 1 << 22), ("argsort", p.argsort, 1 << 20),
                              ("sort_pairs", p.sort_pairs, 1 << 20)):
        rows.append(Work(f"{name} {count >> 20}M f32", "lookups", make(count),
                         [Peer("numpy", [name, count], 0.2), Peer("torch", [name, count], 1 / 3)]))
    for name, make, sizes in (("sort_rows", p.sort_rows, (1024, 4096)),
                              ("argsort_rows", p.argsort_rows, (1024, 512))):
        rows.append(Work(f"{name} bf16 {sizes[0]}x{sizes[1]}", "lookups", make("bf16", *sizes),
                         [Peer("torch", [name, "bf16", *sizes], 1 / 3)]))
    for dtype, count in (("f32", 1), ("bf16", 1), ("f32", 64), ("bf16", 64)):
        rows.append(Work(f"topk 10 of {dtype} {count}x50000", "lookups",
                         p.topk(dtype, count, 50000, 10),
                         [Peer("torch", ["topk", dtype, count, 50000, 10], 1.0)]))
    sizes = (100000, 64, 1 << 20)
    rows.append(Work("gather 1M rows of 64 from 100k", "lookups", p.gather(*sizes),
                     [Peer("torch", ["gather", *sizes], 1.0)]))
    rows.append(Work("scatter-add 1M rows of 64 into 100k", "lookups", p.scatter_add(*sizes),
                     [Peer("torch", ["scatter_add", *sizes], 1.0)]))
    return rows


def onednn(kind, dtype, state, sizes, bar=1.1):
    return Peer("onednn", [kind, dtype, state, *sizes], bar)


def dots():
    rows = []
    for size in (128, 256, 512, 1024):
        for dtype in ("f32", "bf16", "s8", "f64"):
            for state in ("fresh", "frozen"):
                peers = []
                if dtype != "f64":
                    peers.append(onednn("dot", dtype, state, [1, size, size, size]))
                if dtype in ("f32", "f64") and state == "fresh":
                    peers.append(Peer("numpy", ["dot", dtype, size, size, size], 1.0))
                if peers:
                    rows.append(Work(f"dot {dtype} {size} {state}", "dots",
                                     c.dot(dtype, 1, size, size, size), peers,
                                     is_frozen=state == "frozen"))
    for dtype in ("f32", "bf16"):
        for name, sizes, turned in (("values", (12, 128, 128, 64), False),
                                    ("scores", (12, 128, 64, 128), True)):
            spec = [*sizes] + (["transposed"] if turned else [])
            rows.append(Work(f"dot {dtype} attention {name}", "dots", c.dot(dtype, *sizes, turned),
                             [onednn("dot", dtype, "fresh", spec)]))
        rows.append(Work(f"dot {dtype} 12x128x64 by 12x64x128", "dots",
                         c.dot(dtype, 12, 128, 64, 128),
                         [onednn("dot", dtype, "fresh", [12, 128, 64, 128])]))
    return rows


def few_rows():
    """A few tokens, say, by the weights of a layer, which are summed over their first dimension or
    over their last."""
    rows = []
    terms, columns = 2048, 4096
    for dtype in ("f32", "bf16"):
        for count in (2, 4, 8, 16, 32, 64):
            for turned in (False, True):
                word = ["transposed"] if turned else []
                peers = [onednn("dot", dtype, "fresh", [1, count, terms, columns, *word]),
                         Peer("memory", ["read", memory_bytes(dtype, terms, columns)])]
                if dtype == "f32":
                    peers.append(Peer("numpy", ["dot", dtype, count, terms, columns, *word], 1.0))
                weights = f"{columns}x{terms} by their rows" if turned else f"{terms}x{columns}"
                rows.append(Work(f"{count} rows {dtype} by {weights}", "few-rows",
                                 c.dot(dtype, 1, count, terms, columns, turned), peers))
        rows += to_heads(dtype)
    return rows


def to_heads(dtype):
    """The same by weights of heads, beside a peer whose weights are one matrix."""
    heads, terms, size = 8, 1536, 512
    return [Work(f"{count} {'row' if count == 1 else 'rows'} {dtype} to {heads} heads of {terms}x{size}"
                 + (" on the left" if is_left else ""), "few-rows",
                 c.dot_to_heads(dtype, count, heads, terms, size, is_left),
                 [onednn("dot", dtype, "fresh", [1, count, terms, heads * size]),
                  Peer("memory", ["read", memory_bytes(dtype, terms, heads * size)])])
            for count in (1, 4, 16) for is_left in (False, True)]


def mobilenet():
    """The convolutions of MobileNet: each step is one of each channel alone, then one of 1x1."""
    convs = [c.Conv(1, (224, 224), 3, 32, (3, 3), (2, 2), ((0, 1), (0, 1)))]
    for size, inputs, outputs, stride in (
            (112, 32, 64, 1), (112, 64, 128, 2), (56, 128, 128, 1), (56, 128, 256, 2),
            (28, 256, 256, 1), (28, 256, 512, 2), (14, 512, 512, 1), (14, 512, 1024, 2),
            (7, 1024, 1024, 1)):
        edges = ((1, 1),) * 2 if stride == 1 else ((0, 1),) * 2
        convs.append(c.Conv(1, (size, size), inputs, inputs, (3, 3), (stride, stride), edges,
                            groups=inputs))
        after = size // stride
        convs.append(c.Conv(1, (after, after), inputs, outputs, (1, 1)))
    return convs


def convolutions():
    convs = [("resnet", conv) for conv in (
        c.read_convolutions(RESNET) if os.path.exists(RESNET) else [])]
    convs += [("mobilenet", conv) for conv in mobilenet()]
    return [Work(f"conv {dtype} {model} {conv.name} {state}", f"convolutions-{dtype}",
                 c.forward(conv, dtype),
                 [onednn("conv", dtype, state, conv.spec())], is_frozen=state == "frozen")
            for dtype in ("f32", "bf16") for model, conv in convs for state in ("fresh", "frozen")]


def planar_convolutions():
    """Images nchw: forms of ResNet-50 in batches of 4, and such of few features."""
    one, same = ((0, 0),) * 2, ((1, 1),) * 2
    convs = [c.Conv(4, (56, 56), 64, 64, (3, 3), (1, 1), same, pixels_last=True),
             c.Conv(4, (28, 28), 128, 128, (3, 3), (1, 1), same, pixels_last=True),
             c.Conv(4, (14, 14), 256, 256, (3, 3), (1, 1), same, pixels_last=True),
             c.Conv(4, (7, 7), 512, 512, (3, 3), (1, 1), same, pixels_last=True),
             c.Conv(4, (56, 56), 256, 512, (1, 1), (2, 2), one, pixels_last=True),
             c.Conv(4, (28, 28), 512, 128, (1, 1), (1, 1), one, pixels_last=True),
             c.Conv(4, (224, 224), 3, 64, (7, 7), (2, 2), ((3, 3),) * 2, pixels_last=True),
             c.Conv(4, (56, 56), 128, 128, (3, 3), (1, 1), same, 128, pixels_last=True),
             c.Conv(4, (256, 256), 1, 1, (11, 11), pixels_last=True),
             c.Conv(4, (128, 128), 64, 3, (3, 3), (1, 1), same, pixels_last=True),
             c.Conv(4, (56, 56), 256, 1, (1, 1), pixels_last=True)]
    return [Work(f"conv f32 {conv.name} {state}", "convolutions-nchw", c.forward(conv, "f32"),
                 [onednn("conv", "f32", state, conv.spec())], is_frozen=state == "frozen")
            for conv in convs for state in ("fresh", "frozen")]


def training():
    """The convolutions of a training step: forward and both gradients, batch 32."""
    one, same = ((0, 0),) * 2, ((1, 1),) * 2
    convs = [c.Conv(32, (56, 56), 64, 64, (3, 3), (1, 1), same),
             c.Conv(32, (56, 56), 256, 64, (1, 1), (1, 1), one),
             c.Conv(32, (56, 56), 256, 128, (1, 1), (2, 2), one),
             c.Conv(32, (28, 28), 128, 128, (3, 3), (1, 1), same),
             c.Conv(32, (28, 28), 128, 128, (3, 3), (2, 2), ((0, 1),) * 2),
             c.Conv(32, (14, 14), 256, 256, (3, 3), (1, 1), same),
             c.Conv(32, (7, 7), 512, 512, (3, 3), (1, 1), same),
             c.Conv(32, (230, 230), 3, 64, (7, 7), (2, 2), one)]
    convs += [dataclasses.replace(conv, pixels_last=True) for conv in convs[:6:3]]
    kinds = (("conv", c.forward), ("dgrad", c.image_gradient), ("wgrad", c.kernel_gradient))
    return [Work(f"{kind} {dtype} {conv.name}", f"training-{dtype}", make(conv, dtype),
                 [onednn(kind, dtype, "fresh", conv.spec(), 1.2)])
            for dtype in ("f32", "bf16") for conv in convs for kind, make in kinds]


def all_work():
    return (models() + elementwise() + layers() + losses() + recurrent() + memory() + lookups() + dots() +
            few_rows() + convolutions() + planar_convolutions() + training())
