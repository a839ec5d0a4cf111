"""The contestants: tidegate and its peers, each given the same rules in its own language.

Each makes a function that tells whether a call is allowed. What can be done once is done once: policies are parsed and
regular expressions compiled before anything is timed, as far as the peer lets its users do that.
"""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deciding.workloads import PLACE, Made, Written, toml_of

Decide = Callable[[Made], bool]
Engine = Callable[[list[Written]], Decide]


def tidegate(written: list[Written]) -> Decide:
    """Our own engine, with the file system and everything else as `Engine.load` has it."""
    decide = tidegate_engine(written).decide
    return lambda made: decide(made.tool, made.arguments, **PLACE).effect == "allow"


def tidegate_engine(written: list[Written], text: str | None = None) -> Any:
    """The engine itself; *text* is the rule file where it is not made of *written*."""
    from tidegate import Engine
    from tidegate.facts.local import local_facts

    folder = Path(tempfile.mkdtemp(prefix="tidegate-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # it is loaded from there again
    path = folder / "rules.toml"
    path.write_text(text or toml_of(written), encoding="utf-8")
    return Engine.load(path, facts=local_facts(folder / "state"))


def cedar(written: list[Written]) -> Decide:
    """Cedar through cedarpy, with one handle for the policies and one for the entities."""
    import cedarpy

    policies = cedarpy.PolicySet.from_str("\n".join(["permit(principal, action, resource);", *map(_policy, written)]))
    entities = cedarpy.Entities.from_json_str("[]")

    def decide(made: Made) -> bool:
        request = {
            "principal": 'Agent::"a"',
            "action": f'Action::"{made.tool}"',
            "resource": 'Host::"h"',
            "context": made.arguments,
        }
        return bool(cedarpy.is_authorized(request, policies, entities).allowed)

    return decide


def _policy(rule: Written) -> str:
    actions = ", ".join(f'Action::"{tool}"' for tool in rule.tools)
    when = ""
    if rule.argument is not None:
        when = f' when {{ context has {rule.argument} && context.{rule.argument} like "{rule.like}" }}'
    effect = "permit" if rule.verdict == "allow" else "forbid"
    return f"{effect}(principal, action in [{actions}], resource){when};"


_CASBIN = """
[request_definition]
r = tool, command, path, url, repo
[policy_definition]
p = tools, argument, pattern, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = told(p.tools, p.argument, p.pattern, r.tool, r.command, r.path, r.url, r.repo)
"""


def casbin(written: list[Written]) -> Decide:
    """pycasbin, deny overriding, with a function of ours that compares by compiled regular expressions."""
    import casbin as peer
    from casbin.model import Model

    model = Model()
    model.load_model_from_text(_CASBIN)
    enforcer = peer.Enforcer(model)
    compiled = {str(n): rule for n, rule in enumerate(written)}
    patterns = {key: re.compile(rule.regex, re.DOTALL) for key, rule in compiled.items()}
    places = {"command": 0, "path": 1, "url": 2, "repo": 3}

    def told(tools: str, argument: str, key: str, tool: str, *values: str) -> bool:
        if key == "*":
            return True
        if tool not in tools.split("|"):
            return False
        return not argument or patterns[key].fullmatch(values[places[argument]]) is not None

    enforcer.add_function("told", told)
    enforcer.add_policies([["*", "", "*", "allow"]])
    enforcer.add_policies(
        [
            ["|".join(rule.tools), rule.argument or "", key, "allow" if rule.verdict == "allow" else "deny"]
            for key, rule in compiled.items()
        ]
    )

    def decide(made: Made) -> bool:
        values = [str(made.arguments.get(name, "")) for name in places]
        return bool(enforcer.enforce(made.tool, *values))

    return decide


def agent_os(written: list[Written]) -> Decide:
    """The policy evaluator of agent-os-kernel; a rule has one condition, so that the field carries the tool."""
    from agent_os.policies import PolicyAction, PolicyCondition, PolicyDocument, PolicyEvaluator, PolicyOperator
    from agent_os.policies.schema import PolicyRule

    rules = []
    for n, rule in enumerate(written):
        if rule.verdict == "allow":
            continue  # the first rule that matches counts, and these would change nothing
        for tool in rule.tools:
            field = f"{tool}.{rule.argument or 'used'}"
            pattern = f"^{rule.regex}$" if rule.argument else "^yes$"
            condition = PolicyCondition(field=field, operator=PolicyOperator.MATCHES, value=pattern)
            rules.append(PolicyRule(name=f"r{n}-{tool}", condition=condition, action=PolicyAction.DENY))
    evaluator = PolicyEvaluator(policies=[PolicyDocument(name="bench", rules=rules)])

    def decide(made: Made) -> bool:
        context: dict[str, Any] = {f"{made.tool}.{name}": value for name, value in made.arguments.items()}
        context[f"{made.tool}.used"] = "yes"
        return bool(evaluator.evaluate(context).allowed)

    return decide


def agentbelay(written: list[Written]) -> Decide:
    """agentbelay, with each rule as a matcher on one argument."""
    from agentbelay import Guard, Policy

    rules = []
    for n, rule in enumerate(written):
        match: dict[str, Any] = {"tool": list(rule.tools)}
        if rule.argument:
            match["args"] = {rule.argument: {"regex": f"^{rule.regex}$"}}
        action = "allow" if rule.verdict == "allow" else "deny"
        rules.append({"id": f"r{n}", "action": action, "message": "no", "match": match})
    guard = Guard(Policy.from_dict({"version": 1, "name": "bench", "default": "allow", "rules": rules}))
    return lambda made: not guard.check(made.tool, made.arguments).denied


def re_loop(written: list[Written]) -> Decide:
    """What one writes by hand: compiled regular expressions of the standard library by tool, in a loop."""
    by_tool: dict[str, list[tuple[str, re.Pattern[str] | None]]] = {}
    for rule in written:
        if rule.verdict == "allow":
            continue
        pattern = re.compile(rule.regex, re.DOTALL) if rule.argument else None
        for tool in rule.tools:
            by_tool.setdefault(tool, []).append((rule.argument or "", pattern))

    def decide(made: Made) -> bool:
        for argument, pattern in by_tool.get(made.tool, ()):
            if pattern is None or pattern.fullmatch(made.arguments[argument]):
                return False
        return True

    return decide


def re2_set(written: list[Written]) -> Decide:
    """The floor: one `re2.Set` for each tool, and nothing else."""
    import re2

    options = re2.Options()
    options.max_mem = 256 << 20
    sets: dict[str, tuple[str, Any]] = {}
    refused = set()
    for rule in written:
        if rule.verdict == "allow":
            continue
        for tool in rule.tools:
            if rule.argument is None:
                refused.add(tool)
                continue
            if tool not in sets:
                sets[tool] = (rule.argument, re2.Set.FullMatchSet(options))
            sets[tool][1].Add(f"(?s){rule.regex}")
    for _, one in sets.values():
        one.Compile()

    def decide(made: Made) -> bool:
        found = sets.get(made.tool)
        if found is None:
            return made.tool not in refused
        return not found[1].Match(made.arguments[found[0]])

    return decide


ENGINES: dict[str, Engine] = {
    "re2.Set alone (the floor)": re2_set,
    "tidegate": tidegate,
    "a loop over compiled `re`": re_loop,
    "cedarpy, one handle": cedar,
    "agent-os-kernel": agent_os,
    "agentbelay": agentbelay,
    "pycasbin": casbin,
}
