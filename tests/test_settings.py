"""Where settings come from, which wins, and what is said of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from kohaku.errors import SettingsError
from kohaku.settings import Settings, load

DEFAULTS = Settings.model_validate({})


@pytest.fixture(autouse=True)
def nothing_given(sealed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KOHAKU_REPLY_CACHE")


def toml(text: str, name: str = "kohaku.toml") -> Path:
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    return path


def test_with_nothing_given_the_defaults_hold() -> None:
    assert load() == DEFAULTS


def test_flags_win_over_the_environment_that_over_the_file_that_over_the_defaults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    toml("budget = 1\ntop_k = 1\nqueries = 1")
    monkeypatch.setenv("KOHAKU_TOP_K", "2")
    monkeypatch.setenv("KOHAKU_QUERIES", "2")
    found = load({"queries": 3})
    assert (found.budget, found.top_k, found.queries, found.retries) == (1, 2, 3, DEFAULTS.retries)


def test_a_flag_that_is_not_given_changes_nothing() -> None:
    toml("budget = 7")
    assert load({"budget": None, "model": None}).budget == 7


def test_a_file_that_is_named_is_read_in_place_of_the_one_here() -> None:
    toml("budget = 1\ntop_k = 1")
    assert load(config=toml("budget = 2", "other.toml")) == DEFAULTS.model_copy(update={"budget": 2})


def test_an_empty_variable_counts_as_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOHAKU_DB", "")
    assert load().db == Path("kohaku.db")


@pytest.mark.parametrize(
    ("key", "near"), [("budgt", "budget"), ("topk", "top_k"), ("Model", "model"), ("apikey", "api_key"), ("x", "")]
)
def test_an_unknown_key_anywhere_is_an_error_that_names_the_nearest_known_one(
    monkeypatch: pytest.MonkeyPatch, key: str, near: str
) -> None:
    with pytest.raises(SettingsError, match=f"unknown setting '{key}' in flags: did you mean '{near}"):
        load({key: 1})
    path = toml(f"{key} = 1", "my.toml")
    with pytest.raises(SettingsError, match=f"unknown setting '{key}' in my.toml: did you mean '{near}"):
        load(config=path)
    monkeypatch.setenv(f"KOHAKU_{key.upper()}", "1")
    if key.lower() != near:
        with pytest.raises(SettingsError, match=f"unknown setting '{key.lower()}' in the environment: did you mean"):
            load()


@pytest.mark.parametrize(
    ("key", "value"),
    [("budget", "abc"), ("budget", "0"), ("top_k", "9" * 30), ("temperature", "3"), ("fusion", "best"), ("tries", "")],
)
def test_a_bad_value_is_one_line_that_names_the_setting_and_where_it_stands(
    monkeypatch: pytest.MonkeyPatch, key: str, value: str
) -> None:
    path = toml(f'{key} = "{value}"', "my.toml")
    with pytest.raises(SettingsError, match=f"^setting '{key}' in my.toml: .+") as raised:
        load(config=path)
    assert "\n" not in str(raised.value)
    if value:
        monkeypatch.setenv(f"KOHAKU_{key.upper()}", value)
        with pytest.raises(SettingsError, match=f"^setting '{key}' in the environment: .+"):
            load()


def test_the_weaker_place_is_not_blamed_for_what_the_stronger_says(monkeypatch: pytest.MonkeyPatch) -> None:
    toml("budget = 1")
    monkeypatch.setenv("KOHAKU_BUDGET", "none")
    with pytest.raises(SettingsError, match="in the environment"):
        load()


@pytest.mark.parametrize("text", ["budget = [", "= 3", "\x00", "budget = " + "[" * 5000, "budget = " + "9" * 5000])
def test_a_file_that_is_no_toml_is_one_line(text: str) -> None:
    with pytest.raises(SettingsError, match=r"^my\.toml is no TOML: .+"):
        load(config=toml(text, "my.toml"))


def test_a_file_in_another_encoding_is_one_line() -> None:
    Path("my.toml").write_bytes(b'model = "\xff"')
    with pytest.raises(SettingsError, match=r"my\.toml is no TOML"):
        load(config=Path("my.toml"))


def test_a_file_that_is_not_there_or_is_a_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no settings file at none\.toml: give --config"):
        load(config=Path("none.toml"))
    with pytest.raises(SettingsError, match="can't be read: Is a directory"):
        load(config=tmp_path)


def test_the_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOHAKU_API_KEY", "sk-secret")
    found = load()
    assert found.api_key is not None
    assert found.api_key.get_secret_value() == "sk-secret"
    assert "sk-secret" not in f"{found!r} {found} {found.model_dump()} {found.model_dump_json()}"
    monkeypatch.setenv("KOHAKU_BUDGET", "sk-secret")
    with pytest.raises(SettingsError) as raised:
        load({"api_key": ["sk-secret"]})
    assert "sk-secret" not in f"{raised.value} {raised.value.__cause__}"


def test_openai_s_variables_serve_where_no_setting_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://a/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a")
    found = load()
    assert found.base_url == "http://a/v1"
    assert found.api_key is not None and found.api_key.get_secret_value() == "sk-a"
    toml('base_url = "http://b/v1"')
    monkeypatch.setenv("KOHAKU_API_KEY", "sk-c")
    found = load()
    assert found.base_url == "http://b/v1"
    assert found.api_key is not None and found.api_key.get_secret_value() == "sk-c"


def test_settings_don_t_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        DEFAULTS.budget = 3
