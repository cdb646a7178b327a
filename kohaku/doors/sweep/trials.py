"""The runs of a sweep: each with all its settings, and a folder named after them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from kohaku.doors.sweep.spec import SCOPE, SECRET, WHOLE, Point, Spec, points, repeats
from kohaku.endpoint import Endpoint
from kohaku.errors import SettingsError
from kohaku.scope import Scope
from kohaku.settings import Settings, changed
from kohaku.store import Store

NO_MATTER = {
    *(*SECRET, *WHOLE, "db", "device", "timeout", "tries", "deadline"),
    *("file_seconds", "file_memory_mb", "hosts", "upload_mb"),
} - {"endpoints"}
"""Settings that a run's answers do not hang on; where the index is doesn't either, but what is in it."""

INDEXED = (
    *("embedder", "dimensions", "paragraph_vectors", "captions", "caption_model", "ocr", "ocr_language"),
    *("file_pages", "file_characters"),
)
"""Settings that are settled when documents are indexed: each combination of them is an index of its own."""

LONGEST_NAME, KEY = 80, 10  # characters of a folder's name, and of the hash that ends it


@dataclass(frozen=True)
class Trial:
    """One run: a point of the sweep, one of its repeats, and all settings in force."""

    point: Point
    repeat: Mapping[str, Any]
    settings: Settings
    scope: Scope

    @property
    def name(self) -> str:
        """The point's name with the repeat's seed, or else all that it sets."""
        told = {"seed": self.repeat["seed"]} if "seed" in self.repeat else self.repeat
        own = ", ".join(f"{name} {value}" for name, value in told.items())
        return f"{self.point.name}, {own}" if own else self.point.name

    @cached_property
    def told(self) -> dict[str, Any]:
        """The settings that its answers hang on, as JSON can hold them; no secrets."""
        found = self.settings.model_dump(mode="json", exclude=NO_MATTER)
        if self.settings.base_url:
            found["base_url"] = _place(self.settings.base_url)
        for name, one in found.get("endpoints", {}).items():
            found["endpoints"][name] = {key: value for key, value in one.items() if key not in ("price", "key_env")}
            if one.get("base_url"):
                found["endpoints"][name]["base_url"] = _place(one["base_url"])
        if str(self.scope):
            found["scope"] = str(self.scope)
        return found

    def key(self, questions: str, index: str) -> str:
        """A hash of what its answers hang on: its settings, what is asked and what is in the index (hashes too)."""
        files = [_content(self.settings.examples), _content(Path(self.settings.profile))]
        return _hash(json.dumps([self.told, questions, index, files], sort_keys=True))[:KEY]

    def folder(self, runs: Path, key: str) -> Path:
        """Its folder among those of runs: the one that a sweep made for that key, whatever it called it then."""
        plain = re.sub(r"[^\w.+=-]+", "_", self.name).strip("_.")[:LONGEST_NAME]
        return next(iter(sorted(runs.glob(f"*-{key}"))), runs / f"{plain or 'run'}-{key}")


def trials(spec: Spec, base: Settings, where: str) -> tuple[Trial, ...]:
    """All runs of a spec on top of some settings, the repeats of a point one after the other.

    Raises SettingsError for what can't be a setting, or can't be varied as it is. Without a model repeats would be
    the same: there is one of each then.
    """
    found = [_trial(spec, base, point, repeat, where) for point in points(spec) for repeat in repeats(spec)]
    _check_same(found, where)
    first = repeats(spec)[0]
    kept = tuple(trial for trial in found if trial.settings.readers or trial.repeat == first)
    _check_index(spec, kept, where)
    return kept


def indexed_by(settings: Settings) -> dict[str, Any]:
    """The settings that an index hangs on, as JSON can hold them."""
    return {name: settings.model_dump(mode="json", include={name})[name] for name in INDEXED}


def content_of(store: Store) -> str:
    """A hash of what is in an index: its documents as they were read, and by which embedder."""
    documents = sorted((one.id, one.content, one.fingerprint) for one in store.documents())
    return _hash(json.dumps([store.fingerprint, documents]))


def _trial(spec: Spec, base: Settings, point: Point, repeat: Mapping[str, Any], where: str) -> Trial:
    values = {**spec.settings, **point.values, **repeat}
    scope = Scope.of(*([str(one) for one in _listed(values.pop(name, ()))] for name in SCOPE))
    return Trial(point, repeat, changed(base, values, where), scope)


def _place(url: str) -> str:
    """A server's URL without the password that it may hold; raises SettingsError for what is no URL."""
    try:
        return Endpoint(url).place
    except ValueError as error:
        raise SettingsError(f"the model can't be asked: {error}") from None


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]


def _check_same(found: Sequence[Trial], where: str) -> None:
    """Raises SettingsError where two values of a grid are one setting (100 and 100.0), or two repeats are one run."""
    labels: dict[tuple[str, str], str] = {}
    for trial in found:
        for name in trial.point.place.keys() & Settings.model_fields.keys():
            shown = trial.point.place[name]
            first = labels.setdefault((name, repr(getattr(trial.settings, name))), shown)
            if first != shown:
                raise SettingsError(f"{name} in {where} has the same twice, {first} and {shown}: keep one")
    repeated = [trial for trial in found if trial.point is found[0].point]
    for one, other in combinations(repeated, 2):
        if (one.settings, one.scope) == (other.settings, other.scope):
            raise SettingsError(f"{one.name} and {other.name} in {where} are the same run: keep one of them")


def _check_index(spec: Spec, found: Sequence[Trial], where: str) -> None:
    """Raises SettingsError where runs differ in what an index is made by, and there is but one index."""
    databases = {trial.settings.db for trial in found}
    if spec.documents:
        if len(databases) > 1:
            raise SettingsError(f"{where} has documents to index and a db for each run: keep one of them")
        return
    for name in INDEXED:
        by_database: dict[Path, set[str]] = {}
        for trial in found:
            by_database.setdefault(trial.settings.db, set()).add(str(getattr(trial.settings, name)))
        if any(len(values) > 1 for values in by_database.values()):
            raise SettingsError(
                f"{name} is settled when documents are indexed: name the documents ({where}, or --documents), "
                "and an index is made for each, or give each run a db"
            )


def _content(path: Path | None) -> str:
    return _hash(path.read_bytes()) if path is not None and path.is_file() else ""


def _hash(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()
