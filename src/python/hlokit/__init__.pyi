from collections.abc import Callable
from typing import Any

from numpy import ndarray
from numpy.typing import ArrayLike

backends: tuple[str, ...]

class Finding:
    severity: str
    rule: str
    message: str
    file: str
    line: int
    column: int
    text: str

class Error(ValueError):
    findings: list[Finding]

class ParseError(Error): ...
class RunError(Error): ...

def parse(text: str | bytes, name: str = "<string>") -> Module: ...

class Module:
    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> list[tuple[str, str]]: ...
    @property
    def result_shape(self) -> str: ...
    def verify(self) -> list[Finding]: ...
    def format(self, style: str = "pretty", *, metadata: bool = True) -> str: ...
    def run(
        self,
        *arrays: ArrayLike | tuple[Any, ...],
        seed: int = 42,
        backend: str | None = None,
        cast: str = "exact",
        fake: str | None = None,
        memory_limit: int | None = None,
        threads: int | None = None,
        trace: Callable[[str, ndarray], object] | None = None,
        first_nan: bool = False,
    ) -> ndarray | tuple[Any, ...] | None: ...
