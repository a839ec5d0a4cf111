"""Abstract guard rules: what their lists say of each effect is a table, so that the combination is tested alone."""

from hypothesis import strategies as st

from tidegate.call import Call, Tool
from tidegate.kind import Case, Guard
from tidegate.meaning.effects import CodeTarget, Effect
from tidegate.meaning.places import Places
from tidegate.meaning.scene import Scene
from tidegate.meaning.tri import Unknown
from tidegate.plan.rule import Rule

NOW = 1_000.0
KINDS = frozenset({"use", "read", "code"})

answers = st.sampled_from([True, False, None, "boom"])
verdicts = st.sampled_from(["allow", "ask", "deny"])
refusals = st.sampled_from(["ask", "deny"])
codes = st.sampled_from([None, None, None, "named", "fresh"])


class FixedCondition:
    """A condition whose answers are given."""

    def __init__(self, applies, excepts):
        self._applies, self._excepts = applies, excepts

    def applies(self, _case):
        return Unknown("nobody knows") if self._applies is None else self._applies

    def excepts(self, effect, case):
        said = self._excepts[case.effects.index(effect)]
        return Unknown("nobody knows") if said is None else said is True


def tables(effects):
    """Tables of rules over that many effects."""
    row = st.lists(answers, min_size=effects, max_size=effects)
    return st.fixed_dictionaries(
        {
            "allow": st.none() | row,
            "deny": st.none() | row,
            "only": st.none() | row,
            "except": st.lists(st.sampled_from([True, False, False, None]), min_size=effects, max_size=effects),
            "effect": refusals,
            "otherwise": refusals,
            "unknown": verdicts,
            "code": st.none() | verdicts,
            "when": st.sampled_from([True, True, True, False, None]),
            "enforced": st.sampled_from([True, True, True, False]),
            "expired": st.sampled_from([False, False, False, True]),
            "whole": st.booleans(),
        }
    )


@st.composite
def sittings(draw):
    """Rules, the code marks of their effects, and a default."""
    marks = [None, *draw(st.lists(codes, max_size=3))]
    return draw(st.lists(tables(len(marks)), max_size=5)), marks, draw(verdicts)


def case_of(marks):
    """A call with one `use` and an effect for each further mark."""
    effects = [Effect("use", "tool")]
    for index, mark in enumerate(marks[1:], 1):
        if mark is None:
            effects.append(Effect("read", f"/{index}"))
        else:
            effects.append(Effect("code", CodeTarget(f"script {index}"), fresh=mark == "fresh"))
    call = Call(Tool("tool"), {})
    return Case(call, tuple(effects), Places(Scene(cwd="/")), NOW)


def rule_of(table, position):
    """The rule that says what the table says."""

    def matcher(row):
        if row is None:
            return None

        def matches(effect, case):
            said = row[case.effects.index(effect)]
            if said == "boom":
                raise RuntimeError("boom")
            return Unknown("nobody knows") if said is None else said

        return matches

    guard = Guard(
        grants=matcher(table["allow"]),
        denies=matcher(table["deny"]),
        confines=matcher(table["only"]),
        about=KINDS,
        covers=KINDS,
        whole=table["whole"],
    )
    return Rule(
        id=str(position),
        kind="abstract",
        part=guard,
        when=FixedCondition(table["when"], ()),
        excepts=(FixedCondition(True, table["except"]),),
        effect=table["effect"],
        otherwise=table["otherwise"],
        unknown=table["unknown"],
        code=table["code"],
        enforced=table["enforced"],
        expires=NOW - 1 if table["expired"] else None,
    )
