"""What goes over the wire, in and out, as OpenAPI tells it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StringConstraints, field_validator

from kohaku.choices import Condense, Decompose, Fusion, Level, Order

Name = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Pages = tuple[int, int]
Part = Literal[
    "section", "paragraph", "table", "figure", "list", "code", "formula", "footnote", "quote", "reference"
]  # of kohaku.tree.Kind those that may be evidence


class Shape(BaseModel):
    """A part of a response; made from the stages' own dataclasses by attribute."""

    model_config = ConfigDict(from_attributes=True)


class Asked(BaseModel):
    """A part of a request: an unknown property is an error."""

    model_config = ConfigDict(extra="forbid")


class Problem(Shape):
    """Why a request was not served, in a line that says what to do next."""

    detail: str


class Where(Asked):
    """What a search is kept to: documents by id (* and ? allowed) or metadata, and kinds of parts."""

    where: list[Name] = Field(default=[], max_length=50, description="conditions on metadata, such as year>=2023")
    documents: list[Name] = Field(default=[], max_length=500)
    without: list[Name] = Field(default=[], max_length=500)
    kinds: list[Part] = Field(default=[], max_length=20)


class Choices(Asked):
    """Settings of one question in place of the server's; what is left out stays as it is there."""

    model: str | None = Field(
        default=None, max_length=200, description='one of `models` of /api/info; "": the built-in reader'
    )
    budget: int | None = Field(default=None, ge=100, le=200_000, description="tokens of evidence")
    top_k: int | None = Field(default=None, ge=1, le=4096, description="hits a query and list")
    queries: int | None = Field(default=None, ge=1, le=20, description="queries a question")
    fusion: Fusion | None = None
    condense: Condense | None = None
    level: Level | None = None
    decompose: Decompose | None = None
    order: Order | None = None
    passes: int | None = Field(default=None, ge=1, le=2)
    retries: int | None = Field(default=None, ge=0, le=5)
    runs: int | None = Field(default=None, ge=1, le=9)
    strict: StrictBool | None = None
    min_confidence: float | None = Field(default=None, ge=0, le=1, strict=True)
    hyde: StrictBool | None = None
    source_filter: StrictBool | None = None
    section_filter: StrictBool | None = None

    @field_validator("budget", "top_k", "queries", "passes", "retries", "runs", mode="before")
    @classmethod
    def _no_truth(cls, value: Any) -> Any:
        if isinstance(value, bool):  # pydantic would take true for 1
            raise ValueError("give a number, not true or false")
        return value


class Query(Asked):
    """A question for evidence alone."""

    question: str = Field(min_length=1, max_length=4000, pattern=r"\S")
    scope: Where = Where()
    settings: Choices = Choices()


class Ask(Query):
    """A question for an answer, and the unit that should have."""

    unit: str = Field(default="", max_length=100)


class PartOut(Shape):
    """A part of a question that was split."""

    id: int
    text: str


class PlanOut(Shape):
    """What is searched for."""

    queries: list[str]
    parts: list[PartOut] = []
    passages: list[str] = []


class BoxOut(Shape):
    """Where text stands on a page: points from its top left corner; pages are counted from 1."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


class ListOut(Shape):
    """One list that a query brought: by meaning or words, on a tier of the tree, how far it was trusted."""

    query: int
    by: str
    tier: str
    weight: float
    hits: int


class FindingOut(Shape):
    """What a list said of a paragraph."""

    query: int
    by: str
    tier: str
    rank: int
    score: float
    weight: float


class WhyOut(Shape):
    """Why a context is there; its score is the sum of the parts, unless it was reranked."""

    found: str
    findings: list[FindingOut]
    fused: float
    document: float
    name: float
    neighbour: float
    piece: float
    beside: str
    expansion: str
    place: int
    reranked: float | None


class CopyOut(Shape):
    """Another place that says the same."""

    document: str
    node: str
    pages: Pages | None


class ContextOut(Shape):
    """One piece of evidence."""

    document: str
    title: str
    node: str
    kind: str
    pages: Pages | None
    headings: list[str]
    score: float
    text: str
    tokens: int
    boxes: list[BoxOut]
    also: list[CopyOut] = []
    serves: list[int] = []
    why: WhyOut | None = None


class CutOut(Shape):
    """What was found and left out: over the budget, a duplicate, or covered by a larger piece."""

    document: str
    node: str
    kind: str
    score: float
    tokens: int
    cause: str
    by: str


class FilteredOut(Shape):
    """What a model left of the candidates it was shown."""

    what: str
    shown: int
    kept: int
    fell_back: bool


class EvidenceOut(Shape):
    """The evidence of one reading, best first, and how it came about."""

    queries: list[str]
    parts: list[PartOut] = []
    filters: list[FilteredOut] = []
    contexts: list[ContextOut]
    tokens: int
    complete: bool
    lists: list[ListOut] = []
    named: dict[str, float] = {}
    scope: str = ""
    within: Pages | None = Field(default=None, description="how many documents were searched, of how many")
    cuts: list[CutOut] = []


class CallOut(Shape):
    """A call to a model; the cost is null where its price is not known."""

    model: str
    stage: str
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    is_cached: bool


class UsageOut(Shape):
    """What all calls of a question took together."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


