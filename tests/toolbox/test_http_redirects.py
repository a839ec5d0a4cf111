"""`http_get` behind rules: it dials what was judged, and has every redirect judged before it follows it."""

import http.server
import threading
from functools import partial
from ipaddress import ip_address

import anyio
import pytest

from tests.laws.worlds import Clock
from tidegate import Context, ToolExecution, ToolRegistry
from tidegate.engine import Engine
from tidegate.facts import Facts
from tidegate.facts.counters import MemoryCounters
from tidegate.toolbox.web import MOST_REDIRECTS, web_tool

HOME = "127.0.0.1"
NOWHERE = "192.0.2.1"  # TEST-NET-1, which leads to no host
INSIDE = '[[rule]]\nid = "inside"\nkind = "url"\nresolve = true\ndeny_ranges = {}\n'


class Handler(http.server.BaseHTTPRequestHandler):
    """Redirects where the server's table says so, and else answers."""

    def do_GET(self):
        self.server.asked.append((self.headers["Host"].partition(":")[0], self.path))
        location = self.server.table.get(self.path)
        self.send_response(200 if location is None else 302)
        if location is not None:
            self.send_header("Location", location)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server():
    """A server on the loopback, which ends with the test."""
    served = http.server.ThreadingHTTPServer((HOME, 0), Handler)
    served.asked, served.table = [], {}
    thread = threading.Thread(target=served.serve_forever, args=(0.01,))
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


class Zone:
    """A lookup that answers each question about a name with the next of its answers, and then with the last."""

    def __init__(self, **answers):
        self.answers = {name.replace("_", "."): list(found) for name, found in answers.items()}
        self.questions = []

    def __call__(self, host):
        self.questions.append(host)
        found = self.answers.get(host)
        if found is None:
            raise OSError("there is no such name")
        return [ip_address(text) for text in (found.pop(0) if len(found) > 1 else found[0])]


class Fetching:
    """A registry with `http_get`, and an engine around it for each text of rules."""

    def __init__(self, folder, *worlds, default="allow", longest=5.0, redirects=True):
        self.records = []
        self.tools = ToolRegistry(Context())
        self.tools.register(web_tool(longest, tools=self.tools if redirects else None, resolver=Zone()))
        for index, (text, zone) in enumerate(worlds):
            path = folder / f"rules-{index}.toml"
            path.write_text(f'version = 1\ndefault = "{default}"\n{text}', encoding="utf-8")
            counters = MemoryCounters()
            facts = Facts(clock=Clock(), counters=lambda _, kept=counters: kept, resolver=zone)
            Engine.load(path, facts=facts, recorders=[self.records.append]).attach(self.tools)

    def __call__(self, url):
        return self.tools.execute_sync(self.call(url))

    def call(self, url):
        return ToolExecution("1", "http_get", {"url": url})


def ranges(*names):
    return INSIDE.format(list(names))


def test_name_is_dialled_where_it_was_judged(server, tmp_path):
    """The name is looked up once, by the rules; the server is told the name and dialled at the address."""
    zone = Zone(a_test=[[HOME], [NOWHERE]])
    result = Fetching(tmp_path, (ranges("private"), zone))(f"http://a.test:{server.server_port}/x")

    assert result.text.startswith("HTTP 200")
    assert (server.asked, zone.questions) == ([("a.test", "/x")], ["a.test"])


def test_name_that_leads_elsewhere_the_second_time_is_not_dialled_there(server, tmp_path):
    """Rebinding: what was judged harmless is dialled, and not where the name leads a moment later."""
    zone = Zone(a_test=[[NOWHERE], [HOME]])
    result = Fetching(tmp_path, (ranges("loopback"), zone), longest=0.5)(f"http://a.test:{server.server_port}/")

    assert result.is_error
    assert result.error.code in ("TIMEOUT", "NO_ANSWER")
    assert (server.asked, zone.questions) == ([], ["a.test"])


def test_name_with_one_address_in_a_refused_range_is_refused(server, tmp_path):
    """One address is enough, wherever it stands."""
    zone = Zone(a_test=[["8.8.8.8", HOME]])
    result = Fetching(tmp_path, (ranges("loopback"), zone))(f"http://a.test:{server.server_port}/")

    assert result.error.code == "DENIED"
    assert server.asked == []


def test_name_without_a_rule_that_looks_it_up_is_looked_up_once_by_the_engine(server, tmp_path):
    """The resolver of the engine is used, not another one."""
    zone = Zone(a_test=[[HOME], [NOWHERE]])
    result = Fetching(tmp_path, ('[[rule]]\nid = "t"\nkind = "tools"\ndeny = ["x"]\n', zone))(
        f"http://a.test:{server.server_port}/"
    )

    assert (result.is_error, zone.questions) == (False, ["a.test"])


def test_next_address_is_dialled_where_one_does_not_answer(server, tmp_path):
    """All addresses were judged, and one after the other is tried."""
    zone = Zone(a_test=[["127.0.0.2", HOME]])
    result = Fetching(tmp_path, (ranges("private"), zone))(f"http://a.test:{server.server_port}/")

    assert result.text.startswith("HTTP 200")


def test_only_what_every_engine_has_judged_is_dialled(server, tmp_path):
    """Two engines that were told different addresses of a name agree on none of them."""
    worlds = [(ranges("private"), Zone(a_test=[[HOME]])), (ranges("private"), Zone(a_test=[["127.0.0.3"]]))]
    result = Fetching(tmp_path, *worlds)(f"http://a.test:{server.server_port}/")

    assert result.text == "Error: the request failed: the name has no address"
    assert server.asked == []


