"""A slow finder, one piece and one detector at a time: what the product finds must be exactly this."""

import base64
import json
import re
import urllib.parse

import re2

WRAP = r"[ \t]*\r?\n[ \t]*"


def stretches(letter, fewest, goes_on):
    return re2.compile(f"(?:{letter}{{16,}}(?:{goes_on})*|{letter}{{{fewest},}}(?:{goes_on})+)={{0,2}}")


STRETCHES = {
    "base64": stretches("[A-Za-z0-9+/]", 4, f"{WRAP}[A-Za-z0-9+/]+"),
    "base64url": stretches("[A-Za-z0-9_-]", 4, f"{WRAP}[A-Za-z0-9_-]+"),
    "hex": stretches("[0-9A-Fa-f]", 2, rf"(?:[ :-]|{WRAP}|\\x|,?[ ]?0x)[0-9A-Fa-f]{{2,}}"),
}
UNICODE = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}"
ESCAPES = {
    "url": [rb"%[0-9A-Fa-f]{2}", rb"%[0-9A-Fa-f]{2}|\+"],
    "json": [UNICODE + rb"|\\[\"\\/bfnrt]", UNICODE + rb"|\\[\"/bfnrt]"],
}


def find(text, detectors, encodings, depth):
    """Every `(start, end, label, value)` in a text and in what is encoded in it."""
    found = {(start, end, one.label, text[start:end]) for one in detectors for start, end in one.find(text)}
    if depth:
        for inner, places in readings(text, encodings):
            for first, last, label, value in find(inner, detectors, encodings, depth - 1):
                found.add((*places(first, last), label, value))
    return found


def readings(text, encodings):
    for encoding in encodings:
        if encoding in STRETCHES:
            for match in STRETCHES[encoding].finditer(text):
                whole = match.span()
                for inner in undone(encoding, match[0]):
                    yield inner, lambda _first, _last, whole=whole: whole
        else:
            for escape in ESCAPES[encoding]:
                yield unescaped(text, escape)


def undone(encoding, stretch):
    if encoding == "hex":
        letters = re.sub(rb"[^0-9A-Fa-f]", b"", stretch.replace(b"0x", b""))
        runs = [letters[skipped:] for skipped in range(2)]
        decoded = [bytes.fromhex(run[: len(run) // 2 * 2].decode()) for run in runs]
    else:
        letters = re.sub(rb"[ \t\r\n=]", b"", stretch).replace(b"-", b"+").replace(b"_", b"/")
        runs = [letters[skipped:] for skipped in range(4)]
        runs = [run[:-1] if len(run) % 4 == 1 else run for run in runs]
        decoded = [base64.b64decode(run + b"=" * (-len(run) % 4)) for run in runs]
    return decoded if len(stretch) >= 16 and len(letters) >= 16 else []


def unescaped(text, escape):
    """The text without its escapes, and for each of its bytes where it comes from."""
    pieces, sources, at = [], [], 0
    for match in re.finditer(escape, text):
        sources += [(place, place + 1) for place in range(at, match.start())]
        meant = b" " if match[0] == b"+" else urllib.parse.unquote_to_bytes(match[0])
        if match[0].startswith(b"\\"):
            meant = json.loads(b'"' + match[0] + b'"').encode("utf-8", "replace")
        sources += [match.span()] * len(meant)
        pieces += [text[at : match.start()], meant]
        at = match.end()
    sources += [(place, place + 1) for place in range(at, len(text))]
    return b"".join([*pieces, text[at:]]), lambda first, last: (sources[first][0], sources[last - 1][1])
