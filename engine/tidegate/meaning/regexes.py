"""Regular expressions that match in linear time, and the reasons why one is refused."""

from __future__ import annotations

import re2


class BadPattern(ValueError):
    """A pattern cannot be compiled; the text says why and `mend` what to write instead."""

    def __init__(self, what: str, mend: str) -> None:
        super().__init__(what)
        self.mend = mend


_OUTSIDE = {
    "(?=": ("look-ahead", "match what stands before it and say the rest in a second pattern or in `except`"),
    "(?!": ("negative look-ahead", "say what is not meant in an exception (`except`, or `leave` of a redaction)"),
    "(?<=": ("look-behind", "match what stands before it as well"),
    "(?<!": ("negative look-behind", "say what is not meant in an exception (`except`, or `leave` of a redaction)"),
    "(?>": ("an atomic group", "write a plain group: matching is linear anyway"),
    "(?(": ("a conditional", "write two patterns"),
    "(?P=": ("a back-reference", "write the alternatives out"),
    "\\Z": ("`\\Z`", "write `\\z`"),
}


def compile_regex(text: str) -> re2._Regexp:
    """Compile *text* in the RE2 dialect, in which matching takes linear time.

    Raises:
        BadPattern: The pattern is broken or uses what RE2 leaves out (look-around, back-references).
    """
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        detail = error.args[0] if error.args else ""
        said = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
        raise BadPattern(*_explain(text, said)) from None
    except UnicodeEncodeError:
        raise BadPattern("the pattern holds a lone surrogate", "write the character itself") from None


def _explain(text: str, said: str) -> tuple[str, str]:
    """What is wrong with the pattern, and what to write instead."""
    for opening, (name, mend) in _OUTSIDE.items():
        if opening in text and "invalid" in said:
            return f"`{text}` uses {name}, which the dialect leaves out", mend
    if "escape sequence" in said and any(f"\\{digit}" in text for digit in "123456789"):
        return f"`{text}` uses a back-reference, which the dialect leaves out", "write the alternatives out"
    mend = "write a pattern of the RE2 dialect; a literal text goes into `glob`"
    return f"`{text}` is no regular expression: {said}", mend
