"""Who may ask: tokens and certificates, from a file of clients that nobody else may change."""

import os
import ssl
import subprocess
import sys

import pytest

from tests.service.services import ATTESTED, call, serving
from tidegate.call import Call, Tool
from tidegate.cli import main
from tidegate.errors import RuleError, StateError
from tidegate.service.clients import Client, Clients, digest_of, read_clients

TOKEN, OTHER = "a" * 43, "b" * 43
READING = call("read_file", path="src/a.py")


def file_of(folder, text):
    """A file of clients."""
    path = folder / "clients.toml"
    path.write_text(f"version = 1\n{text}", encoding="utf-8")
    path.chmod(0o600)
    return path


def table(name, **keys):
    """One client in TOML."""
    lines = "".join(f"{key} = {value!r}\n" for key, value in keys.items()).replace("True", "true")
    return f"[clients.{name}]\n{lines}"


def clients_of(folder, *tables):
    """The clients of these tables."""
    return read_clients(file_of(folder, "\n".join(tables)))


def bearer(token):
    """How a token is shown."""
    return f"Bearer {token}"


def test_client_is_known_by_what_it_lists(tmp_path):
    """A client that lists a token shows it, one that lists a certificate shows that, one that lists both shows both."""
    clients = clients_of(
        tmp_path,
        table("token", token_sha256=[digest_of(TOKEN)], attests=["cwd"], agent="ci"),
        table("cert", certificate=["dns:a.example"], explain=True),
        table("both", token_sha256=[digest_of(OTHER)], certificate=["dns:b.example"]),
    )
    a, b, none = frozenset({"dns:a.example"}), frozenset({"cn:x", "dns:b.example"}), frozenset()

    assert clients.who(bearer(TOKEN), none) == Client("token", frozenset({"cwd"}), "ci", explain=False)
    assert clients.who(f"bearer  {TOKEN} ", none).name == "token"
    assert clients.who(None, a) == Client("cert", explain=True)
    assert clients.who(bearer(OTHER), b).name == "both"
    for shown, names in [
        (None, none), (None, b), (bearer(OTHER), none), (bearer(OTHER), a), (bearer("c"), a), (bearer(TOKEN), a),
        ("Bearer", none), (f"Basic {TOKEN}", none), (f"Basic {TOKEN}", a), (bearer(digest_of(TOKEN)), none),
        (bearer(""), none), (bearer("é"), none), (bearer(TOKEN + "x" * 2_000), none),
    ]:  # fmt: skip
        assert clients.who(shown, names) is None, (shown, names)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("[clients]\n", "empty-table", 2),
        ("[clients.a]\n", "missing-key", 2),
        ('[clients.a]\ntoken_sha256 = ["x"]\n', "bad-value", 3),
        ('[clients.a]\ncertificate = ["a.example"]\n', "bad-value", 3),
        ('[clients.a]\ncertificate = ["dns:a"]\nattests = ["all"]\n', "bad-value", 4),
        ('[clients.a]\ncertificate = ["dns:a"]\n[clients.b]\ncertificate = ["dns:a"]\n', "bad-value", 5),
        ('[clients.a]\ncertificate = ["dns:a"]\nadmin = true\n', "unknown-key", 4),
        ("[clients.a\n", "toml-syntax", 2),
        ("", "missing-key", 0),
    ],
)
def test_file_with_a_slip_is_refused(tmp_path, text, code, line):
    """What is wrong in the file is a finding at its place, and no client is let in."""
    with pytest.raises(RuleError) as raised:
        read_clients(file_of(tmp_path, text))

    assert [(found.code, found.line) for found in raised.value.findings] == [(code, line)]


@pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")
def test_file_that_others_may_write_is_refused(tmp_path):
    """Whoever may write the file could let anybody in."""
    path = file_of(tmp_path, table("a", certificate=["dns:a"]))
    path.chmod(0o620)

    with pytest.raises(StateError, match="chmod go-w"):
        read_clients(path)


def test_facts_are_those_that_the_client_attests():
    """What a client does not attest is unknown; an agent of its own takes the place of what the call says."""
    said = Call(Tool("t"), {}, cwd="/a", root="/b", home="/c", agent="d", session="e", mode="f", interactive=False)
    bare = Client("x").vouched(said)
    some = Client("x", frozenset({"cwd", "session"}), "ci").vouched(said)

    assert (bare.cwd, bare.root, bare.home, bare.agent, bare.session, bare.mode) == (None,) * 6
    assert (some.cwd, some.root, some.agent, some.session, some.mode) == ("/a", None, "ci", "e", None)
    assert not bare.interactive


def test_open_clients_are_anybody():
    """Where nothing is to be shown, everybody is the same client."""
    anybody = Client("anybody")

    assert Clients({}, anybody, open=True).who("Basic x", frozenset()) == anybody


