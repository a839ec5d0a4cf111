"""What functions of Python's own library do, as far as short programs use them."""

from __future__ import annotations

from collections.abc import Mapping

CALLS: Mapping[str, str] = {
    "open": "open",
    "io.open": "open",
    "codecs.open": "open",
    "os.open": "read+write",
    "os.remove": "delete",
    "os.unlink": "delete",
    "os.rmdir": "delete",
    "os.removedirs": "delete",
    "os.rename": "read-all+delete write",
    "os.renames": "read-all+delete write",
    "os.replace": "read-all+delete write",
    "os.mkdir": "write",
    "os.makedirs": "write",
    "os.mkfifo": "write",
    "os.truncate": "write",
    "os.chmod": "write",
    "os.chown": "write",
    "os.utime": "write",
    "os.link": "access write",
    "os.symlink": "access write",
    "os.listdir": "list",
    "os.scandir": "list",
    "os.walk": "list-all",
    "os.stat": "list",
    "os.readlink": "list",
    "os.chdir": "directory",
    "os.system": "shell",
    "os.popen": "shell",
    "shutil.rmtree": "delete-all!",
    "shutil.copy": "read into",
    "shutil.copy2": "read into",
    "shutil.copyfile": "read write",
    "shutil.copymode": "read write",
    "shutil.copystat": "read write",
    "shutil.copytree": "read-all write-all",
    "shutil.move": "read-all+delete into",
    "shutil.chown": "write",
    "shutil.disk_usage": "list",
    "shutil.unpack_archive": "read write-all",
    "glob.glob": "list-all",
    "glob.iglob": "list-all",
    "subprocess.run": "command",
    "subprocess.call": "command",
    "subprocess.check_call": "command",
    "subprocess.check_output": "command",
    "subprocess.Popen": "command",
    "subprocess.getoutput": "shell",
    "subprocess.getstatusoutput": "shell",
    "os.execl": "words1",
    "os.execlp": "words1",
    "os.execv": "list1",
    "os.execvp": "list1",
    "os.spawnl": "words2",
    "os.spawnlp": "words2",
    "os.spawnv": "list2",
    "os.spawnvp": "list2",
    "urllib.request.urlopen": "url",
    "urllib.request.urlretrieve": "url write",
    "urllib.request.Request": "url",
    "http.client.HTTPConnection": "host",
    "http.client.HTTPSConnection": "host",
    "socket.create_connection": "socket",
    "socket.getaddrinfo": "host",
    "socket.gethostbyname": "host",
    "webbrowser.open": "url",
    **{f"{module}.{verb}": "url" for module in ("requests", "httpx") for verb in "get post put patch delete head options stream".split()},
    **{f"{module}.request": "text url" for module in ("requests", "httpx")},
}
"""Dotted name to the roles of its positional arguments."""

PATH_METHODS: Mapping[str, str] = {
    "unlink": "delete",
    "rmdir": "delete",
    "mkdir": "write",
    "touch": "write",
    "write_text": "write",
    "write_bytes": "write",
    "read_text": "read",
    "read_bytes": "read",
    "open": "open",
    "rename": "read-all+delete>write",
    "replace": "read-all+delete>write",
    "symlink_to": "write>access",
    "hardlink_to": "write>access",
    "chmod": "write",
    "iterdir": "list",
    "glob": "list-all",
    "rglob": "list-all",
    "walk": "list-all",
    "stat": "list",
    "lstat": "list",
}
"""Method of a path to its role, and behind `>` that of its argument."""

PATH_PURE = frozenset(
    "absolute as_posix as_uri exists expanduser is_absolute is_dir is_file is_symlink is_relative_to joinpath match"
    " relative_to resolve with_name with_stem with_suffix samefile owner group".split()
)

HARMLESS_CALLS = frozenset(
    "os.getcwd os.getenv os.environ.get os.environ.items os.environ.keys os.getpid os.getppid os.getuid os.geteuid os.uname os.cpu_count"
    " os.urandom os.get_terminal_size os.fspath os.access os.isatty os.times os.getlogin os.getloadavg shutil.which shutil.get_terminal_size"
    " sys.exit sys.getsizeof sys.getrecursionlimit sys.stdout.write sys.stdout.flush sys.stderr.write sys.stderr.flush sys.stdin.read sys.stdin.readlines"
    " sys.stdin.readline sys.stdin.buffer.read sys.stdout.buffer.write sys.getdefaultencoding sys.getfilesystemencoding ast.literal_eval importlib.metadata.version"
    " importlib.util.find_spec yaml.safe_load yaml.safe_dump yaml.dump tomllib.load tomllib.loads socket.gethostname io.StringIO io.BytesIO"
    " collections.Counter collections.defaultdict collections.OrderedDict collections.deque time.sleep".split()
)

HARMLESS_MODULES = frozenset(
    "json re math cmath datetime time base64 hashlib itertools string textwrap random statistics decimal fractions uuid platform os.path"
    " shlex html urllib.parse pprint calendar struct zlib binascii unicodedata secrets difflib csv heapq bisect keyword numbers colorsys"
    " hmac locale ipaddress array copy quopri zoneinfo".split()
)
"""Modules all of whose functions only compute."""

KNOWN_MODULES = HARMLESS_MODULES | frozenset(
    "os shutil pathlib subprocess glob sys io urllib urllib.request http http.client socket collections ast importlib"
    " importlib.metadata importlib.util requests httpx yaml tomllib webbrowser codecs typing __future__ functools".split()
)

BUILTINS = frozenset(
    "print len str int float complex bool list dict set frozenset tuple sorted sum min max range enumerate zip any all abs round repr"
    " isinstance issubclass reversed ord chr hex oct bin divmod pow format bytes bytearray iter next hash id ascii input exit quit map"
    " filter slice Exception ValueError RuntimeError SystemExit KeyError FileNotFoundError OSError AssertionError".split()
)
