"""Chat models by names of the user's: each at its server, with its key, at its price, for its stages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus import use_letters, write
from fake_server import FakeServer, fails
from test_engine import answers, asked_for

import kohaku
from kohaku.doors.display import usage_object
from kohaku.doors.models import load_chat
from kohaku.errors import NoAccess, SettingsError
from kohaku.settings import load

QUESTION = "How much water did Lake Site draw in 2023?"
FILE = """
model = "strong"
planner_model = "cheap"
filter_model = "sieve"
source_filter = true
[endpoints.strong]
model = "big-1"
base_url = "{one}"
key_env = "STRONG_KEY"
price = [10, 100]
[endpoints.cheap]
model = "small"
base_url = "{two}"
price = [1, 2]
[endpoints.sieve]
model = "small"
base_url = "{two}"
"""


@pytest.fixture
def other() -> Iterator[FakeServer]:
    fake = FakeServer()
    fake.otherwise = answers
    yield fake
    fake.close()


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    use_letters(monkeypatch)
    kohaku.index([write(tmp_path / "files")], "my.db")
    return "my.db"


@pytest.fixture
def configured(server: FakeServer, other: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.otherwise = answers
    monkeypatch.setenv("STRONG_KEY", "sk-strong-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-general-secret")
    Path("kohaku.toml").write_text(FILE.format(one=server.url, two=other.url))


def test_each_stage_asks_its_model_at_its_server_with_its_key(
    db: str, configured: None, server: FakeServer, other: FakeServer
) -> None:
    with kohaku.open(db) as engine:
        engine.ask(QUESTION)
    assert {(asked_for(body), body["model"]) for body in server.requests} == {("answer", "big-1")}
    assert {(asked_for(body), body["model"]) for body in other.requests} == {
        ("query_plan", "small"),
        ("source_filter", "small"),
    }
    assert set(server.keys) == {"Bearer sk-strong-secret"}
    assert "secret" not in "".join(other.keys), "another server's key is never sent along"


def test_usage_and_cost_are_told_by_the_user_s_names_and_by_stage(db: str, configured: None) -> None:
    with kohaku.open(db) as engine:
        engine.ask(QUESTION)
        told = json.loads(json.dumps(usage_object(engine.usage(), engine.settings.known_prices)))
    assert set(told) == {"strong", "cheap", "sieve"}
    assert list(told["strong"]["stages"]) == ["answer"]
    assert list(told["cheap"]["stages"]) == ["query_plan"]
    assert told["strong"]["cost"] == pytest.approx((7 * 10 + 3 * 100) * told["strong"]["calls"] / 1e6)
    assert told["sieve"]["cost"] is None
    assert "secret" not in json.dumps(told)


def test_a_limit_on_costs_needs_a_price_under_the_name_or_under_the_model_s(configured: None) -> None:
    with pytest.raises(SettingsError, match=r"'sieve' costs .*: add price = .* under \[endpoints\.sieve\] in"):
        load_chat(load({"max_cost": 1}), "sieve")
    with pytest.raises(SettingsError, match=r'add "other" = .* under \[prices\] in'):
        load_chat(load({"max_cost": 1}), "other")
    assert load_chat(load({"max_cost": 1, "prices": {"small": (1, 1)}}), "sieve").price is not None
    assert load_chat(load({"max_cost": 1, "prices": {"cheap": (9, 9)}}), "cheap").price == load().known_prices["cheap"]


def test_readers_by_turns_go_by_these_names_too(db: str, configured: None, server: FakeServer) -> None:
    with kohaku.open(db, models=["strong", "cheap"], source_filter=False) as engine:
        engine.ask(QUESTION)
        assert set(engine.readers) == {"strong", "cheap"}


def test_a_key_that_is_not_set_is_told_by_its_variable(configured: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STRONG_KEY")
    with pytest.raises(SettingsError, match=r"endpoint 'strong' has no key: .* variable STRONG_KEY"):
        load_chat(load(), "strong")


def test_a_key_where_its_variable_s_name_belongs_is_not_repeated() -> None:
    Path("kohaku.toml").write_text('[endpoints.a]\nkey_env = "sk-in-the-wrong-place"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="endpoint 'a' has no key") as caught:
        load_chat(load(), "a")
    assert "wrong-place" not in str(caught.value)


def test_a_key_in_the_file_is_refused_and_not_repeated() -> None:
    Path("kohaku.toml").write_text('[endpoints.x]\nkey = "sk-in-the-file"')
    with pytest.raises(SettingsError, match=r"'endpoints.x.key' in kohaku.toml: unknown key: did you mean") as error:
        load()
    assert "sk-in-the-file" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[endpoints.x]\nurl = "y"', "unknown key: did you mean 'base_url'"),
        ("[endpoints.x]\nprice = [1]", "endpoints.x.price"),
        ("[endpoints.x]\nprice = [-1, 2]", "endpoints.x.price.0"),
        ('[models.x]\nmodel = "y"', re.escape("a model's table is [endpoints.NAME]")),
    ],
)
def test_a_wrong_table_is_one_line_that_says_where(text: str, said: str) -> None:
    Path("kohaku.toml").write_text(text)
    with pytest.raises(SettingsError, match=said):
        load()


def test_a_server_that_echoes_a_named_key_does_not_make_it_known(db: str, configured: None, server: FakeServer) -> None:
    server.otherwise = lambda body: fails(401, "no such key: sk-strong-secret")
    with kohaku.open(db) as engine, pytest.raises(NoAccess) as error:
        engine.ask(QUESTION)
    assert "strong-secret" not in str(error.value)
