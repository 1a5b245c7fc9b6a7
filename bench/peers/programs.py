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


def choices(dtype, count):
    """What comparisons choose, and what is made of it: eight operations."""
    array, truth = shape(dtype, [count]), shape("pred", [count])
    lines = [f"  x = {array} parameter(0)"]
    for name, value in (("zero", 0), ("slope", 0.25), ("end", 0.75)):
        lines += [f"  {name} = {dtype}[] constant({value})",
                  f"  {name}s = {array} broadcast({name}), dimensions={{}}"]
    return program("\n".join(lines + [
        f"  is_above = {truth} compare(x, zeros), direction=GT",
        f"  small = {array} multiply(x, slopes)",
        f"  leaky = {array} select(is_above, x, small)",
        f"  is_inside = {truth} compare(leaky, ends), direction=LT",
        f"  is_kept = {truth} and(is_above, is_inside)",
        f"  sum = {array} add(leaky, x)",
        f"  kept = {array} select(is_kept, sum, x)",
        f"  ROOT y = {array} subtract(kept, slopes)"]))


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


def masked_softmax(dtype, heads, length):
    """Of scores of attention, those of later places hidden."""
    body = """  scores = TYPE[ROWS,COLUMNS] parameter(0)
  row = s32[COLUMNS,COLUMNS] iota(), iota_dimension=0
  column = s32[COLUMNS,COLUMNS] iota(), iota_dimension=1
  is_before = pred[COLUMNS,COLUMNS] compare(row, column), direction=GE
  mask = pred[ROWS,COLUMNS] broadcast(is_before), dimensions={1,2}
  little = TYPE[] constant(-1e9)
  hidden = TYPE[ROWS,COLUMNS] broadcast(little), dimensions={}
  x = TYPE[ROWS,COLUMNS] select(mask, scores, hidden)
""" + SOFTMAX + "  ROOT y = TYPE[ROWS,COLUMNS] divide(powers, totals)"
    return program(fill(body, TYPE=dtype, ROWS=f"{heads},{length}", COLUMNS=length, LAST=2,
                        KEPT="0,1"), fill(REDUCERS, TYPE=dtype))


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



def cross_entropy(rows, classes):
    """The sum over rows of the logarithms of the shares that softmax gives the labels."""
    return program(fill("""  x = f32[ROWS,CLASSES] parameter(0)
  labels = s32[ROWS] parameter(1)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  top = f32[ROWS] reduce(x, low), dimensions={1}, to_apply=max
  tops = f32[ROWS,CLASSES] broadcast(top), dimensions={0}
  below = f32[ROWS,CLASSES] subtract(x, tops)
  powers = f32[ROWS,CLASSES] exponential(below)
  total = f32[ROWS] reduce(powers, zero), dimensions={1}, to_apply=sum
  logarithm = f32[ROWS] log(total)
  logarithms = f32[ROWS,CLASSES] broadcast(logarithm), dimensions={0}
  shares = f32[ROWS,CLASSES] subtract(below, logarithms)
  numbers = s32[ROWS,CLASSES] iota(), iota_dimension=1
  all_labels = s32[ROWS,CLASSES] broadcast(labels), dimensions={0}
  is_label = pred[ROWS,CLASSES] compare(numbers, all_labels), direction=EQ
  zeros = f32[ROWS,CLASSES] broadcast(zero), dimensions={}
  chosen = f32[ROWS,CLASSES] select(is_label, shares, zeros)
  losses = f32[ROWS] reduce(chosen, zero), dimensions={1}, to_apply=sum
  ROOT loss = f32[] reduce(losses, zero), dimensions={0}, to_apply=sum""", ROWS=rows,
                        CLASSES=classes), fill(REDUCERS, TYPE="f32"))


def norm(count):
    return program(fill("""  x = f32[COUNT] parameter(0)
  squares = f32[COUNT] multiply(x, x)
  zero = f32[] constant(0)
  total = f32[] reduce(squares, zero), dimensions={0}, to_apply=sum
  ROOT norm = f32[] sqrt(total)""", COUNT=count), fill(REDUCERS, TYPE="f32"))


