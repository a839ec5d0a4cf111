"""`redact`: secrets and personal data that must not reach the model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from ..kernel.content import DataBlock
from ..kind import WHY_BAD_PATTERN, Case, Example, Kind, Output, Phase, Problem, Setting, Shape, param
from ..lang.nearest import nearest
from ..meaning.names import name_test
from ..meaning.regexes import BadPattern, compile_regex
from ..redacting.detectors import Detector, of_regex
from ..redacting.encodings import Encoding
from ..redacting.finding import Finder
from ..redacting.formats import FORMATS, secret
from ..redacting.labels import Labels, Replacement, rule_key
from ..redacting.personal import Personal, personal
from ..redacting.redactor import Redactor
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Redact:
    """Replace secrets and personal data in what a tool returns, before anything of it is cut or shown.

    What is found becomes a label that says what it was: `[secret: aws-access-key]`, `[personal: card]`. With
    `replace = "mask"` it becomes `********`, and with `replace = "hash"` the label has a keyed digest as well, so that
    equal values have equal labels and nobody can guess them; the key is made anew for each rule and process.

    **What is looked for.** `secrets` names formats of tokens and keys that their issuers describe (globs; `["*"]` is
    all of them): `aws-access-key`, `aws-secret-key`, `aws-session-token`, `gcp-api-key`, `gcp-oauth-token`,
    `gcp-oauth-secret`, `azure-storage-key`, `azure-sas`, `digitalocean-token`, `databricks-token`, `vault-token`,
    `terraform-token`, `github-token`, `gitlab-token`, `npm-token`, `pypi-token`, `rubygems-token`, `docker-token`,
    `huggingface-token`, `anthropic-key`, `openai-key`, `openrouter-key`, `slack-token`, `slack-webhook`, `stripe-key`,
    `twilio-key`, `sendgrid-key`, `telegram-token`, `shopify-token`, `jwt`, `private-key`, `age-key`, `url-password`,
    `connection-password`, `authorization-header`. Where each is described stands beside it in `redacting/formats.py`;
    what an issuer leaves open, such as a length, is read widely. `personal` names payment cards and IBANs, both by
    their check digits, e-mail addresses and telephone numbers with `+`. `patterns` are regular expressions of your own
    by name; where one has a group, that is what is replaced. `gitleaks` names a file with rules in the format of
    gitleaks. A value that an expression of `leave` matches as a whole is left.

    **Where.** Text, each block for itself and all of them together, so that nothing is hidden by a border; structured
    content, its strings, numbers and keys, each for itself and as JSON text; the fields of images, resources and other
    blocks; the text of failures and refusals; and the decision records of the tools that the rule is about, also
    while it only monitors. A result that no channel shows is withheld. A number that is replaced becomes a string, and
    two keys that become equal are numbered, so that the content may no longer be valid under the tool's schema.

    **Encodings.** What is encoded in one of `encodings`, up to `depth` times over, is looked through as well. A match
    in base64 or hex takes the whole encoded stretch with it; these are found from 16 characters on, also over the ends
    of lines and glued to other text. Percent signs and JSON escapes are undone one by one.

    All rules of the kind come before those that annotate and those that cut, whatever file they stand in. What is
    replaced is looked through again, so that no match is left in what is shown; where that has no end, a text is
    encoded in too many ways to be looked through, or it is longer than 64 MiB, the result is withheld. Megabytes take
    seconds, in which an event loop goes on with other work.

    **Limits.** Only what has a form can be found: a password in prose has none. Whoever may run commands can spell a
    secret in a form that nobody lists (reversed, one letter a line, encrypted); keep it from being read in the first
    place. Compression is not undone.
    """

    secrets: tuple[str, ...] | None = param("Globs of the names of documented formats.", default=None)
    personal: tuple[Personal, ...] | None = param("The personal data that is looked for.", default=None)
    patterns: dict[str, str] | None = param("Regular expressions by the name that their labels have.", default=None)
    gitleaks: str | None = param("A file of gitleaks' rules, relative to the rule's own file.", default=None)
    leave: tuple[str, ...] | None = param("Regular expressions of whole values that are no secrets.", default=None)
    replace: Replacement = param("What stands in the place of a value.", default="label")
    encodings: tuple[Encoding, ...] = param(
        "The encodings that are looked through.", default=("base64", "base64url", "hex", "url", "json")
    )
    depth: int = param("How many encodings over one another are undone.", default=2, minimum=0, maximum=4)


def compile_redact(fields: Redact, setting: Setting) -> Shape:
    """Put together what is looked for; everything of it that cannot be is a problem."""
    detectors = [*_secrets(fields, setting), *map(personal, fields.personal or ())]
    detectors += [*_patterns(fields, setting), *_gitleaks(fields, setting)]
    detectors = _without_left(detectors, fields, setting)
    if not detectors and not setting.problems:
        what = "`secrets`, `personal`, `patterns` and `gitleaks` are all missing"
        setting.problem((), "says-nothing", what, "nothing would ever be redacted", "add one of them")
    labels = Labels(fields.replace, [one.label for one in detectors], rule_key(setting.rule))
    redactor = Redactor(Finder(detectors, fields.encodings, fields.depth), labels)

    def apply(output: Output, _: Case) -> Output:
        texts = [block for block in output.blocks if isinstance(block, str)]
        left = iter(redactor.texts(texts) if texts else ())
        blocks = tuple(next(left) if isinstance(block, str) else _block(block, redactor) for block in output.blocks)
        structured = None if output.structured is None else redactor.json(output.structured)
        if structured is output.structured and blocks == output.blocks:
            return output
        return evolve(output, blocks=blocks, structured=structured)

    return Shape(apply, order=0, record=redactor.json)


def _block(block: DataBlock, redactor: Redactor) -> DataBlock:
    """A block other than text; what kind of block it is may be seen by programs alone."""
    data = redactor.json(block.data)
    if redactor.text(block.type) != block.type:
        raise ValueError("the type of a block holds what is to be redacted")
    return block if data is block.data else DataBlock(block.type, data)


def _secrets(fields: Redact, setting: Setting) -> Iterator[Detector]:
    for index, glob in enumerate(fields.secrets or ()):
        if not any(map(name_test([glob]), FORMATS)):
            close = nearest(glob, FORMATS)
            mend = f"write `{close}`" if close else 'write `"*"` for all formats; the docs of the kind name them'
            what = f"{quote(glob)} names no format of a secret"
            setting.problem(("secrets", index), "bad-value", what, "nothing would be found by it", mend)
    named = name_test(fields.secrets or ())
    yield from (secret(name) for name in FORMATS if fields.secrets and named(name))


def _patterns(fields: Redact, setting: Setting) -> Iterator[Detector]:
    for name, text in (fields.patterns or {}).items():
        path = ("patterns", name)
        regex = _regex(text, path, setting)
        if not _PLAIN.fullmatch(name):
            what = f"the name {quote(name)} is not plain"
            mend = "write up to 40 letters, digits, `.`, `_` and `-`"
            setting.problem(path, "bad-value", what, "it stands in the label", mend)
        elif regex is not None:
            yield of_regex(f"redacted: {name}", regex, 0)


_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,40}")


def _regex(text: str, path: tuple[str | int, ...], setting: Setting) -> Any:
    try:
        regex = compile_regex(text)
    except BadPattern as bad:
        setting.problem(path, "bad-pattern", str(bad), WHY_BAD_PATTERN, bad.mend)
        return None
    if regex.fullmatch("") is not None:
        what, why = f"{quote(text)} matches where nothing is", "no label can stand in the place of nothing"
        setting.problem(path, "bad-pattern", what, why, "write what at least is there")
    return regex


def _gitleaks(fields: Redact, setting: Setting) -> list[Detector]:
    if fields.gitleaks is None:
        return []
    from ..redacting.gitleaks import read_gitleaks

    name = quote(fields.gitleaks)
    try:
        data = setting.file(fields.gitleaks)
    except OSError as error:
        what = f"{name} cannot be read: {error.strerror or error}"
        setting.problem(("gitleaks",), "bad-value", what, "its rules would find nothing", "write the path of a file")
        return []
    detectors, faults = read_gitleaks(data)
    for fault in faults:
        problem = Problem(
            ("gitleaks",), "not-carried-over", f"{name}: {fault.what}", fault.why, fault.mend, fault.severity
        )
        setting.problems.append(problem)
    return detectors


def _without_left(detectors: list[Detector], fields: Redact, setting: Setting) -> list[Detector]:
    """The detectors, none of which finds a value that is to be left."""
    left = [_regex(text, ("leave", index), setting) for index, text in enumerate(fields.leave or ())]
    left = [regex for regex in left if regex is not None]
    return [_leaving(one, left) for one in detectors] if left else detectors


def _leaving(detector: Detector, left: list[Any]) -> Detector:
    def find(text: bytes) -> Iterator[tuple[int, int]]:
        for start, end in detector.find(text):
            if not any(regex.fullmatch(text[start:end]) for regex in left):
                yield start, end

    return detector._replace(find=find)


def _strategy() -> SearchStrategy[Redact]:
    from hypothesis import strategies as st

    subsets = st.lists(st.sampled_from(sorted(FORMATS)), min_size=1, max_size=4, unique=True).map(tuple)
    kinds = st.lists(st.sampled_from(["card", "iban", "email", "phone"]), min_size=1, unique=True).map(tuple)
    encodings = st.lists(st.sampled_from(["base64", "base64url", "hex", "url", "json"]), unique=True).map(tuple)
    return st.builds(
        Redact,
        secrets=subsets,
        personal=st.none() | kinds,
        patterns=st.none() | st.just({"ticket": "TICKET-[0-9]{6}"}),
        replace=st.sampled_from(["label", "mask", "hash"]),
        encodings=encodings,
        depth=st.integers(0, 2),
    )


KIND = Kind(
    name="redact",
    phase=Phase.OUTPUT,
    fields=Redact,
    compile=compile_redact,
    examples=(
        Example(
            "Secrets of known formats",
            """\
