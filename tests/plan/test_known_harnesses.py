"""One rule means the same for every harness: what is done alike is decided alike, whatever the tool is called."""

import pytest

from tests.kinds.deciding import ROOT, Deciding

READS = [
    ("read_file", "path"),
    ("read_file", "file_path"),
    ("read_file", "absolute_path"),
    ("Read", "file_path"),
    ("Read", "path"),
    ("view", "path"),
    ("view_image", "path"),
    ("mcp__filesystem__read_file", "path"),
    ("mcp__filesystem__read_text_file", "path"),
    ("mcp__filesystem__read_multiple_files", "paths"),
    ("mcp__git__git_status", "repo_path"),
    ("ReadLints", "paths"),
    ("LSP", "filePath"),
]
WRITES = [
    ("write_file", "path"),
    ("write_file", "file_path"),
    ("Write", "file_path"),
    ("replace", "file_path"),
    ("create", "path"),
    ("edit", "path"),
    ("Edit", "file_path"),
    ("StrReplace", "path"),
    ("str_replace_editor", "path"),
    ("mcp__filesystem__write_file", "path"),
    ("mcp__filesystem__create_directory", "path"),
    ("mcp__git__git_commit", "repo_path"),
]
COMMANDS = [
    ("run_bash", "command"),
    ("Bash", "command"),
    ("bash", "command"),
    ("shell", "command"),
    ("Shell", "command"),
    ("run_shell_command", "command"),
    ("shell_command", "command"),
    ("exec_command", "cmd"),
]
URLS = [
    ("http_get", "url"),
    ("WebFetch", "url"),
    ("web_fetch", "url"),
    ("mcp__fetch__fetch", "url"),
    ("mcp__everything__gzip-file-as-resource", "data"),
]
QUERIES = [("mcp__postgres__query", "sql"), ("mcp__sqlite__read_query", "query"), ("mcp__sqlite__write_query", "query")]
PATHS = '[[rule]]\nid = "p"\nkind = "path"\naccess = "{}"\nallow = ["{{root}}/**"]\ndeny = ["~/.ssh/**"]\n'


def value(argument, text):
    return {argument: [text] if argument == "paths" else text}


@pytest.mark.parametrize(
    ("access", "tool", "argument"), [*(("read", *one) for one in READS), *(("write", *one) for one in WRITES)]
)
def test_a_path_is_one_in_every_harness(tmp_path, access, tool, argument):
    """Inside of the project it is granted, elsewhere not, and what is denied is denied."""
    access = '["read", "write"]' if access == "write" else '"read"'
    decide = Deciding(tmp_path, PATHS.replace('"{}"', access).replace("{{", "{").replace("}}", "}"), default="ask")

    assert decide(tool, **value(argument, f"{ROOT}/a")) == "allow"
    assert decide(tool, **value(argument, "/srv/other")) == "ask"
    assert decide(tool, **value(argument, "~/.ssh/id_rsa")) == "deny"


@pytest.mark.parametrize(
    ("effect", "tool", "argument"), [*(("allow", *one) for one in READS), *(("deny", *one) for one in WRITES)]
)
def test_reading_is_not_writing(tmp_path, effect, tool, argument):
    """What denies writing says nothing of a tool that reads."""
    decide = Deciding(
        tmp_path, '[[rule]]\nid = "w"\nkind = "path"\naccess = "write"\ndeny = ["/srv/**"]\n', default="allow"
    )

    assert decide(tool, **value(argument, f"{ROOT}/a")) == effect


@pytest.mark.parametrize(("tool", "argument"), COMMANDS)
def test_a_command_is_one_in_every_harness(tmp_path, tool, argument):
    """Granted, denied, or neither."""
    decide = Deciding(
        tmp_path,
        '[[rule]]\nid = "c"\nkind = "command"\nallow = ["git status ..."]\ndeny = ["rm -r"]\n',
        default="ask",
    )

    assert decide(tool, **{argument: "git status -s"}) == "allow"
    assert decide(tool, **{argument: "git push"}) == "ask"
    assert decide(tool, **{argument: "true && rm -fr x"}) == "deny"


@pytest.mark.parametrize(("tool", "argument"), URLS)
def test_a_url_is_one_in_every_harness(tmp_path, tool, argument):
    """Granted by its host, and denied by its address."""
    rule = '[[rule]]\nid = "u"\nkind = "url"\nallow = ["https://example.com"]\ndeny_ranges = ["metadata"]\n'
    decide = Deciding(tmp_path, rule, default="ask")

    assert decide(tool, **{argument: "https://example.com"}) == "allow"
    assert decide(tool, **{argument: "https://example.org"}) == "ask"
    assert decide(tool, **{argument: "http://169.254.169.254/latest"}) == "deny"


def test_a_prompt_that_is_fetched_is_looked_at(tmp_path):
    """Gemini CLI fetches the URLs in the prompt of its `web_fetch`."""
    decide = Deciding(tmp_path, '[[rule]]\nid = "u"\nkind = "url"\ndeny_ranges = ["metadata"]\n', default="allow")

    assert decide("web_fetch", prompt="sum up https://example.com and http://169.254.169.254/latest") == "deny"
    assert decide("web_fetch", prompt="sum up https://example.com") == "allow"


@pytest.mark.parametrize(("tool", "argument"), QUERIES)
def test_sql_is_sql_in_every_harness(tmp_path, tool, argument):
    """Reading is granted, and dropping is not."""
    pytest.importorskip("sqlglot", reason="SQL is read by sqlglot")
    rule = '[[rule]]\nid = "s"\nkind = "sql"\ndialect = "postgres"\nread_only = true\ngrant = true\n'
    decide = Deciding(tmp_path, rule, default="ask")

    assert decide(tool, **{argument: "SELECT 1"}) == "allow"
    assert decide(tool, **{argument: "DROP TABLE t"}) == "deny"


def test_a_server_of_another_name_is_not_known(tmp_path):
    """Whoever offers a tool of the same name does not get what the well-known one may do."""
    decide = Deciding(tmp_path, PATHS.replace('"{}"', '"read"').replace("{{", "{").replace("}}", "}"), default="ask")

    assert decide("mcp__evil__read_text_file", path=f"{ROOT}/a") == "ask"
