"""A hook asks the resident. Imports next to nothing, for this is most of what a hook costs.

It stands alone: the program of a hook loads it without the package around it. Whatever is not as it should be ends
in an `Unanswered`, and the hook decides by itself. The resident gets everything that could make its answer another one
than the hook's own (`request`), and begins to judge a call that counts only when it has been told to.
"""

import _socket
import posix
import select
import sys
from time import monotonic

SECONDS = 8.0
"""How long a hook may take, as in `cli.hook`."""

PATIENCE = 1.0
"""Seconds for a resident to say that it can answer; past them nothing was judged, and the hook does it itself."""

MOST_READ = 64 * 1024 * 1024 + 1
LARGEST = 8 * 1024 * 1024
"""The largest event that is handed on, in bytes."""

LONGEST_PATH = 100
"""The longest path of a socket; systems take 103 bytes and more."""

READY, COUNTS, ANSWER = b"r", b"c", b"a"
"""What the resident says first: it can judge, it can judge and that counts, or here is the answer already."""

END = b"."
LAST_CODE = 255
_HEADER = 12
_SOCKET = 0o140000


class Unanswered:
    """What a hook has in hand when nobody has answered for it.

    `words` are those of the command line without the ones for the resident, `data` is the event, `deadline` by
    `time.monotonic`. `folder` is where a resident may be started, `None` for nowhere. `lost` tells that a resident had
    begun to judge a call that counts, and nobody knows how far it came.
    """

    def __init__(self, words: list[str], folder: str | None, data: bytes, deadline: float, lost: bool) -> None:
        """Keep it."""
        self.words = words
        self.folder = folder
        self.data = data
        self.deadline = deadline
        self.lost = lost


class Lost(Exception):
    """The resident had begun to judge, and then there was no whole answer in time."""


def main(words: list[str]) -> int | Unanswered:
    """Answer the event on standard input through the resident, and return the exit code.

    `--resident FOLDER` among *words* is the folder of its socket, `off` for none; by default that of the account.
    """
    deadline = monotonic() + SECONDS
    words, folder = _folder(words)
    data = _input(deadline)
    if data is None:  # whoever decides finds no time left
        return Unanswered(words, folder, b"", deadline, lost=False)
    lost, answer = False, None
    if folder is not None and len(data) <= LARGEST:
        try:
            answer = asked(folder, words, data, deadline)
        except Lost:
            lost = True
    return Unanswered(words, folder, data, deadline, lost) if answer is None else _write(*answer)


def asked(folder: str, words: list[str], data: bytes, deadline: float) -> tuple[bytes, bytes, int] | None:
    """What the resident of *folder* answers: standard output, standard error, exit code; `None` where it does not.

    Raises:
        Lost: It had begun to judge a call that counts.
    """
    begun = False
    try:
        connection = connected(folder, own_name())
        if connection is None:
            return None
        try:
            connection.sendall(request(words, data))
            said = connection.recv(1)
            left = int((deadline - monotonic()) * 1000)
            if said in (READY, COUNTS) and left > 0:
                begun = said == COUNTS
                connection.sendall(left.to_bytes(4, "big"))
                said = exactly(connection, len(ANSWER), deadline)
            if said == ANSWER:
                return received(connection, deadline)
        finally:
            connection.close()
    except (OSError, ValueError):
        pass
    if begun:
        raise Lost
    return None


def connected(folder: str, name: str) -> _socket.socket | None:
    """A connection to the socket *name* in *folder*; `None` where what stands there is not this user's alone.

    Raises:
        OSError: It cannot be had.
    """
    path = f"{folder}/{name}"
    if not is_own_folder(folder) or len(path.encode(errors="surrogateescape")) > LONGEST_PATH:
        return None
    found = posix.lstat(path)
    user = posix.geteuid()
    if found.st_uid != user or found.st_mode & 0o170000 != _SOCKET:
        return None
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(PATIENCE)
        connection.connect(path)
        other = peer(connection)
    except BaseException:
        connection.close()
        raise
    if other is not None and other[1] != user:
        connection.close()
        return None
    return connection


def is_own_folder(folder: str) -> bool:
    """Whether it is a folder and no link, which belongs to this user and which nobody else can look into."""
    opened = posix.open(folder, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_NOFOLLOW | posix.O_CLOEXEC)
    try:
        found = posix.fstat(opened)
    finally:
        posix.close(opened)
    return found.st_uid == posix.geteuid() and not found.st_mode & 0o077


