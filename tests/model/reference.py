"""A tiny, slow engine for a small world, written from the design and sharing no code with the product.

The world has the tools `read`, `write` (each with a `path`), `fetch` (with a `url`) and `ping` (with nothing); paths
are plain and absolute, URLs are `https://HOST/`, globs are exact or end in `/**`, and there are no symlinks. An
argument that a tool does not have is a mention: rules about paths see it in their denies and confinements.
A rule is the same dict that its TOML table is. State is the list of `(rule id, time)` of all calls that were let in.
"""

STRICT = {"allow": 0, "ask": 1, "deny": 2}
ACCESS = {"read": "read", "write": "write"}


def hardest(words):
    return max(words, key=STRICT.__getitem__, default="allow")


def decide(rules, default, call, state=(), now=0.0):
    """The verdict, the determining rule's id or `None`, the arguments that would run, and the new state."""
    tool, arguments = call["tool"], dict(call["args"])
    rules = [rule for rule in rules if named(rule.get("tools", ["*"]), tool) and rule.get("mode") != "off"]
    for rule in rules:
        if rule["kind"] == "rewrite" and enforced(rule):
            for pointer in rule.get("remove", []):
                arguments.pop(pointer[1:], None)
            for pointer, value in rule.get("replace_prefix", {}).items():
                arguments |= {name: moved(text, value) for name, text in arguments.items() if name == pointer[1:]}
            for pointer, value in rule.get("default", {}).items():
                arguments.setdefault(pointer[1:], value)
            for pointer, value in rule.get("set", {}).items():
                arguments[pointer[1:]] = value
    effects = effects_of(tool, arguments)
    verdict, rule_id = guard([rule for rule in rules if rule["kind"] in ("tools", "path", "url")], default, effects)
    if verdict == "deny":
        return verdict, rule_id, arguments, state
    limits = [rule for rule in rules if rule["kind"] == "rate-limit"]
    for rule in limits:
        most, window = int(rule["limit"].split("/")[0]), 60.0
        used = sum(1 for name, at in state if name == rule["id"] and at > now - window)
        if enforced(rule) and used >= most:
            return "deny", rule["id"], arguments, state
    if verdict == "allow":
        state = (*state, *((rule["id"], now) for rule in limits if enforced(rule)))
    return verdict, rule_id, arguments, state


def moved(text, prefixes):
    old, new = prefixes["old"], prefixes["new"]
    if new.startswith(old):
        return text if text.startswith(new) or not text.startswith(old) else new + text.removeprefix(old)
    while text.startswith(old):
        text = new + text.removeprefix(old)
    return text


def effects_of(tool, arguments):
    effects = [("use", tool)]
    if tool in ACCESS and "path" in arguments:
        effects.append((ACCESS[tool], arguments["path"]))
    if tool == "fetch" and "url" in arguments:
        effects.append(("connect", arguments["url"]))
    bound = {"read": "path", "write": "path", "fetch": "url"}.get(tool)
    return effects + [("mention", value) for name, value in arguments.items() if name != bound]


def guard(rules, default, effects):
    refusals, covered, granting = [], set(), None
    for rule in rules:
        covers = {"tools": {"use"}, "path": set(access(rule)), "url": {"connect"}}[rule["kind"]]
        about = covers | {"mention"} if rule["kind"] == "path" else covers
        words = []
        for kind, target in effects:
            if kind in about and not any(excepted(one, kind, target) for one in rule.get("except", [])):
                if any(matches(pattern, target) for pattern in rule.get("deny", [])):
                    words.append(rule.get("effect", "deny"))
                inside = rule.get("only") or (rule.get("allow") if "otherwise" in rule else None)
                if inside and not any(matches(pattern, target) for pattern in inside):
                    words.append(rule.get("otherwise", "deny"))
        if words and enforced(rule):
            refusals.append((hardest(words), rule["id"]))
        reach = {"use", "read", "write", "connect", "mention"} if rule["kind"] == "tools" else covers
        names = rule.get("allow", [])
        mine = {
            index
            for index, (kind, target) in enumerate(effects)
            if kind in reach
            and any(matches(name, effects[0][1] if rule["kind"] == "tools" else target) for name in names)
        }
        granting = granting or (rule["id"] if mine else None)
        covered |= mine
    if covered:
        covered.add(0)
    uncovered = len(covered) < len(effects)
    verdict = hardest(word for word, _ in refusals)
    if uncovered and STRICT[default] > STRICT[verdict]:
        return default, None
    if verdict == "allow":
        return verdict, None if uncovered else granting
    return verdict, next(rule_id for word, rule_id in refusals if word == verdict)


def access(rule):
    said = rule.get("access", ["read", "write"])
    return [said] if isinstance(said, str) else said


def excepted(condition, kind, target):
    return kind in ("read", "write") and matches(condition["path"], target)


def matches(pattern, target):
    if pattern.endswith("/**"):
        return target == pattern[:-3] or target.startswith(pattern[:-2])
    return pattern in ("*", target)


def named(globs, tool):
    return any(glob in ("*", tool) for glob in globs)


def enforced(rule):
    return rule.get("mode", "enforce") == "enforce"
