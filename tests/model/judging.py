"""How answers become a verdict, stated once more and as plainly as possible; shares no code with the engine.

Rules are tables of what their lists say of each effect: `True`, `False`, `None` for unknown, `"boom"` for an error.
"""

STRICT = {"allow": 0, "ask": 1, "deny": 2}


def hardest(words):
    return max(words, key=STRICT.__getitem__, default="allow")


def says(rule, index, code):
    """What one rule's deny and confinement say of one effect."""
    if code is not None:
        word = rule["code"] or ("ask" if code == "fresh" else "allow")
        return "allow" if rule["except"][index] is True else word
    denied, inside = rule["deny"], rule["only"]
    words = ["allow"]
    if denied is not None:
        words.append(
            {True: rule["effect"], "boom": rule["effect"], False: "allow", None: rule["unknown"]}[denied[index]]
        )
    if inside is not None:
        words.append(
            {True: "allow", False: rule["otherwise"], "boom": rule["otherwise"], None: rule["unknown"]}[inside[index]]
        )
    return "allow" if rule["except"][index] is True else hardest(words)


def judge(rules, codes, default):
    """The verdict over all rules, and the position of the determining rule (`None` for the default).

    `codes` has one entry for each effect: `None`, or `"named"` or `"fresh"` for code that the call does not show.
    """
    effects = range(len(codes))
    refusals, covered, granting = [], set(), None
    for position, rule in enumerate(rules):
        if rule["when"] is False:
            continue
        word = hardest(says(rule, index, codes[index]) for index in effects) if has_refusals(rule) else "allow"
        if word != "allow" and rule["enforced"]:
            refusals.append((word, position))
        reach = [index for index in effects if index or rule["whole"]]
        if rule["allow"] is not None and rule["when"] is True and not rule["expired"]:
            failed = any(rule["allow"][index] == "boom" for index in reach)
            mine = set() if failed else {index for index in reach if rule["allow"][index] is True}
            if mine and granting is None:
                granting = position
            covered |= mine
    if covered:
        covered.add(0)
    verdict = hardest(word for word, _ in refusals)
    uncovered = set(effects) - covered
    if uncovered and STRICT[default] > STRICT[verdict]:
        return default, None
    if verdict == "allow":
        return "allow", None if uncovered else granting
    return verdict, next(position for word, position in refusals if word == verdict)


def has_refusals(rule):
    return rule["deny"] is not None or rule["only"] is not None
