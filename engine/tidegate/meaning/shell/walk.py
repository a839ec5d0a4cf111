"""Shell text becomes effects: the one door of the shell reader."""

from __future__ import annotations

from ..effects import Effect
from ..scene import Scene
from ..values import Value
from .command import Limits
from .seams import Interpret, ReadCode, Resolve


def walk(
    text: Value,
    scene: Scene,
    interpret: Interpret,
    *,
    resolve: Resolve,
    read_code: ReadCode,
    shell: str = "bash",
    persistent: bool = False,
    limits: Limits = Limits(),
    source: str = "",
) -> list[Effect]:
    """Say everything that running *text* in *shell* could do, in the order in which it is written.

    *interpret* is called for every simple command that could run, with its words after expansion:
    a `Word` with `many` and without `glob` holds the text before it is split (`rm /tmp/$x` has the value
    `/tmp/⟨…⟩`, and its first word begins so), one with `glob` the shape of each name.
    A word made by `<(…)` has the value `/dev/fd/⟨digits⟩`.
    Where the first word may vanish (`$x rm`), *interpret* is called for what follows as well.
    Where a variable has a few possible values, *interpret* is called once for each.

    The walker follows `Reading.nested`, except for the builtins in `builtins.STATEFUL` (`cd`, `eval`, `command`,
    `exec`, `trap`, …): it reads these itself and wants only their `exec` effect. It stamps `source` on every effect, and
    `place` on those of code; spans are those of *text*, and of the word that holds it for nested text.

    Redirections, lasting state of a *persistent* shell, command names that are not constant, and whatever
    is not modelled become effects here; the last two as `unknown` with the reason. Nothing is raised for any
    text; past one of the *limits* the answer ends in an `unknown` effect that says which.
    """
    raise NotImplementedError