def squared_error(rows, columns):
    return program(fill("""  x = f32[ROWS,COLUMNS] parameter(0)
  y = f32[ROWS,COLUMNS] parameter(1)
  difference = f32[ROWS,COLUMNS] subtract(x, y)
  squares = f32[ROWS,COLUMNS] multiply(difference, difference)
  zero = f32[] constant(0)
  ROOT total = f32[] reduce(squares, zero), dimensions={0,1}, to_apply=sum""", ROWS=rows,
                        COLUMNS=columns), fill(REDUCERS, TYPE="f32"))


def group_norm(batch, height, width, features, groups):
    """Features are innermost."""
    return program(fill("""  array = f32[BATCH,HEIGHT,WIDTH,FEATURES] parameter(0)
  scale = f32[FEATURES] parameter(1)
  shift = f32[FEATURES] parameter(2)
  x = f32[SPLIT] reshape(array)
  zero = f32[] constant(0)
  total = f32[BATCH,GROUPS] reduce(x, zero), dimensions={1,2,4}, to_apply=sum
  squares = f32[SPLIT] multiply(x, x)
  squared = f32[BATCH,GROUPS] reduce(squares, zero), dimensions={1,2,4}, to_apply=sum
  length = f32[] constant(LENGTH)
  lengths = f32[BATCH,GROUPS] broadcast(length), dimensions={}
  mean = f32[BATCH,GROUPS] divide(total, lengths)
  mean_square = f32[BATCH,GROUPS] divide(squared, lengths)
  square_mean = f32[BATCH,GROUPS] multiply(mean, mean)
  variance = f32[BATCH,GROUPS] subtract(mean_square, square_mean)
  epsilon = f32[] constant(1e-5)
  epsilons = f32[BATCH,GROUPS] broadcast(epsilon), dimensions={}
  above = f32[BATCH,GROUPS] add(variance, epsilons)
  factor = f32[BATCH,GROUPS] rsqrt(above)
  means = f32[SPLIT] broadcast(mean), dimensions={0,3}
  factors = f32[SPLIT] broadcast(factor), dimensions={0,3}
  centred = f32[SPLIT] subtract(x, means)
  split_normed = f32[SPLIT] multiply(centred, factors)
  normed = f32[BATCH,HEIGHT,WIDTH,FEATURES] reshape(split_normed)
  scales = f32[BATCH,HEIGHT,WIDTH,FEATURES] broadcast(scale), dimensions={3}
  shifts = f32[BATCH,HEIGHT,WIDTH,FEATURES] broadcast(shift), dimensions={3}
  scaled = f32[BATCH,HEIGHT,WIDTH,FEATURES] multiply(normed, scales)
  ROOT y = f32[BATCH,HEIGHT,WIDTH,FEATURES] add(scaled, shifts)""",
                        SPLIT=f"BATCH,HEIGHT,WIDTH,GROUPS,{features // groups}", BATCH=batch,
                        HEIGHT=height, WIDTH=width, FEATURES=features, GROUPS=groups,
                        LENGTH=height * width * features // groups), fill(REDUCERS, TYPE="f32"))


def layer_norm_gradient(rows, columns):
    """By the input, the scale and the shift."""
    return program(fill("""  x = f32[ROWS,COLUMNS] parameter(0)
  gradient = f32[ROWS,COLUMNS] parameter(1)
  scale = f32[COLUMNS] parameter(2)
  mean = f32[ROWS] parameter(3)
  factor = f32[ROWS] parameter(4)
  zero = f32[] constant(0)
  means = f32[ROWS,COLUMNS] broadcast(mean), dimensions={0}
  factors = f32[ROWS,COLUMNS] broadcast(factor), dimensions={0}
  centred = f32[ROWS,COLUMNS] subtract(x, means)
  normed = f32[ROWS,COLUMNS] multiply(centred, factors)
  scales = f32[ROWS,COLUMNS] broadcast(scale), dimensions={1}
  scaled = f32[ROWS,COLUMNS] multiply(gradient, scales)
  product = f32[ROWS,COLUMNS] multiply(scaled, normed)
  total = f32[ROWS] reduce(scaled, zero), dimensions={1}, to_apply=sum
  product_total = f32[ROWS] reduce(product, zero), dimensions={1}, to_apply=sum
  length = f32[] constant(COLUMNS)
  lengths = f32[ROWS] broadcast(length), dimensions={}
  first = f32[ROWS] divide(total, lengths)
  second = f32[ROWS] divide(product_total, lengths)
  firsts = f32[ROWS,COLUMNS] broadcast(first), dimensions={0}
  seconds = f32[ROWS,COLUMNS] broadcast(second), dimensions={0}
  along = f32[ROWS,COLUMNS] multiply(normed, seconds)
  rest = f32[ROWS,COLUMNS] subtract(scaled, firsts)
  across = f32[ROWS,COLUMNS] subtract(rest, along)
  by_input = f32[ROWS,COLUMNS] multiply(across, factors)
  by_scales = f32[ROWS,COLUMNS] multiply(gradient, normed)
  by_scale = f32[COLUMNS] reduce(by_scales, zero), dimensions={0}, to_apply=sum
  by_shift = f32[COLUMNS] reduce(gradient, zero), dimensions={0}, to_apply=sum
  ROOT r = (f32[ROWS,COLUMNS], f32[COLUMNS], f32[COLUMNS]) tuple(by_input, by_scale, by_shift)""",
                        ROWS=rows, COLUMNS=columns), fill(REDUCERS, TYPE="f32"))


def cumulative_sum(rows, columns):
    return program(fill("""  x = f32[ROWS,COLUMNS] parameter(0)
  zero = f32[] constant(0)
  ROOT y = f32[ROWS,COLUMNS] reduce-window(x, zero), window={size=1xCOLUMNS pad=0_0xBEFORE_0}, to_apply=sum""",
                        BEFORE=columns - 1, ROWS=rows, COLUMNS=columns),
                   fill(REDUCERS, TYPE="f32"))


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


def spelled_random_bits(count):
    """Threefry as JAX writes it: numbers from 0 to `count`, both halves mixed with a key."""
    half = count // 2
    array = shape("u32", [half])
    lines = ["  key = u32[2] parameter(0)"]
    for i in (0, 1):
        lines += [f"  part{i} = u32[1] slice(key), slice={{[{i}:{i + 1}]}}",
                  f"  key{i} = u32[] reshape(part{i})"]
    lines += ["  parity = u32[] constant(466688986)", "  both = u32[] xor(key0, key1)",
              "  key2 = u32[] xor(both, parity)",
              f"  place = u32[{count}] iota(), iota_dimension=0"]
    for i in range(3):
        lines.append(f"  keys{i} = {array} broadcast(key{i}), dimensions={{}}")
    for i in (0, 1):
        lines += [f"  given{i} = {array} slice(place), slice={{[{i * half}:{(i + 1) * half}]}}",
                  f"  x{i}.0 = {array} add(given{i}, keys{i})"]
    number = 0

    def add(name, opcode, a, b):
        lines.append(f"  {name} = {array} {opcode}({a}, {b})")
        return name

    def amount(value):
        nonlocal number
        number += 1
        lines.extend([f"  amount{number} = u32[] constant({value})",
                      f"  amounts{number} = {array} broadcast(amount{number}), dimensions={{}}"])
        return f"amounts{number}"

    x, y = "x0.0", "x1.0"
    for group in range(5):
        for i, distance in enumerate([[13, 15, 26, 6], [17, 29, 16, 24]][group % 2]):
            name = f"{group}.{i}"
            x = add(f"sum{name}", "add", x, y)
            left = add(f"left{name}", "shift-left", y, amount(distance))
            right = add(f"right{name}", "shift-right-logical", y, amount(32 - distance))
            y = add(f"mixed{name}", "xor", add(f"turned{name}", "or", left, right), x)
        x = add(f"x0.{group + 1}", "add", x, f"keys{(group + 1) % 3}")
        keyed = add(f"keyed{group}", "add", y, f"keys{(group + 2) % 3}")
        y = add(f"x1.{group + 1}", "add", keyed, amount(group + 1))
    lines.append(f"  ROOT bits = u32[{count}] concatenate({x}, {y}), dimensions={{0}}")
    return program("\n".join(lines))


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


def lstm(rows, size, steps):
    """A layer of `size` units over `steps` steps of `rows` sequences, in a loop as jax.lax.scan has
    it: what the loop reads of each step is beside its state."""
    state = ("(s32[], f32[ROWS,SIZE], f32[ROWS,SIZE], f32[STEPS,ROWS,SIZE], f32[STEPS,ROWS,SIZE], "
             "f32[SIZE,GATES], f32[SIZE,GATES], f32[GATES])")
    computations = """
cond {
  s = STATE parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(STEPS)
  ROOT goes_on = pred[] compare(i, n), direction=LT
}
body {
  s = STATE parameter(0)
  i = s32[] get-tuple-element(s), index=0
  hidden = f32[ROWS,SIZE] get-tuple-element(s), index=1
  cell = f32[ROWS,SIZE] get-tuple-element(s), index=2
  inputs = f32[STEPS,ROWS,SIZE] get-tuple-element(s), index=3
  outputs = f32[STEPS,ROWS,SIZE] get-tuple-element(s), index=4
  of_input = f32[SIZE,GATES] get-tuple-element(s), index=5
  of_hidden = f32[SIZE,GATES] get-tuple-element(s), index=6
  bias = f32[GATES] get-tuple-element(s), index=7
  zero = s32[] constant(0)
  part = f32[1,ROWS,SIZE] dynamic-slice(inputs, i, zero, zero), dynamic_slice_sizes={1,ROWS,SIZE}
  x = f32[ROWS,SIZE] reshape(part)
  from_input = f32[ROWS,GATES] dot(x, of_input), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  from_hidden = f32[ROWS,GATES] dot(hidden, of_hidden), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  both = f32[ROWS,GATES] add(from_input, from_hidden)
  biases = f32[ROWS,GATES] broadcast(bias), dimensions={1}
  gates = f32[ROWS,GATES] add(both, biases)
  g0 = f32[ROWS,SIZE] slice(gates), slice={[0:ROWS], [0:SIZE]}
  g1 = f32[ROWS,SIZE] slice(gates), slice={[0:ROWS], [SIZE:END1]}
  g2 = f32[ROWS,SIZE] slice(gates), slice={[0:ROWS], [END1:END2]}
  g3 = f32[ROWS,SIZE] slice(gates), slice={[0:ROWS], [END2:GATES]}
  takes = f32[ROWS,SIZE] logistic(g0)
  keeps = f32[ROWS,SIZE] logistic(g1)
  new = f32[ROWS,SIZE] tanh(g2)
  shows = f32[ROWS,SIZE] logistic(g3)
  kept = f32[ROWS,SIZE] multiply(keeps, cell)
  taken = f32[ROWS,SIZE] multiply(takes, new)
  next_cell = f32[ROWS,SIZE] add(kept, taken)
  curve = f32[ROWS,SIZE] tanh(next_cell)
  next_hidden = f32[ROWS,SIZE] multiply(shows, curve)
  row = f32[1,ROWS,SIZE] reshape(next_hidden)
  next_outputs = f32[STEPS,ROWS,SIZE] dynamic-update-slice(outputs, row, i, zero, zero)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT r = STATE tuple(next, next_hidden, next_cell, inputs, next_outputs, of_input, of_hidden, bias)
}
"""
    body = """  inputs = f32[STEPS,ROWS,SIZE] parameter(0)
  of_input = f32[SIZE,GATES] parameter(1)
  of_hidden = f32[SIZE,GATES] parameter(2)
  bias = f32[GATES] parameter(3)
  first = s32[] constant(0)
  nothing = f32[] constant(0)
  start = f32[ROWS,SIZE] broadcast(nothing), dimensions={}
  outputs = f32[STEPS,ROWS,SIZE] broadcast(nothing), dimensions={}
  init = STATE tuple(first, start, start, inputs, outputs, of_input, of_hidden, bias)
  loop = STATE while(init), condition=cond, body=body
  ROOT result = f32[STEPS,ROWS,SIZE] get-tuple-element(loop), index=4"""
    values = {"STATE": state, "STEPS": steps, "ROWS": rows, "SIZE": size, "GATES": 4 * size,
              "END1": 2 * size, "END2": 3 * size}
    return program(fill(body, **values), fill(computations, **values))
