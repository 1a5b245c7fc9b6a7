"""HLO texts of the work that is compared: each function returns the text of a program.

Shapes are lists of sizes, types HLO's names ("f32").
"""

REDUCERS = """
max { p = TYPE[] parameter(0) q = TYPE[] parameter(1) ROOT m = TYPE[] maximum(p, q) }
sum { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }
"""


def shape(dtype, sizes):
    return f"{dtype}[{','.join(map(str, sizes))}]"


def program(body, computations=""):
    return f"HloModule work\n{computations}\nENTRY main {{\n{body}\n}}\n"


def chain(dtype, count):
    """Ten operations with two operands, one of them always the same array."""
    opcodes = ["add", "multiply", "maximum", "subtract", "minimum"]
    array = shape(dtype, [count])
    lines = [f"  v0 = {array} parameter(0)"]
    for i in range(1, 11):
        root = "ROOT " if i == 10 else ""
        lines.append(f"  {root}v{i} = {array} {opcodes[(i - 1) % 5]}(v{i - 1}, v0)")
    return program("\n".join(lines))


def functions(dtype, count, opcodes):
    """One function after the other."""
    array = shape(dtype, [count])
    lines = [f"  v0 = {array} parameter(0)"]
    for i, opcode in enumerate(opcodes, 1):
        root = "ROOT " if i == len(opcodes) else ""
        lines.append(f"  {root}v{i} = {array} {opcode}(v{i - 1})")
    return program("\n".join(lines))


def fill(template, **values):
    """`template` with names in capitals replaced."""
    for name, value in values.items():
        template = template.replace(name, str(value))
    return template


def layer_norm(dtype, rows, columns):
    """Computed in f32, as JAX does it for narrow types."""
    return program(fill("""  x = TYPE[ROWS,COLUMNS] parameter(0)
  scale = TYPE[COLUMNS] parameter(1)
  shift = TYPE[COLUMNS] parameter(2)
  wide = f32[ROWS,COLUMNS] convert(x)
  zero = f32[] constant(0)
  length = f32[] constant(COLUMNS)
  lengths = f32[ROWS] broadcast(length), dimensions={}
  total = f32[ROWS] reduce(wide, zero), dimensions={1}, to_apply=sum
  mean = f32[ROWS] divide(total, lengths)
  means = f32[ROWS,COLUMNS] broadcast(mean), dimensions={0}
  centred = f32[ROWS,COLUMNS] subtract(wide, means)
  squares = f32[ROWS,COLUMNS] multiply(centred, centred)
  squared = f32[ROWS] reduce(squares, zero), dimensions={1}, to_apply=sum
  variance = f32[ROWS] divide(squared, lengths)
  epsilon = f32[] constant(1e-5)
  epsilons = f32[ROWS] broadcast(epsilon), dimensions={}
  above = f32[ROWS] add(variance, epsilons)
  factor = f32[ROWS] rsqrt(above)
  factors = f32[ROWS,COLUMNS] broadcast(factor), dimensions={0}
  normed = f32[ROWS,COLUMNS] multiply(centred, factors)
  wide_scale = f32[COLUMNS] convert(scale)
  scales = f32[ROWS,COLUMNS] broadcast(wide_scale), dimensions={1}
  wide_shift = f32[COLUMNS] convert(shift)
  shifts = f32[ROWS,COLUMNS] broadcast(wide_shift), dimensions={1}
  scaled = f32[ROWS,COLUMNS] multiply(normed, scales)
  shifted = f32[ROWS,COLUMNS] add(scaled, shifts)
  ROOT y = TYPE[ROWS,COLUMNS] convert(shifted)""", TYPE=dtype, ROWS=rows, COLUMNS=columns),
                   fill(REDUCERS, TYPE="f32"))


