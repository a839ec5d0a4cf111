"""Who sits in front of a harness that asks by itself, and answers as the approver of the scene does."""

import asyncio
import inspect

from tidegate.call import Call, Tool
from tidegate.decision import Decision
from tidegate.plan.approval import Question


def says_yes(approver, tool, arguments, reason):
    """Whether the person lets a call run that they are shown so; nobody, and one who breaks, does not."""
    if approver is None:
        return False
    call = Call(Tool(tool), arguments)
    try:
        answer = approver(Question(call, Decision("ask", None, reason, arguments), (reason,), ()))
        return (asyncio.run(answer) if inspect.isawaitable(answer) else answer) == "allow"
    except RuntimeError:
        return False
