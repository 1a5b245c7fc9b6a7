"""XLA's HLO text: parse, verify, format and run it.

    module = hlokit.parse(jax.jit(f).lower(x).as_text(dialect="hlo"))
    for finding in module.verify(): print(finding)
    y = module.run(x)
"""
import dataclasses as _dataclasses
import warnings as _warnings

import numpy as _numpy

from . import _hlokit

__all__ = ["Error", "Finding", "Module", "ParseError", "RunError", "backends", "parse"]

backends = tuple(_hlokit.backends)


@_dataclasses.dataclass(frozen=True)
class Finding:
    """What is said about a place of a text. `str()` shows the line and the place in it."""

    severity: str  # "error", "warning" or "note"
    rule: str  # a stable id; `hlo-verify --explain=RULE` says more
    message: str
    file: str
    line: int  # from 1
    column: int  # from 1, in bytes
    text: str = _dataclasses.field(repr=False)

    def __str__(self):
        return self.text


class Error(ValueError):
    """A text or a run is not as it should be: `findings` says where and why."""

    def __init__(self, findings):
        self.findings = findings
        super().__init__("\n".join(map(str, findings)))


class ParseError(Error):
    """The text cannot be read."""


class RunError(Error):
    """The program cannot be run, its arguments do not fit, or it failed."""


def parse(text, name="<string>"):
    """The module that `text` (str, or bytes in UTF-8) holds; `name` is how messages call it.

    Raises ParseError.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
    elif not isinstance(text, str):
        raise TypeError(f"text is {type(text).__name__}, expected str or bytes")
    parsed, findings = _hlokit.parse(text, name)
    findings = [Finding(*fields) for fields in findings]
    if parsed is None:
        raise ParseError(findings)
    return Module(parsed, findings)


class Module:
    """An HLO module. Made by `parse`."""

    def __init__(self, parsed, findings):
        self._parsed = parsed
        self._findings = findings

    @property
    def name(self):
        return self._parsed.name

    @property
    def parameters(self):
        """(name, shape) of each parameter of the entry computation."""
        return self._parsed.parameters

    @property
    def result_shape(self):
        return self._parsed.result_shape

    def __repr__(self):
        return f"<hlokit.Module {self.name}>"

    def verify(self):
        """What breaks the rules of HLO, as a list of findings in the order of the text."""
        return self._findings + [Finding(*fields) for fields in self._parsed.verify()]

    def format(self, style="pretty", *, metadata=True):
        """The text in a style of hlo-fmt. Raises Error where that cannot be done."""
        _check(style, _hlokit.styles, "style")
        text, findings = self._parsed.format(style, metadata)
        if text is None:
            raise Error([Finding(*fields) for fields in findings])
        return text

    def run(self, *arrays, seed=42, backend=None, cast="exact", fake=None, memory_limit=None,
            threads=None, trace=None, first_nan=False):
        """The result: an array, or a (nested) tuple of arrays for a tuple.

        arrays: for each parameter in order something numpy makes an array of, for tuples a tuple.
          Numbers and lists take the parameter's type. Arrays of another type are converted where no
          element changes (cast="exact"), always ("any") or never ("none").
        seed: of random instructions and generated values.
        backend: one of `backends`; None: the default.
        fake: how arguments that are not given are made ("random", "zeros" ...); None: all are given.
        memory_limit: bytes; programs that take more are refused. None: 90 % of the machine's.
        threads: for backends that use several; None: one for each processor.
        trace: called as trace(name, array) with the results of each instruction as it runs.
        first_nan: raise RunError where the first NaN is made or taken.

        Raises RunError.
        """
        settings = _hlokit.RunSettings()
        settings.backend = _check(backend, backends, "backend") or ""
        settings.cast = _check(cast, _hlokit.cast_rules, "cast")
        settings.fake = _check(fake, _hlokit.fake_kinds, "fake") or ""
        settings.seed = seed
        if threads is not None and not 1 <= threads <= 1024:
            raise ValueError(f"threads is {threads}, expected 1 to 1024")
        settings.max_byte_size = memory_limit
        settings.threads = threads
        settings.trace = trace
        settings.first_nan = first_nan
        if trace is not None and first_nan:
            raise ValueError("trace and first_nan exclude each other")
        result, findings = self._parsed.run(tuple(map(_argument, arrays)), settings)
        findings = [Finding(*fields) for fields in findings]
        if any(finding.severity == "error" for finding in findings):
            raise RunError(findings)
        for finding in findings:
            _warnings.warn(finding.message, stacklevel=2)
        return result


def _check(value, names, what):
    if value is not None and value not in names:
        raise ValueError(f"{what} is {value!r}, expected one of {', '.join(names)}")
    return value


def _argument(value):
    """(array or tuple of arrays, whether its type is a guess)."""
    is_guess = not hasattr(value, "dtype") and not isinstance(value, tuple)
    return _array(value), is_guess


def _array(value):
    if isinstance(value, tuple):
        return tuple(map(_array, value))
    array = _numpy.asarray(value, order="C")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