# As JAX writes it: sums of narrow types are computed in f32.
SOFTMAX = """  low = TYPE[] constant(-inf)
  zero = f32[] constant(0)
  top = TYPE[ROWS] reduce(x, low), dimensions={LAST}, to_apply=max
  tops = TYPE[ROWS,COLUMNS] broadcast(top), dimensions={KEPT}
  below = TYPE[ROWS,COLUMNS] subtract(x, tops)
  powers = TYPE[ROWS,COLUMNS] exponential(below)
  wide = f32[ROWS,COLUMNS] convert(powers)
  wide_total = f32[ROWS] reduce(wide, zero), dimensions={LAST}, to_apply=sum
  total = TYPE[ROWS] convert(wide_total)
  totals = TYPE[ROWS,COLUMNS] broadcast(total), dimensions={KEPT}
"""


def softmax(dtype, rows, columns):
    body = "  x = TYPE[ROWS,COLUMNS] parameter(0)\n" + SOFTMAX + (
        "  ROOT y = TYPE[ROWS,COLUMNS] divide(powers, totals)")
    return program(fill(body, TYPE=dtype, ROWS=rows, COLUMNS=columns, LAST=1, KEPT=0),
                   fill(REDUCERS, TYPE=dtype))


def gelu(dtype, rows, columns):
    """With the error function, as jax.nn.gelu(approximate=False): x * erfc(-x / sqrt(2)) / 2."""
    return program(fill("""  x = TYPE[ROWS,COLUMNS] parameter(0)
  half = TYPE[] constant(0.5)
  halves = TYPE[ROWS,COLUMNS] broadcast(half), dimensions={}
  root = TYPE[] constant(0.707106769)
  roots = TYPE[ROWS,COLUMNS] broadcast(root), dimensions={}
  one = TYPE[] constant(1)
  ones = TYPE[ROWS,COLUMNS] broadcast(one), dimensions={}
  small = TYPE[ROWS,COLUMNS] multiply(x, roots)
  curve = TYPE[ROWS,COLUMNS] erf(small)
  above = TYPE[ROWS,COLUMNS] add(curve, ones)
  half_x = TYPE[ROWS,COLUMNS] multiply(x, halves)
  ROOT y = TYPE[ROWS,COLUMNS] multiply(half_x, above)""", TYPE=dtype, ROWS=rows, COLUMNS=columns))


def attention(dtype, heads, length, width):
    """softmax(q k^T / sqrt(width)) v for each head."""
    body = """  q = TYPE[HEADS,LENGTH,WIDTH] parameter(0)
  k = TYPE[HEADS,LENGTH,WIDTH] parameter(1)
  v = TYPE[HEADS,LENGTH,WIDTH] parameter(2)
  scores = TYPE[ROWS,COLUMNS] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  scale = TYPE[] constant(SCALE)
  scales = TYPE[ROWS,COLUMNS] broadcast(scale), dimensions={}
  x = TYPE[ROWS,COLUMNS] multiply(scores, scales)
""" + SOFTMAX + """  shares = TYPE[ROWS,COLUMNS] divide(powers, totals)
  ROOT y = TYPE[HEADS,LENGTH,WIDTH] dot(shares, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"""
    return program(fill(body, TYPE=dtype, ROWS="HEADS,LENGTH", COLUMNS=length, LAST=2, KEPT="0,1",
                        HEADS=heads, LENGTH=length, WIDTH=width, SCALE=width ** -0.5),
                   fill(REDUCERS, TYPE=dtype))


def reduce(dtype, sizes, dims):
    """A sum, of narrow types in f32, as JAX writes it."""
    kept = [size for i, size in enumerate(sizes) if i not in dims]
    lines = [f"  x = {shape(dtype, sizes)} parameter(0)", "  z = f32[] constant(0)"]
    if dtype != "f32":
        lines.append(f"  wide = {shape('f32', sizes)} convert(x)")
    operand, root = ("x", "ROOT ") if dtype == "f32" else ("wide", "")
    lines.append(f"  {root}r = {shape('f32', kept)} reduce({operand}, z), "
                 f"dimensions={{{','.join(map(str, dims))}}}, to_apply=sum")
    if dtype != "f32":
        lines.append(f"  ROOT y = {shape(dtype, kept)} convert(r)")
    return program("\n".join(lines), fill(REDUCERS, TYPE=dtype))


def transpose(dtype, sizes, permutation):
    turned = [sizes[dim] for dim in permutation]
    return program(f"""  x = {shape(dtype, sizes)} parameter(0)
  ROOT y = {shape(dtype, turned)} transpose(x), dimensions={{{','.join(map(str, permutation))}}}""")


