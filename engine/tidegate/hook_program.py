"""The program that is installed as a hook where a resident may answer: it asks, and else decides by itself.

It is started by its path, `python -I -S hook_program.py HARNESS --rules RULES`, so that neither the variables of a
project nor the packages of an environment are looked at before they are needed. What it needs to ask stands in
`resident/asking.py`, which is compiled once, as this file is not.
"""

import sys

BLOCKS = 2
FIRST = ("--serve", "--ready")
"""Words that are for `cli.hook_alone`, and no hook's."""


def asked(words: list[str]) -> object:
    """What is in hand where no resident has answered, `None` without Unix sockets; does not return where one has."""
    if sys.platform == "win32":
        return None
    sys.path.insert(0, f"{__file__.rpartition('/')[0]}/resident")
    try:
        import asking  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    answer = asking.main(words)
    if isinstance(answer, int):
        asking.leave(answer)
    return answer


def decided(words: list[str], left: object) -> int:
    """Decide in this process, and return the exit code."""
    import site
    from pathlib import Path

    # Behind the standard library and before all packages: this very tidegate decides, and no other.
    sys.path.append(str(Path(__file__).parent.parent))
    site.main()
    from tidegate.cli.hook_alone import main

    return main(words, left)  # type: ignore[arg-type]  # what `asked` returns is no code here


def run() -> int:
    """Answer the event on standard input; whatever goes wrong refuses the call."""
    words = sys.argv[1:]
    try:
        return decided(words, None if words[:1] and words[0] in FIRST else asked(words))
    except Exception as error:  # noqa: BLE001 - whatever it was, the call is refused
        sys.stderr.write(f"tidegate refused this call, the hook failed: {type(error).__name__}: {str(error)!a}\n")
        return BLOCKS


if __name__ == "__main__":
    sys.exit(run())
