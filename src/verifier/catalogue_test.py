"""Every violation that the catalogue of rules shows gets the verdict that the catalogue states.

usage: catalogue_test.py HLO_VERIFY CATALOGUE TESTDATA_VERIFY
The catalogue gives each rule a severity and a one-line snippet, whose operands have "the obvious
shape". Snippets that stand alone are run as they are: instructions as single-instruction texts
(operands without a shape get one of a few), computations and headers with what is missing around
them. The rest is put into the rule's accepted golden, as far as attributes go; for what is still
left the rule's own golden answers, whose verdict must be the catalogue's too.
"""

import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ENTRY = "\nENTRY e {\n  ROOT p = f32[4] parameter(0)\n}\n"
# The catalogue's severity: what --list-rules says, the flags that show it, the word in messages.
SEVERITIES = {
    "E": ("error", [], "error"),
    "E!": ("error", [], "error"),
    "W": ("warning", [], "warning"),
    "N": ("note", ["--notes"], "note"),
    "E[L]": ("off, with --layout-sensitive error", ["--layout-sensitive"], "error"),
    "W, E[L]": ("warning, with --layout-sensitive error", ["--layout-sensitive"], "error"),
    "E[S]": ("off, with --strict=", ["--strict=all"], "error"),
    "E[P]/W": ("warning, with --strict-precision error", ["--strict-precision"], "error"),
    "E (letters) / W (count, non-D)": ("error", [], "error"),
    "E (misplaced) / N": ("error", [], "error"),
    "W (E with `--no-unbounded`)": ("warning, with --no-unbounded error", [], "warning"),
}
# Severities that depend on more than a mode.
OTHERWISE = {
    "shape.dynamic-flags": ("note", ["--notes"], "note"),
    # A builder's precondition: in text convolution.rank comes first.
    "convolution.min-rank": None,
    # Of written shapes XLA does not demand it.
    "collective-broadcast.dynamic-root": ("warning", [], "warning"),
}
FILLINGS = ("f32[4]", "f32[]", "s32[]", "token[]", "pred[]", "(f32[])", "f32[4,4]")


def balanced(text, begin):
    """The end of the value that starts at `begin`: at a comma or blank outside of brackets."""
    depth = 0
    for i in range(begin, len(text)):
        if text[i] in "{([":
            depth += 1
        elif text[i] in "})]":
            depth -= 1
            if depth < 0:
                return i
        elif depth == 0 and text[i] in ", \n":
            return i
    return len(text)


def split_list(text):
    items, depth, begin = [], 0, 0
    for i, char in enumerate(text):
        depth += (char in "{([") - (char in "})]")
        if char == "," and depth == 0:
            items.append(text[begin:i].strip())
            begin = i + 1
    return items + [text[begin:].strip()] if text.strip() else []


def closing(text):
    """Where the bracket closes that was opened before `text`."""
    depth = 0
    for i, char in enumerate(text):
        depth += (char in "{([") - (char in "})]")
        if depth < 0:
            return i
    return len(text)


class Rules:
    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        listing = subprocess.run(
            [tool, "--list-rules", "--format=json"], check=True, capture_output=True, text=True
        )
        self.severities = {rule["id"]: rule["severity"] for rule in json.loads(listing.stdout)}

    def reports(self, text, rule, expectation):
        """Whether the text gets a message of the rule, of the expected severity."""
        _, flags, word = expectation
        with tempfile.NamedTemporaryFile("w", suffix=".hlo") as file:
            file.write(text)
            file.flush()
            command = [self.tool, "--no-config", "--diagnostics=concise", *flags, file.name]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode not in (0, 1):
            sys.exit(f"exit code {result.returncode} of {command}:\n{text}")
        pattern = re.compile(rf": {word}: .*\[{re.escape(rule)}\]$")
        is_reported = any(pattern.search(line) for line in result.stderr.splitlines())
        return is_reported and (word != "error" or result.returncode == 1)

    def golden(self, name):
        path = self.folder / name
        if not path.exists():
            return ""
        lines = path.read_text(encoding="utf-8").splitlines()
        return "".join(line + "\n" for line in lines if not line.startswith("//"))


def filled(snippet):
    """The instruction with shapes before the operands that have none, in several ways."""
    match = re.match(r"(\w+ = \S.*? [a-z][a-z0-9-]*\()(.*)$", snippet)
    if not match:
        yield snippet
        return
    head, rest = match.groups()
    end = closing(rest)
    operands, tail = split_list(rest[:end]), rest[end:]
    if "constant(" in head or "parameter(" in head:
        yield snippet
        return
    bare = [i for i, operand in enumerate(operands) if re.fullmatch(r"\w+", operand)]
    shaped = [operand.rsplit(" ", 1)[0] for operand in operands if " " in operand]
    result = head.split(" = ", 1)[1].rsplit(" ", 1)[0]
    choices = list(dict.fromkeys(shaped[:1] + [result] + list(FILLINGS)))
    for shapes in itertools.product(choices, repeat=len(bare)):
        for i, shape in zip(bare, shapes):
            operands[i] = f"{shape} {operands[i].rsplit(' ', 1)[-1]}"
        yield head + ", ".join(operands) + tail