def peer(connection: _socket.socket) -> tuple[int, int] | None:
    """The process, 0 for unknown, and the user on the other side of a connection; `None` where nothing is told."""
    system = posix.uname().sysname
    if system == "Linux":
        said = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
        return int.from_bytes(said[:4], sys.byteorder), int.from_bytes(said[4:8], sys.byteorder)
    if system in ("Darwin", "FreeBSD"):
        # LOCAL_PEERCRED on the level of Unix sockets, which the module has no names for.
        return 0, int.from_bytes(connection.getsockopt(0, 1, 76)[4:8], sys.byteorder)
    return None


def request(words: list[str], data: bytes) -> bytes:
    """All that makes the answer what it is: which code, in which folder, under which rules and variables."""
    said = "\0".join(words).encode(sys.getfilesystemencoding(), "surrogateescape")
    environ = b"\0".join([key + b"=" + value for key, value in posix.environ.items()])
    return packed([b"hook", own_token(), posix.getcwdb(), said, environ, data])


def packed(fields: list[bytes]) -> bytes:
    """The fields as one message, each behind its length, and the length of all before them."""
    whole = b"".join([len(field).to_bytes(4, "big") + field for field in fields])
    return len(whole).to_bytes(4, "big") + whole


def own_numbers() -> tuple[int, ...]:
    """What another version of tidegate or of Python, or another environment, has otherwise."""
    own, python = posix.stat(__file__), posix.lstat(sys.executable)
    return (
        sys.hexversion,
        own.st_dev,
        own.st_ino,
        own.st_mtime_ns,
        own.st_size,
        python.st_dev,
        python.st_ino,
        python.st_mtime_ns,
    )


def own_token() -> bytes:
    """The same with the names of both files and how names are spelled, as a text."""
    return repr((own_numbers(), __file__, sys.executable, sys.getfilesystemencoding())).encode("utf-8", "replace")


def own_name() -> str:
    """The name of the socket for this version: others have residents of their own."""
    return f"{hash(own_numbers()) & 0xFFFF_FFFF_FFFF_FFFF:016x}"  # of numbers it is the same in each process


def received(connection: _socket.socket, deadline: float) -> tuple[bytes, bytes, int]:
    """A whole answer, come before the *deadline*.

    Raises:
        OSError, ValueError: It is not whole, or none.
    """
    header = exactly(connection, _HEADER, deadline)
    output, errors, code = (int.from_bytes(header[at : at + 4], "big") for at in (0, 4, 8))
    if output + errors > MOST_READ or code > LAST_CODE:
        raise ValueError
    body = exactly(connection, output + errors + len(END), deadline)
    if not body.endswith(END):
        raise ValueError
    return body[:output], body[output:-1], code


def exactly(connection: _socket.socket, size: int, deadline: float) -> bytes:
    """That many bytes, before the *deadline*.

    Raises:
        OSError: They do not come in time.
        ValueError: The other side has ended before.
    """
    chunks = []
    while size:
        connection.settimeout(max(deadline - monotonic(), 0.001))
        chunk = connection.recv(min(size, 1 << 20))
        if not chunk:
            raise ValueError
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def account_folder() -> str | None:
    """The folder of the resident in the home of the account, whatever the variables say; `None` where it has none.

    It lies in the folder of state (`facts.state`).
    """
    import pwd

    try:
        home = pwd.getpwuid(posix.geteuid()).pw_dir
    except KeyError:
        return None
    state = "Library/Application Support" if sys.platform == "darwin" else ".local/state"
    return f"{home.rstrip('/')}/{state}/tidegate/resident" if home.startswith("/") else None


def leave(code: int) -> None:
    """End this process at once: all is written, and taking an interpreter down takes time."""
    posix._exit(code)  # noqa: SLF001 - as in `os`


def _folder(words: list[str]) -> tuple[list[str], str | None]:
    """The words that are not for here, and the folder that the others name."""
    if "--resident" not in words[:-1]:
        return words, account_folder()
    at = words.index("--resident")
    folder = words[at + 1]
    return words[:at] + words[at + 2 :], folder if folder.startswith("/") else None


def _input(deadline: float) -> bytes | None:
    """Standard input to its end, or to what anybody takes of it; `None` where it does not end in time."""
    chunks, size = [], 0
    while size < MOST_READ:
        left = deadline - monotonic()
        if left <= 0 or not select.select([0], [], [], left)[0]:
            return None
        chunk = posix.read(0, 1 << 20)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def _write(output: bytes, errors: bytes, code: int) -> int:
    try:
        for descriptor, data in ((2, errors), (1, output)):
            done = 0
            while done < len(data):
                done += posix.write(descriptor, data[done:])
    except OSError:
        sys.stderr.write("tidegate refused this call: its answer could not be written\n")
        return 2
    return code