def test_token_is_asked_for_and_taken_from_a_file_that_changes(tmp_path):
    """Without a known token nothing is told of the rules; a new token counts once the file was reloaded."""
    path = file_of(tmp_path, table("ci", token_sha256=[digest_of(TOKEN)], attests=["cwd", "root"]))
    with serving(tmp_path, "--clients", str(path), "--machine", "plain") as service:
        for headers in ({}, {"authorization": bearer(OTHER)}, {"authorization": "Basic eDp5"}):
            for door in ("/v1/decide", "/metrics", "/nothing", "/access/v1/evaluation"):
                reply = service.ask(door, READING, **headers)

                assert (reply.status, reply.value["effect"], reply.headers["www-authenticate"]) == (
                    401,
                    "deny",
                    "Bearer",
                )
                assert "workspace" not in str(reply.value)
        for door in ("/healthz", "/readyz", "/openapi.json"):
            assert "workspace" not in str(service.get(door).value)
        known = service.ask("/v1/decide", READING, authorization=bearer(TOKEN), host="decisions.example")

        assert (known.status, known.value["rule"]) == (200, "workspace")

        with service.raw() as connection:
            twice = "".join(f"authorization: {bearer(one)}\r\n" for one in (TOKEN, OTHER))
            connection.sendall(f"GET /metrics HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{twice}\r\n".encode())

            assert connection.makefile("rb").readline().startswith(b"HTTP/1.1 401")

        assert service.ask("/v1/explain", READING, authorization=bearer(TOKEN)).status == 403

        if os.name == "posix":
            path.write_text("version = 1\n[clients\n", encoding="utf-8")
            service.reload("kept", authorization=bearer(TOKEN))

            assert service.ask("/v1/decide", READING, authorization=bearer(TOKEN)).status == 200
            assert service.get("/readyz").value["rules"] == "last good"

            file_of(tmp_path, table("ci", token_sha256=[digest_of(OTHER)]))
            service.reload("taken", authorization=bearer(TOKEN), then=bearer(OTHER))

            assert service.ask("/v1/decide", READING, authorization=bearer(TOKEN)).status == 401
            assert service.ask("/v1/decide", READING, authorization=bearer(OTHER)).status == 200


@pytest.fixture(scope="module")
def authority():
    """An authority, and what a client with a certificate of it, or without one, connects with."""
    trustme = pytest.importorskip("trustme", reason="certificates are made by trustme")
    return trustme.CA()


def context_of(authority, name=None):
    """What a client connects with; it shows a certificate for that name."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    if name is not None:
        authority.issue_cert(name).configure_cert(context)
    return context


def test_certificate_is_asked_for(tmp_path, authority):
    """With an authority for clients, nobody comes in without a certificate of it, and each client is who it says."""
    import trustme

    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(tmp_path / "server.pem")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    path = file_of(tmp_path, table("ci", certificate=["dns:ci.example"], attests=["cwd", "root"]))
    words = ("--tls-cert", "server.pem", "--client-ca", "ca.pem", "--clients", str(path), "--machine", "plain")
    stranger = trustme.CA()
    with serving(tmp_path, *words, context=context_of(authority, "ci.example")) as service:
        assert service.url.startswith("https://")
        assert service.ask("/v1/decide", READING).value["effect"] == "allow"
        assert service._replace(context=context_of(authority, "x.example")).ask("/v1/decide", READING).status == 401

        nameless = context_of(authority)
        strange = context_of(authority)
        stranger.issue_cert("ci.example").configure_cert(strange)
        for context in (nameless, strange):
            with pytest.raises((ssl.SSLError, ConnectionError)):
                service._replace(context=context).ask("/v1/decide", READING)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--host", "0.0.0.0"], "anybody could ask"),
        (["--host", "0.0.0.0", "--clients", "clients.toml"], "could be read on their way"),
        (["--client-ca", "x.pem"], "need `--tls-cert`"),
        (["--clients", "clients.toml", "--attest", "cwd"], "the file says"),
        (["--clients", "named.toml"], "nobody asks for one"),
        (["--plain", "--tls-cert", "x.pem"], "contradict"),
        (["--host", "no.such.host.invalid"], ""),
        (["--tls-cert", "clients.toml"], ""),
    ],
)
def test_unsafe_place_is_refused_at_start(tmp_path, monkeypatch, capsys, words, why):
    """A service that anybody could ask, or whose tokens could be read, does not start: exit code 2, nothing listens."""
    (tmp_path / "rules.toml").write_text('version = 1\ndefault = "deny"\n', encoding="utf-8")
    file_of(tmp_path, table("a", token_sha256=[digest_of(TOKEN)]))
    (tmp_path / "named.toml").write_text(f"version = 1\n{table('a', certificate=['dns:a'])}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code = main(["serve", "rules.toml", "--port", "0", *words])
    said = capsys.readouterr()

    assert (code, said.out) == (2, "")
    assert why in said.err
    assert "internal error" not in said.err


def test_new_token_is_what_the_file_needs(tmp_path):
    """`--new-token` prints a token and the table that lets it in."""
    command = [sys.executable, "-m", "tidegate", "serve", "--new-token", "ci runner"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    token = said.splitlines()[0].rsplit(" ", 1)[1]

    assert read_clients(file_of(tmp_path, said)).who(bearer(token), frozenset()).name == "ci runner"


def test_rules_with_an_error_are_not_served(tmp_path):
    """A service does not start with broken rules."""
    (tmp_path / "rules.toml").write_text("version = 1\ndefault = 'perhaps'\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="no plan is made"), serving(tmp_path, *ATTESTED):
        pass