def self_contained(snippet):
    """Whole texts that say what the snippet says; none when it needs what it does not show."""
    if "…" in snippet or re.search(r"(to_apply|calls|condition|select|branch_computations)=", snippet):
        return
    if re.match(r"HloModule \S", snippet):
        yield snippet + ENTRY
    elif re.match(r"(input_output_alias|buffer_donor|entry_computation_layout)=", snippet):
        yield "HloModule m, " + snippet + ENTRY
    elif snippet.endswith("}") and re.match(r"ENTRY \w+ \{", snippet):
        yield snippet
    elif snippet.endswith("}") and re.match(r"\w+ (\(.*\) -> \S+ )?\{", snippet):
        yield "HloModule m\n" + snippet.replace("  ", "\n  ") + ENTRY
    elif snippet.startswith("sharding="):
        for shape in ("f32[4]", "f32[4,4]"):
            yield f"p = {shape} parameter(0), {snippet}"
    elif re.match(r"\w+ = \S+ .*\)", snippet) and "  " not in snippet and "#" not in snippet:
        yield from filled(snippet)


def in_golden(snippet, golden):
    """The accepted golden with the attributes of the snippet instead of its own."""
    attributes = re.findall(r"([a-z_-]+)=", snippet)
    text = golden
    for key in dict.fromkeys(attributes):
        begin = re.search(rf"(?<![a-z_-]){re.escape(key)}=", snippet).start()
        value = snippet[begin : balanced(snippet, begin)]
        if "…" in value:
            continue
        place = re.search(rf"(?<![a-z_-]){re.escape(key)}=", text)
        if place is None:
            return None
        text = text[: place.start()] + value + text[balanced(text, place.start()) :]
    return text if text != golden else None


def how_shown(rules, rule, violation, expectation):
    """Where the violation was seen: "alone", "in a golden", "as a golden"; None: nowhere."""
    snippets = re.findall(r"`([^`]+)`", re.sub(r"\*\(.*?\)\*", "", violation))
    alone = list(self_contained(snippets[0])) if len(snippets) == 1 else []
    if any(rules.reports(text, rule, expectation) for text in alone):
        return "alone"
    accepted = rules.golden(f"{rule}_ok.hlo")
    texts = [in_golden(snippet, accepted) for snippet in snippets]
    if any(text and rules.reports(text, rule, expectation) for text in texts):
        return "in a golden"
    if rules.reports(rules.golden(f"{rule}.hlo"), rule, expectation):
        return "as a golden"
    return None


def rows(catalogue):
    for line in catalogue.splitlines():
        if not line.startswith("| `"):
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if len(cells) != 5 or "." not in cells[0]:
            continue
        for rule in re.findall(r"`([^`]+)`", cells[0]):
            yield rule, cells[2], cells[4].replace(r"\|", "|")


def main():
    tool, path, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    rules = Rules(tool, folder)
    exceptions = json.loads((folder / "coverage.json").read_text(encoding="utf-8"))["reported_as"]
    unit_tests = (pathlib.Path(__file__).parent / "verifier_test.cc").read_text(encoding="utf-8")
    counts, failures = {}, []
    for rule, severity, violation in rows(path.read_text(encoding="utf-8")):
        if severity in ("E (builder API)", "–"):
            continue
        expectation = OTHERWISE.get(rule, SEVERITIES.get(severity.split(" (E[L]")[0]))
        if expectation is None and rule in OTHERWISE:
            continue
        listed = rules.severities.get(rule, rules.severities.get(f"<opcode>.{rule.split('.')[-1]}"))
        if expectation is None or listed is None or not listed.startswith(expectation[0]):
            failures.append(f"{rule}: {severity} in the catalogue, listed as {listed}")
            continue
        shown_as = exceptions.get(rule, {}).get("id", rule)
        if rule == "<opcode>.result-shape":
            shown_as = "negate.result-shape"
        place = how_shown(rules, shown_as, violation, expectation)
        if place is None and f'"{rule}"' in unit_tests:
            place = "in a unit test"
        if place is None:
            failures.append(f"{rule}: not reported as {expectation[2]} for {violation}")
        counts[place] = counts.get(place, 0) + 1
    print("\n".join(failures))
    print(", ".join(f"{count} {place}" for place, count in counts.items() if place))
    sys.exit(1 if failures else 0)


main()
