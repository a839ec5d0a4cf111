"""The page about the service: what it shows is what a service answers."""

import json
import os
import shlex
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from tests.docs.test_blocks import blocks
from tests.docs.test_tutorial import FENCE

pytest.importorskip("starlette", reason="the extra `serve` is not installed")

from tests.service.services import serving
from tidegate.service.clients import digest_of, read_clients

PAGE = (Path(__file__).resolve().parents[2] / "docs/serve.md").read_text(encoding="utf-8")
BLOCKS = FENCE.findall(PAGE)
NAMED = {name: text for _, name, text in BLOCKS if name}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """The service that the page starts, on a free port."""
    started = shlex.split(next(text for language, _, text in BLOCKS if language == "console").partition("\n")[0])

    assert started[:4] == ["$", "tidegate", "serve", "rules.toml"]
    folder = tmp_path_factory.mktemp("page")
    with serving(folder, *started[4:], rules=blocks("toml")[0].values[0]) as running:
        yield running


def test_curl_gets_what_is_shown(service):
    """The question on the page has the answer on the page."""
    words = shlex.split([text for language, _, text in BLOCKS if language == "console"][1])
    path, body = words[words.index("-s") + 1].partition("8470")[2], words[words.index("-d") + 1]

    assert service.ask(path, body.encode()).value == json.loads(NAMED["decide"])


def test_evaluation_is_one(service):
    """The evaluation on the page is permitted."""
    assert service.ask("/access/v1/evaluation", NAMED["evaluation"].encode()).value["decision"] is True


def test_client_does_what_is_shown(service):
    """The program on the page gets a decision."""
    said = StringIO()
    with redirect_stdout(said):
        exec(compile(NAMED["client"].replace("http://127.0.0.1:8470", service.url), "client", "exec"), {})

    assert said.getvalue() == "run it with {'command': 'git status'}\n"


def test_clients_are_read(tmp_path):
    """The file of clients on the page is one, and its token is known."""
    path = tmp_path / "clients.toml"
    path.write_text(NAMED["clients.toml"], encoding="utf-8")
    if os.name == "posix":
        path.chmod(0o600)

    assert read_clients(path).who("Bearer tidegate", frozenset()).agent == "ci"
    assert digest_of("tidegate") in PAGE


def test_every_endpoint_is_named(service):
    """Each path of the description stands on the page."""
    assert [path for path in service.get("/openapi.json").value["paths"] if path not in PAGE] == []