[[rule]]
id = "no-keys"
kind = "redact"
secrets = ["*"]

[[rule.example]]
result = "export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE"
expect_result = "export AWS_ACCESS_KEY_ID=[secret: aws-access-key]"

[[rule.example]]
result = "key: QUtJQUlPU0ZPRE5ON0VYQU1QTEU="
expect_result = "key: [secret: aws-access-key]"
why = "the same key in base64"

[[rule.example]]
result = { url = "postgres://app:EXAMPLE@db.test/orders", rows = 3 }
expect_result = { url = "postgres://app:[secret: url-password]@db.test/orders", rows = 3 }

[[rule.example]]
result = "AKIA is how the ids of access keys begin: AKIAIOSFODNN7"
expect_result = "AKIA is how the ids of access keys begin: AKIAIOSFODNN7"
why = "an id has twenty characters"
""",
        ),
        Example(
            "Cards and accounts by their check digits",
            """\
[[rule]]
id = "no-cards"
kind = "redact"
personal = ["card", "iban"]

[[rule.example]]
result = { card = 4111111111111111, account = "DE89 3704 0044 0532 0130 00" }
expect_result = { card = "[personal: card]", account = "[personal: iban]" }

[[rule.example]]
result = "order 4111-1111-1111-1112 and DE88 3704 0044 0532 0130 00"
expect_result = "order 4111-1111-1111-1112 and DE88 3704 0044 0532 0130 00"
why = "their check digits are wrong"
""",
        ),
        Example(
            "A pattern of your own, masked",
            """\
[[rule]]
id = "no-badges"
kind = "redact"
tools = ["search_people"]
patterns = { badge = "\\\\bB-[0-9]{6}\\\\b" }
leave = ["B-0{6}"]
replace = "mask"

[[rule.example]]
result = { "B-123456" = ["B-123456", "B-000000"] }
expect_result = { "********" = ["********", "B-000000"] }

[[rule.example]]
result = "form B-1234567"
expect_result = "form B-1234567"
why = "a badge has six digits"
""",
        ),
    ),
    strategy=_strategy,
)
