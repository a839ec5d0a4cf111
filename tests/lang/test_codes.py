"""The table of codes: every finding has one, and every one has a case."""

import re

import pytest

from tests.findings_check import CASES, PACKS
from tidegate import lang
from tidegate.compile import codes

TESTED_ELSEWHERE = {"extra-missing", "file-too-large", "include-too-deep", "include-too-wide", "unreadable-file"}
TOPS = sorted(path for path in CASES.rglob("*.toml") if path.is_file())


@pytest.mark.parametrize("top", TOPS, ids=lambda top: top.relative_to(CASES).as_posix())
def test_code_of_every_finding_is_in_the_table(top):
    """No finding has a code that the docs do not explain."""
    loaded = lang.load(project=top, managed=top, packs=PACKS, home=CASES)

    assert {finding.code for finding in loaded.findings} <= set(lang.CODES)


def test_every_code_has_a_golden_case():
    """For every code there is a file in `tests/findings/`, unless it takes more than files to show it."""
    texts = "".join(path.read_text(encoding="utf-8") for path in CASES.glob("*.txt"))
    shown = set(re.findall(r"(?:error|warning)\[([a-z0-9-]+)\]", texts))

    assert {*lang.CODES, *codes.CODES} - shown == TESTED_ELSEWHERE
    assert shown <= {*lang.CODES, *codes.CODES}


@pytest.mark.parametrize("table", [lang.CODES, codes.CODES], ids=["text", "meaning"])
def test_code_is_a_noun_with_one_sentence(table):
    """Codes are kebab-case and sorted, and each is explained in one sentence."""
    assert list(table) == sorted(table)
    for code, meaning in table.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)
        assert re.fullmatch(r"[A-Z`][^.]*(`\.`[^.]*)?\.", meaning)
