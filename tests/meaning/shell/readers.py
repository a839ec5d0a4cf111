"""The smallest readers that the walker can be given, so that its own work can be looked at alone."""

from tidegate.meaning.effects import Effect, Invocation, PathTarget, UrlTarget
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.command import Limits, Nested, Reading
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.values import Partial, concat, shown

SCENE = Scene("/srv/project", "/home/dev")
LIMITS = Limits()
SHELLS = ("bash", "sh", "dash", "zsh")
WRAPPERS = ("sudo", "env", "xargs", "nohup")


def interpret(command):
    """One `exec` effect; shells, a few wrappers, and what `echo`, `printf` and `cat` print."""
    head = command.words[0].value
    program = head.rpartition("/")[2] if isinstance(head, str) else head
    values = tuple(word.value for word in command.words)
    invocation = Invocation(
        program,
        head,
        values,
        (),
        (),
        (),
        command.variables,
        command.wrappers,
        command.lookup and program == head,
        complete=True,
        modelled=True,
        place=command.place,
        span=command.span,
    )
    effect = Effect("exec", invocation, span=command.span, by=invocation, place=command.place)
    return Reading(invocation, (effect,), nested(program, command), printed(program, command))


def nested(program, command):
    words = command.words
    if program in SHELLS and len(words) > 2 and words[1].value in ("-c", "-lc"):
        text = words[2]
        return (Nested("shell", words[3:], text.value, program, stdin=command.stdin, span=text.span),)
    if program in SHELLS and len(words) == 1 and command.stdin is not None:
        return (Nested("shell", text=command.stdin, language=program, span=command.span),)
    if program in WRAPPERS and len(words) > 1:
        return (Nested("argv", words[1:], wrapper=program, stdin=command.stdin, span=command.span),)
    if program == "python3" and len(words) > 2:
        return (Nested("code", text=words[2].value, language="python", span=words[2].span),)
    return ()


def printed(program, command):
    values = [word.value for word in command.words]
    if program == "cat" and len(values) == 1:
        return command.stdin
    if any(word.many for word in command.words):
        return None
    if program == "echo" and not (len(values) > 1 and isinstance(values[1], str) and values[1].startswith("-")):
        return concat([*[piece for value in values[1:] for piece in (" ", value)][1:], "\n"])
    if program == "printf" and len(values) > 1 and values[1] in ("%s", "%s\\n") and len(values) > 2:
        return concat([piece for value in values[2:] for piece in (value, values[1][2:].replace("\\n", "\n"))])
    if program == "printf" and len(values) == 2 and isinstance(values[1], str) and not set(values[1]) & set("%\\"):
        return values[1]
    return None


def resolve(value, cwds, scene, *, follow=True, glob=False):
    """The path under each directory, as it is spelled."""
    absolute = isinstance(value, str) and value.startswith("/")
    return PathTarget(value, tuple(value if absolute else concat([cwd, "/", value]) for cwd in cwds))


def read_host(value, scheme, port):
    return UrlTarget(value, scheme or "", value, port, "")


def read_code(language, text, command):
    return [Effect("unknown", f"`{language}` is not read")]


def effects_of(text, shell="bash", *, persistent=False, scene=SCENE, limits=LIMITS, source="", interpret=interpret):
    """What the walker says about *text*."""
    return walk(
        text,
        scene,
        interpret,
        resolve=resolve,
        read_host=read_host,
        read_code=read_code,
        shell=shell,
        persistent=persistent,
        limits=limits,
        source=source,
    )


def commands_of(effects):
    """The words of every command, joined by blanks; what is not known is `⟨…⟩`."""
    return [" ".join(map(shown, effect.target.words)) for effect in effects if effect.kind == "exec"]


def names_of(effects):
    """The names of all commands as they are spelled."""
    return [shown(effect.target.path) for effect in effects if effect.kind == "exec"]


def written_by(effects):
    """The paths that redirections write, as they are spelled."""
    return [shown(effect.target.text) for effect in effects if effect.kind == "write"]


def doubts_of(effects):
    """The reasons of all unknown effects."""
    return [effect.target for effect in effects if effect.kind == "unknown"]


def is_doubtful(effects):
    """Whether something is said not to be known."""
    return any(
        effect.kind == "unknown" or (effect.kind == "exec" and isinstance(effect.target.path, Partial))
        for effect in effects
    )


def commands_seen(text, **more):
    """The simple commands that the walker asks about."""
    seen = []

    def watching(command):
        seen.append(command)
        return interpret(command)

    effects_of(text, interpret=watching, **more)
    return seen