LESS = "less { {} ROOT c = pred[] compare(p0, p1), direction=LT }\n"


def less(*types):
    parameters = [f"p{i} = {types[i // 2]}[] parameter({i})" for i in range(2 * len(types))]
    return LESS.replace("{}", " ".join(parameters))


def sort(count):
    return program(f"""  keys = f32[{count}] parameter(0)
  ROOT y = f32[{count}] sort(keys), dimensions={{0}}, to_apply=less""", less("f32"))


def argsort(count):
    return program(f"""  keys = f32[{count}] parameter(0)
  places = s32[{count}] iota(), iota_dimension=0
  pairs = (f32[{count}], s32[{count}]) sort(keys, places), dimensions={{0}}, is_stable=true, to_apply=less
  ROOT y = s32[{count}] get-tuple-element(pairs), index=1""", less("f32", "s32"))


def sort_pairs(count):
    return program(f"""  keys = f32[{count}] parameter(0)
  values = s32[{count}] parameter(1)
  ROOT y = (f32[{count}], s32[{count}]) sort(keys, values), dimensions={{0}}, to_apply=less""",
                   less("f32", "s32"))


def sort_rows(dtype, rows, columns):
    array = shape(dtype, [rows, columns])
    return program(f"""  keys = {array} parameter(0)
  ROOT y = {array} sort(keys), dimensions={{1}}, to_apply=less""", less(dtype))


def argsort_rows(dtype, rows, columns):
    array, places = shape(dtype, [rows, columns]), shape("s32", [rows, columns])
    return program(f"""  keys = {array} parameter(0)
  places = {places} iota(), iota_dimension=1
  pairs = ({array}, {places}) sort(keys, places), dimensions={{1}}, is_stable=true, to_apply=less
  ROOT y = {places} get-tuple-element(pairs), index=1""", less(dtype, "s32"))


def topk(dtype, rows, columns, k):
    return program(f"""  x = {dtype}[{rows},{columns}] parameter(0)
  ROOT y = ({dtype}[{rows},{k}], s32[{rows},{k}]) topk(x), k={k}, largest=true""")


def gather(table_rows, width, count):
    return program(f"""  table = f32[{table_rows},{width}] parameter(0)
  rows = s32[{count},1] parameter(1)
  ROOT y = f32[{count},{width}] gather(table, rows), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,{width}}}""")


def scatter_add(table_rows, width, count):
    return program(f"""  table = f32[{table_rows},{width}] parameter(0)
  rows = s32[{count},1] parameter(1)
  updates = f32[{count},{width}] parameter(2)
  ROOT y = f32[{table_rows},{width}] scatter(table, rows, updates), update_window_dims={{1}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=sum""",
                   fill(REDUCERS, TYPE="f32"))


def random_bits(count):
    return program(f"""  state = u64[2] parameter(0)
  pair = (u64[2], u32[{count}]) rng-bit-generator(state), algorithm=rng_three_fry
  ROOT bits = u32[{count}] get-tuple-element(pair), index=1""")


def counting_loop(iterations, operations):
    """`operations` scalar operations in each iteration, the counter's addition among them."""
    opcodes = ["multiply", "add", "subtract", "maximum", "minimum"]
    steps = [f"  v{i} = f32[] {opcodes[i % 5]}(v{i - 1}, c)" for i in range(1, operations)]
    return program("""  zero = s32[] constant(0)
  x = f32[] parameter(0)
  first = (s32[], f32[]) tuple(zero, x)
  last = (s32[], f32[]) while(first), condition=goes_on, body=step
  ROOT y = f32[] get-tuple-element(last), index=1""", f"""
goes_on {{
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  end = s32[] constant({iterations})
  ROOT c = pred[] compare(i, end), direction=LT
}}
step {{
  p = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v0 = f32[] get-tuple-element(p), index=1
  c = f32[] constant(0.75)
{chr(10).join(steps)}
  ROOT r = (s32[], f32[]) tuple(next, v{operations - 1})
}}
""")
