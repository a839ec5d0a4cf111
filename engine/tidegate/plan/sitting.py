"""One call before one plan, step by step: rewrite, read, consult, settle.

The fused listener takes all steps at once; the unfused form takes each in a listener of its own. Both go through
here, so that a step means the same in either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from logging import getLogger
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from ..call import Call
from ..decision import Answer, Decision, Verdict, strictest
from ..errors import Veto
from ..kind import Case, CommandText, Rewrite
from ..meaning.effects import Effect
from .claims import Claims
from .judge import answer, failure, fold
from .noting import SessionPast
from .phrases import refusal
from .reading import Reader, WrongType
from .rule import Rule

if TYPE_CHECKING:
    from ..facts import Facts
    from .index import Asked
    from .plan import LayerRules, Plan

ARGUMENTS = "tidegate/arguments"
UNREADABLE = "nobody can tell what this call does"


class Word(NamedTuple):
    """A verdict with what brought it about: an answer, or an uncovered effect where the default decided."""

    verdict: Verdict
    by: Answer | None = None
    uncovered: Effect | None = None


ALLOWED = Word("allow")


class Sitting:
    """The state of one judgement.

    One plan serves the call through all its phases, whatever is loaded meanwhile. `original` is the call as it came,
    `call` as rewritten so far; `cases` hold its effects once it was read, one for each layer, since a layer is not
    told what those beneath it say of tools and programs; `case` is that of the lowest, which is told everything.
    `past` is what happened before in the call's session, where a rule asks, and `begun` the place of the call in it.
    `decision` is what went out, `shaped` what output rules did, and `recorded` tells whether it was written down.
    """

    __slots__ = (
        "_answers",
        "_claims",
        "_facts",
        "_refused",
        "_trace",
        "_traced",
        "begun",
        "call",
        "cases",
        "decision",
        "now",
        "original",
        "past",
        "places",
        "plan",
        "recorded",
        "rules",
        "shaped",
    )

    def __init__(self, plan: Plan, call: Call, facts: Facts, *, trace: bool = False) -> None:
        self.plan = plan
        self.original = call
        self.call = call
        self.now = facts.clock.now() if call.at is None else call.at
        self.rules = plan.rules_for(call.tool)
        self.places = plan.places(call, facts)
        remembers = self.rules.remembers
        self.past = SessionPast(facts, call.session, recorded=call.at is not None) if remembers else None
        self.begun: int | None = None
        self.cases = self._unread()
        self._facts = facts
        self._claims: Claims | None = None
        self._answers: list[list[Answer]] = [[] for _ in self.rules.layers]
        self._traced: list[Answer] = []
        self._trace = trace
        self._refused: Answer | None = None
        self.decision: Decision | None = None
        self.shaped: list[Answer] = []
        self.recorded = False

    @property
    def case(self) -> Case:
        """The call with all that any layer says of tools and programs."""
        return self.cases[-1]

    @property
    def claims(self) -> Claims:
        """What the call takes from limits."""
        claims = self._claims
        if claims is None:
            claims = self._claims = Claims(self._facts, self.call.at)
        return claims

    @property
    def answers(self) -> Sequence[Sequence[Answer]]:
        """What the guard rules of each layer said, in file order; with a trace, of every one that was asked."""
        return self._answers

    @property
    def blocking(self) -> bool:
        """Whether a step may wait, for a store or for a resolver."""
        return self.rules.resolves or ((self.rules.stores or self.rules.remembers) and self.call.at is None)

    def take_all(self) -> None:
        """All steps up to settling, one after the other; with a trace every rule is asked, else the index is first."""
        for rule in self.rules.rewrites:
            self.rewrite(rule)
        self.read()
        if self._refused is not None:
            return
        for index, layer in enumerate(self.rules.layers):
            for rule, grants in self._asked(index, layer):
                self.consult(index, rule, grants=grants)

    def _asked(self, index: int, layer: LayerRules) -> Sequence[Asked]:
        """The rules of a layer that could say something."""
        if self._trace:
            return layer.guards
        try:
            return layer.index.candidates(self.cases[index])
        except Exception:
            getLogger("tidegate").exception("the index of rules failed, and every rule is asked")
            return layer.guards

    # The steps, in order.

    def rewrite(self, rule: Rule) -> None:
        """Let one rewrite rule change the arguments; one that cannot be applied refuses the call."""
        if self._refused is not None:
            return
        part = rule.part
        assert isinstance(part, Rewrite)  # noqa: S101 - the plan sorts rules by phase
        try:
            if rule.when is not None and rule.when.holds_of(self.call, self.places.scene) is False:
                return
            arguments = part.apply(self._before(rule.layer))
        except Veto as veto:
            self._refuse(rule, "rewrite", str(veto), rule.message or veto.reason)
        except Exception as error:  # noqa: BLE001 - whatever it was, the rule refuses and names itself
            self._refuse(rule, "rewrite", failure(error), rule.message)
        else:
            self._take(rule, arguments)

    def _take(self, rule: Rule, arguments: Mapping[str, Any]) -> None:
        if arguments is self.call.arguments:
            return
        self._traced.append(Answer(rule.id, rule.kind, "rewrite", monitored=not rule.enforced))
        if rule.enforced:
            self.call = attrs.evolve(self.call, arguments=arguments)
            self.cases = self._unread()

    def _before(self, layer: int) -> Case:
        """The call before it is read, with the commands in it as the bindings of one layer tell."""
        call, scene, reader = self.call, self.places.scene, self.plan.readers[layer]

        def commands(arguments: Mapping[str, Any]) -> tuple[CommandText, ...] | None:
            return reader.commands(attrs.evolve(call, arguments=arguments), scene)

        return Case(call, (), self.places, self.now, self.past, commands)

    def _unread(self) -> tuple[Case, ...]:
        case = Case(self.call, (), self.places, self.now, self.past)
        return (case,) if len(self.plan.readers) == 1 else (case,) * len(self.plan.readers)

    def read(self) -> None:
        """Find out what the call, as rewritten, does."""
        if self._refused is None:
            try:
                self.cases = self._read()
            except WrongType as wrong:
                self._refused = Answer(ARGUMENTS, "", "deny", note=wrong.reason, message=wrong.reason)
            except Exception as error:  # noqa: BLE001 - a call that cannot be read is never taken for harmless
                self._refused = Answer(ARGUMENTS, "", "deny", note=failure(error), message=UNREADABLE)

    def _read(self) -> tuple[Case, ...]:
        """The call as each layer sees it; most plans have one reader for all layers."""
        call, places = self.call, self.places
        cases: list[Case] = []
        before: Reader | None = None
        for reader in self.plan.readers:
            if reader is not before:
                case = Case(call, reader.read(call, places.scene), places, self.now, self.past)
                before = reader
            cases.append(case)
        return tuple(cases)

    def consult(self, layer: int, rule: Rule, *, grants: bool) -> None:
        """Ask one guard rule of one layer."""
        if self._refused is None:
            said = answer(rule, self.cases[layer], grants=grants)
            self._answers[layer] += said or ([Answer(rule.id, rule.kind, "pass")] if self._trace else [])

    def settle(self) -> Decision:
        """The verdict over all layers and limits; limits are looked at and not consumed."""
        if self._refused is not None:
            return self._decision(Word("deny", self._refused), "deny")
        protected = self.plan.protected(self.cases)
        word, would = self._over_layers(protected)
        if word.verdict != "deny" and self.rules.limits:
            full = self.claims.look(self.rules.limits, self.cases)
            self._traced += full.answers
            would = strictest(would, full.would)
            if full.word is not None and strictest(word.verdict, full.word.says) != word.verdict:  # type: ignore[arg-type]
                word = Word(full.word.says, full.word)  # type: ignore[arg-type]
        return self._decision(word, would)

    def _over_layers(self, protected: Answer | None) -> tuple[Word, Verdict]:
        """The strictest word of all layers; a layer that has only its default to say may leave it to the next."""
        word = Word(protected.says, protected) if protected is not None else ALLOWED  # type: ignore[arg-type]
        would = word.verdict
        last = len(self.rules.layers) - 1
        for index, layer in enumerate(self.rules.layers):
            said, layer_would = self._of_layer(index, layer, leaves=layer.delegates and index < last)
            would = strictest(would, layer_would)
            if said is not None and (strictest(word.verdict, said.verdict) != word.verdict or word == ALLOWED):
                word = said
        return word, strictest(would, word.verdict)

    def _of_layer(self, index: int, layer: LayerRules, *, leaves: bool) -> tuple[Word | None, Verdict]:
        """What one layer says, `None` for nothing, and what it would say with monitored rules counted."""
        folded = fold(self._answers[index], self.cases[index].effects)
        would, word = folded.would, None
        if folded.refusal is not None:
            word = Word(folded.refusal.says, folded.refusal)  # type: ignore[arg-type]
        if folded.uncovered is None:
            return word or Word("allow", folded.grant), would
        if leaves:
            return word, would
        would = strictest(would, layer.default)
        default: Verdict = "allow" if layer.monitors else layer.default
        if word is None or strictest(word.verdict, default) != word.verdict:
            word = Word(default, None, folded.uncovered if default != "allow" else None)
        return word, would

    # What comes of it.

    def _refuse(self, rule: Rule, field: str, note: str, message: str) -> None:
        said = Answer(rule.id, rule.kind, "deny", field, note=note, monitored=not rule.enforced, message=message)
        if rule.enforced:
            self._refused = said
        else:
            self._traced.append(said)

    def _decision(self, word: Word, would: Verdict) -> Decision:
        """The decision that goes out, with the answers that led to it."""
        if word.verdict == "ask" and not self.call.interactive:
            word = word._replace(verdict="deny")
        spoken = [said for answers in self._answers for said in answers]
        if word.by is not None and word.by not in spoken and word.by not in self._traced:
            spoken.append(word.by)
        return Decision(
            effect=word.verdict,
            rule=word.by.rule if word.by is not None else None,
            reason=self._notices()
            if word.verdict == "allow"
            else refusal(word.verdict, word.by, word.uncovered, self._offers(word)),
            arguments=self.call.arguments,
            call_id=self.call.call_id,
            would=would if strictest(word.verdict, would) != word.verdict else None,
            trace=(*self._traced, *spoken),
            effects=self.case.effects,
        )

    def _notices(self) -> str:
        """What the result of the call is to carry."""
        return "" if self._claims is None else "\n".join(self._claims.notices)

    def _offers(self, word: Word) -> str:
        """What would be allowed instead, in the words of the rules that would allow it."""
        if word.by is not None:
            return self.rules.offer_of(word.by.rule) if word.by.field == "only" else ""
        return self.rules.offers_for(word.uncovered.kind) if word.uncovered is not None else ""

    def guards(self) -> Sequence[Rule]:
        """The guard rules that apply to the tool, of all layers."""
        return self.rules.guards

    def has_terms(self) -> bool:
        """Whether one of them says who may approve."""
        return self.rules.has_terms

    def default_asks(self) -> bool:
        """Whether a layer that covers not every effect asks by its default."""
        return any(
            layer.default == "ask" and fold(answers, case.effects).uncovered is not None
            for layer, answers, case in zip(self.rules.layers, self._answers, self.cases, strict=True)
        )