def test_name_that_nobody_knows_is_a_failure_where_rules_let_it_pass(tmp_path):
    """A call that is allowed although its name is unknown fails, and asks nobody else."""
    zone = Zone()
    result = Fetching(tmp_path, (ranges("private") + 'unknown = "allow"\n', zone))("http://a.test/")

    assert (result.error.code, zone.questions) == ("NO_ANSWER", ["a.test"])


def test_redirect_is_followed_as_a_call_of_its_own(server, tmp_path):
    """Each hop is judged and recorded under the call's identifier and its own number."""
    server.table = {"/a": "/b", "/b": f"http://b.test:{server.server_port}/c"}
    zone = Zone(a_test=[[HOME]], b_test=[[HOME]])
    fetching = Fetching(tmp_path, (ranges("private"), zone))
    result = fetching(f"http://a.test:{server.server_port}/a")

    assert result.text.startswith("HTTP 200")
    assert server.asked == [("a.test", "/a"), ("a.test", "/b"), ("b.test", "/c")]
    assert sorted(record.call_id for record in fetching.records) == ["1", "1>1", "1>2"]
    assert [record.decision.effect for record in fetching.records] == ["allow"] * 3


@pytest.mark.parametrize(
    "location",
    [
        "http://10.0.0.1/",
        "//10.1/x",
        "http://[::ffff:a00:1]/",
        "http://in.test/",
        "https://in.test:{port}/",
        "http://8.8.8.8@10.0.0.1/",
    ],
)
def test_redirect_that_rules_refuse_is_not_followed(server, tmp_path, location):
    """The result says where it leads and that it is refused, and nothing is dialled."""
    server.table = {"/a": location.format(port=server.server_port)}
    zone = Zone(a_test=[[HOME]], in_test=[["10.0.0.1"]])
    result = Fetching(tmp_path, (ranges("private"), zone))(f"http://a.test:{server.server_port}/a")

    assert (result.error.code, len(server.asked)) == ("REDIRECT_REFUSED", 1)
    assert result.text.startswith("Error: the server answered 302 and redirects to `http")
    assert "which is refused: connecting to" in result.text


def test_redirect_to_a_name_that_leads_elsewhere_by_then_is_judged_anew(server, tmp_path):
    """The same name is looked up again for the next hop, and judged again."""
    server.table = {"/a": "/b"}
    zone = Zone(a_test=[[HOME], ["10.0.0.1"]])
    result = Fetching(tmp_path, (ranges("private"), zone))(f"http://a.test:{server.server_port}/a")

    assert result.error.code == "REDIRECT_REFUSED"
    assert (server.asked, zone.questions) == ([("a.test", "/a")], ["a.test", "a.test"])


def test_redirect_about_which_rules_ask_is_refused_without_an_approver(server, tmp_path):
    """Nobody can be asked, and so nobody goes there."""
    server.table = {"/a": "http://nobody.test/"}
    zone = Zone(a_test=[[HOME]])
    result = Fetching(tmp_path, (ranges("private"), zone))(f"http://a.test:{server.server_port}/a")

    assert result.error.code == "REDIRECT_REFUSED"


def test_redirects_are_bounded(server, tmp_path):
    """A circle is left after some hops."""
    server.table = {"/a": "/a"}
    zone = Zone(a_test=[[HOME]])
    result = Fetching(tmp_path, (ranges("private"), zone))(f"http://a.test:{server.server_port}/a")

    assert result.error.code == "TOO_MANY_REDIRECTS"
    assert len(server.asked) == MOST_REDIRECTS + 1


def test_redirects_count_against_limits(server, tmp_path):
    """Every hop takes from the limit as a call does."""
    server.table = {"/a": "/b", "/b": "/c"}
    limit = '[[rule]]\nid = "few"\nkind = "rate-limit"\nlimit = "2/minute"\n'
    result = Fetching(tmp_path, (limit, Zone(a_test=[[HOME]])))(f"http://a.test:{server.server_port}/a")

    assert result.error.code == "REDIRECT_REFUSED"
    assert [path for _, path in server.asked] == ["/a", "/b"]


@pytest.mark.parametrize("location", ["ftp://a.test/", "file:///etc/passwd", "http://a.test\\@b.test/", "data:,x"])
def test_redirect_to_what_is_no_plain_url_fails(server, tmp_path, location):
    """What would not be fetched is not fetched because a server says so."""
    server.table = {"/a": location}
    zone = Zone(a_test=[[HOME]])
    result = Fetching(tmp_path, ("", zone))(f"http://a.test:{server.server_port}/a")

    assert (result.error.code, len(server.asked)) == ("BAD_URL", 1)


def test_redirect_is_shown_where_there_is_no_registry(server, tmp_path):
    """Without somebody who has it judged, a redirect is not followed."""
    server.table = {"/a": "/b"}
    fetching = Fetching(tmp_path, ("", Zone(a_test=[[HOME]])), redirects=False)
    result = fetching(f"http://a.test:{server.server_port}/a")

    assert "location: /b" in result.text
    assert len(server.asked) == 1


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_redirects_are_followed_in_an_event_loop(server, tmp_path, backend):
    """A host that waits gets the same."""
    server.table = {"/a": "/b", "/b": "http://10.0.0.1/"}
    fetching = Fetching(tmp_path, (ranges("private"), Zone(a_test=[[HOME]])))
    call = fetching.call(f"http://a.test:{server.server_port}/a")
    result = anyio.run(partial(fetching.tools.execute, call), backend=backend)

    assert result.error.code == "REDIRECT_REFUSED"
    assert [path for _, path in server.asked] == ["/a", "/b"]