class TraceOut(Shape):
    """How an answer came about: the plan, the evidence of every reading, the calls."""

    plan: PlanOut | None
    rounds: list[EvidenceOut]
    calls: list[CallOut]
    usage: UsageOut


class CitationOut(Shape):
    """A quote that was found in the evidence, with where it stands; its number is that in the answer."""

    number: int
    document: str
    title: str
    node: str
    pages: Pages | None
    headings: list[str]
    quote: str
    boxes: list[BoxOut]


class SourceOut(Shape):
    """A document that supports an answer."""

    id: str
    title: str
    url: str
    citation: str


class GroundingOut(Shape):
    """How the value follows from what is cited, and the conversion or the sum that led to it."""

    how: str
    note: str


class Said(Shape):
    """A checked answer, or an abstention (`is_blank`), without how it came about."""

    id: str = Field(description="for /api/answers/{id}")
    question: str
    unit: str
    text: str
    value: str
    is_blank: bool
    explanation: str
    confidence: float
    grounding: GroundingOut | None
    citations: list[CitationOut]
    sources: list[SourceOut]
    attempts: int
    dropped: int = Field(description="quotes and references that were not in the evidence")
    reader: str = Field(description="the models that read, or the built-in reader")
    seconds: float


class AnswerOut(Said):
    """A checked answer with how it came about."""

    trace: TraceOut


class Kept(Asked):
    """Answers that were given before, as whoever asked has kept them."""

    answers: list[Said] = Field(min_length=1, max_length=200)


class DraftOut(Shape):
    """A reading before it is rated and checked: provisional."""

    text: str
    value: str
    is_blank: bool


class TextOut(Shape):
    """More of what a model is writing: provisional. `replace` where it stands in place of what came before."""

    call: int
    stage: str
    field: str
    text: str
    replace: bool = False


class WaitOut(Shape):
    """Seconds until something is tried again."""

    seconds: float
    why: str


class FoundOut(Shape):
    """What a search brought, before it is cut to the budget."""

    hits: int
    lists: list[ListOut]
    named: dict[str, float]


class DocumentOut(Shape):
    """A document of the index."""

    id: str
    title: str
    pages: int
    metadata: dict[str, str]
    files: list[str] = Field(description="names of the files that hold it, without their folders")
    has_pictures: bool = Field(description="whether its pages can be shown")


class DocumentsOut(Shape):
    """Documents by id, so many of `total`."""

    total: int
    documents: list[DocumentOut]


class BriefOut(Shape):
    """A node in a listing."""

    id: str
    kind: str
    level: int
    label: str = Field(description="its title, or the beginning of its text")
    pages: Pages | None
    children: bool


class ChildrenOut(Shape):
    """The nodes right under a node; `more` where there are further ones."""

    node: str
    children: list[BriefOut]
    more: bool


class NodeOut(Shape):
    """A node with the path above it and the nodes beside it."""

    id: str
    document: str
    kind: str
    level: int
    title: str
    text: str = Field(description="its text, or the beginning of it")
    is_cut: bool
    tokens: int
    pages: Pages | None
    boxes: list[BoxOut]
    headings: list[str]
    ancestors: list[BriefOut]
    before: BriefOut | None
    after: BriefOut | None
    mentioned_in: list[BriefOut]
    figures: list[BriefOut]
    has_image: bool


class InfoOut(Shape):
    """What is served: the index's figures, who reads, and what may be chosen."""

    version: str
    index: str
    bytes: int
    embedder: str
    documents: int
    nodes: dict[str, int]
    reader: str
    models: list[str]
    settings: dict[str, Any] = Field(description="the server's own choice of each setting that a question may change")
    choices: dict[str, list[str]]
    upload_bytes: int = Field(description="the most that a file may have; 0 where none is taken")
    formats: list[str]


State = Literal["waiting", "reading", "embedding", "storing", "done", "failed"]


class JobOut(Shape):
    """A file on its way into the index."""

    id: str
    name: str
    bytes: int
    state: State
    done: int = Field(default=0, description="texts embedded")
    total: int = 0
    seconds: float = 0.0
    document: str = ""
    line: str = Field(default="", description="what came of it, or what is wrong with the file")
    notes: list[str] = []
