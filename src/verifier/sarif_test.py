"""The SARIF output has the structure that SARIF 2.1.0 requires. usage: sarif_test.py HLO_VERIFY

Without network the published schema is not to be had: SCHEMA holds the parts of it that concern
what we write, by hand. jsonschema checks it when it is installed; the walk below always does.
"""

import json
import subprocess
import sys

TEXT = """HloModule m

ENTRY main {
  p = f32[4] parameter(0)
  a = f32[5] negate(p)
  ROOT b = f32[4] add(p, q)
}
"""
BAD_SHAPE = TEXT.replace("add(p, q)", "add(p, p)")

POSITION = {"type": "integer", "minimum": 1}
MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
REGION = {
    "type": "object",
    "required": ["startLine"],
    "properties": {
        name: POSITION for name in ("startLine", "startColumn", "endLine", "endColumn")
    },
}
LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "properties": {"uri": {"type": "string"}},
                },
                "region": REGION,
            },
        }
    },
}
RESULT = {
    "type": "object",
    "required": ["message"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": MESSAGE,
        "locations": {"type": "array", "items": LOCATION},
    },
}
RULE = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string"}, "shortDescription": MESSAGE, "help": MESSAGE},
}
DRIVER = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "rules": {"type": "array", "items": RULE}},
}
SCHEMA = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"enum": ["2.1.0"]},
        "$schema": {"type": "string"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {"driver": DRIVER},
                    },
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}
TYPES = {"object": dict, "array": list, "string": str, "integer": int}


def check(value, schema, place="document"):
    if "enum" in schema:
        assert value in schema["enum"], f"{place} is {value}"
        return
    assert isinstance(value, TYPES[schema["type"]]), f"{place} is no {schema['type']}"
    assert value >= schema["minimum"] if "minimum" in schema else True, f"{place} is {value}"
    for name in schema.get("required", []):
        assert name in value, f"{place} has no {name}"
    if schema["type"] == "object":
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                check(value[name], inner, f"{place}.{name}")
    if schema["type"] == "array":
        for index, element in enumerate(value):
            check(element, schema["items"], f"{place}[{index}]")


def sarif_of(tool, text):
    command = [tool, "--diagnostics=sarif", "-"]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return json.loads(result.stderr)


def main():
    tool = sys.argv[1]
    for text, expected in (
        (TEXT, ["negate.result-shape", "ref.operand-defined"]),
        (BAD_SHAPE, ["negate.result-shape"]),
    ):
        document = sarif_of(tool, text)
        check(document, SCHEMA)
        try:
            import jsonschema

            jsonschema.validate(document, SCHEMA)
        except ImportError:
            pass
        results = document["runs"][0]["results"]
        assert [result["ruleId"] for result in results] == expected, results
        for result in results:
            rules = document["runs"][0]["tool"]["driver"]["rules"]
            rule = rules[result["ruleIndex"]]
            assert rule["id"] == result["ruleId"]
            assert rule["shortDescription"]["text"] != rule["id"]
            assert "severity: error\n" in rule["help"]["text"], rule
            location = result["locations"][0]["physicalLocation"]
            assert location["artifactLocation"]["uri"] == "%3Cstdin%3E", location
    check(sarif_of(tool, BAD_SHAPE.replace("f32[5]", "f32[4]")), SCHEMA)
    print("SARIF 2.1.0 structure holds")


main()
