"""`tidegate` with a fact of this machine broken, as a scene wants it: `planted.py BREAKS WORD ...`."""

import sys

from tidegate.assurance.conformance.breaking import broken
from tidegate.facts import local

if __name__ == "__main__":
    whole = local.local_facts
    local.local_facts = lambda *given, **named: broken(whole(*given, **named), sys.argv[1])
    from tidegate.cli import main

    sys.exit(main(sys.argv[2:]))
