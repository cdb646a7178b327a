"""The REST interface and the page's files, as one application."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from importlib.metadata import version
from importlib.resources import files
from typing import Annotated, Any, Literal, TypeVar, get_args

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.security import HTTPBearer
from fastapi.sse import format_sse_event

from kohaku.choices import Condense, Decompose, Fusion, Level, Order
from kohaku.doors.web import exports, shapes
from kohaku.doors.web.course import Event
from kohaku.doors.web.desk import BUILT_IN, Desk, offered, scope_of
from kohaku.doors.web.guard import Gate, Guard
from kohaku.doors.web.pages import PagePictures, media_type
from kohaku.doors.web.problems import status_of
from kohaku.doors.web.telling import brief, document_out, evidence_out, node_out
from kohaku.doors.web.uploads import FORMATS, Uploads
from kohaku.errors import KohakuError
from kohaku.settings import Settings
from kohaku.store import Store
from kohaku.tree import Document, Tier

T = TypeVar("T")

MEDIA = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Of the page's files, by suffix."""
LISTED = 500  # documents or nodes in one response

Id = Annotated[str, Query(min_length=1, max_length=1000)]
Offset = Annotated[int, Query(ge=0, le=100_000_000)]
Limit = Annotated[int, Query(ge=1, le=LISTED)]

PROBLEMS: dict[int | str, dict[str, Any]] = {
    401: {"model": shapes.Problem, "description": "a token is needed"},
    403: {"model": shapes.Problem, "description": "another host's or origin's request"},
    422: {"model": shapes.Problem, "description": "it asks for what is not there, or goes beyond a limit"},
}
MISSING: dict[int | str, dict[str, Any]] = {404: {"model": shapes.Problem, "description": "there is none of that id"}}
REFUSED: dict[int | str, dict[str, Any]] = {
    400: {"model": shapes.Problem, "description": "the request is no JSON"},
    411: {"model": shapes.Problem, "description": "it does not say its length"},
    413: {"model": shapes.Problem, "description": "it is too large"},
    502: {"model": shapes.Problem, "description": "the model failed"},
    503: {"model": shapes.Problem, "description": "too much is waiting, or the index is being written"},
}
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "text/event-stream": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "event": {"type": "string"},
                        "data": {"type": "string", "contentMediaType": "application/json"},
                    },
                    "required": ["event", "data"],
                }
            }
        },
        "description": "events, as docs/serve.md has them",
    }
}
FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {}, "text/markdown": {}}, "description": "the file"}
}
PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {}, "image/jpeg": {}}, "description": "the picture"}
}


class Events(StreamingResponse):
    """Server-sent events. FastAPI's own would not tell a generator that whoever reads has gone."""

    media_type = "text/event-stream"

    def __init__(self, content: AsyncIterator[bytes]) -> None:
        super().__init__(content, headers={"X-Accel-Buffering": "no"})  # nginx would keep them together


def application(settings: Settings, gate: Gate) -> FastAPI:
    """The whole application; a question opens the index, which must be there."""
    desk = Desk(settings)
    uploads = Uploads(settings, desk.models)
    app = FastAPI(
        title="kohaku",
        version=version("kohaku"),
        description="Questions over documents, answered with evidence that can be checked, or not at all.",
        docs_url=None,  # Swagger's page would come from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan(desk),
    )
    # the guard asks for it; here the description alone does
    bearer = [Depends(HTTPBearer(auto_error=False, description="KOHAKU_TOKEN"))] if gate.token else []
    app.include_router(_asking(desk), prefix="/api", dependencies=bearer, responses=PROBLEMS)
    app.include_router(_reading(desk, PagePictures(settings)), prefix="/api", dependencies=bearer, responses=PROBLEMS)
    app.include_router(_sending(uploads), prefix="/api", dependencies=bearer, responses=PROBLEMS)
    for path, response in _page_files().items():
        app.add_route(path, response)
    app.add_exception_handler(KohakuError, _told)
    app.add_exception_handler(RequestValidationError, _misasked)
    app.add_middleware(Guard, gate=gate)
    return app


def _lifespan(desk: Desk) -> Any:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        desk.warm()
        yield
        desk.close()

    return lifespan


async def _told(request: Request, error: Exception) -> Response:
    """An error of ours as a line."""
    status = status_of(error) if isinstance(error, KohakuError) else 500
    more = {"Retry-After": "5"} if status == 503 else {}
    return JSONResponse({"detail": str(error)}, status, more)


async def _misasked(request: Request, error: Exception) -> Response:
    """What is wrong with a request, in a line as all errors are."""
    wrong = error.errors() if isinstance(error, RequestValidationError) else []
    lines = [f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in wrong if one["loc"] != ("body",)]
    lines = lines or ["give a JSON object as the body, with the header Content-Type: application/json"]
    return JSONResponse({"detail": "; ".join(lines)}, 422)


def _page_files() -> dict[str, Callable[[Request], Response]]:
    """What serves each file of the page, by its path: nothing but these is ever read."""

    def serving(content: bytes, media: str) -> Callable[[Request], Response]:
        return lambda request: Response(content, media_type=media)

    found = (files("kohaku.doors.web") / "page").iterdir()
    served = {f"/{file.name}": serving(file.read_bytes(), MEDIA[f".{file.name.rpartition('.')[2]}"]) for file in found}
    return {**served, "/": served["/index.html"]}


# ---- questions


def _asking(desk: Desk) -> APIRouter:
    router = APIRouter(tags=["questions"])

    @router.post("/answer", responses=REFUSED)
    async def answer(asked: shapes.Ask, request: Request) -> shapes.AnswerOut:
        """The checked answer to a question."""
        async with aclosing(desk.ask(asked)) as events:
            async for event in events:
                if event is None:
                    if await request.is_disconnected():
                        break
                elif isinstance(event.data, shapes.AnswerOut):
                    return event.data
                elif isinstance(event.data, shapes.Problem):
                    raise HTTPException(event.status, event.data.detail)
        raise HTTPException(503, "the answer was not waited for")

    @router.post("/answer/stream", response_class=Response, responses={**EVENTS, **REFUSED})
    async def stream(asked: shapes.Ask) -> Events:
        """The same as events while it is made: the last one is `answer`, or `error`."""
        events = desk.ask(asked)
        first = await anext(events)  # turned away here, and not in the midst of a stream
        return Events(_sent(first, events))

    @router.post("/retrieve", responses=REFUSED)
    def retrieve(asked: shapes.Query) -> shapes.EvidenceOut:
        """The evidence for a question, best first, and why it is there."""
        with desk.engine(asked.settings) as engine:
            return evidence_out(engine.retrieve(asked.question.strip(), scope=scope_of(asked.scope), explain=True))

    @router.get("/answers/{id}", responses=MISSING)
    def given(id: str) -> shapes.AnswerOut:
        """An answer that was given before; the latest are kept until the server stops."""
        return _there(desk.given(id), "answer")

    @router.get(
        "/answers/{id}/export",
        response_class=Response,
        responses={
            **MISSING,
            200: {"content": {"text/csv": {}, "text/markdown": {}, "application/json": {}}, "description": "the file"},
        },
    )
    def export(id: str, form: Annotated[Literal["csv", "json", "md"], Query(alias="format")]) -> Response:
        """An answer as a file: a submission of one row, JSON, or Markdown."""
        told = _there(desk.given(id), "answer")
        if form == "json":
            return _file(told.model_dump_json(indent=2), "application/json", "answer.json")
        return _exported([told], form, "answer")

    @router.post("/export", response_class=Response, responses={**FILE, **REFUSED})
    def export_kept(kept: shapes.Kept, form: Annotated[Literal["csv", "md"], Query(alias="format")]) -> Response:
        """Answers that were given before, sent in again, as one file: a submission, or Markdown."""
        return _exported(kept.answers, form, "answers")

    return router


def _exported(answers: Sequence[shapes.Said], form: Literal["csv", "md"], name: str) -> Response:
    if form == "md":
        return _file(exports.as_markdown(answers), "text/markdown", f"{name}.md")
    return _file(exports.as_csv(answers), "text/csv", f"{name}.csv")


def _file(text: str, media: str, name: str) -> Response:
    return Response(
        text.encode("utf-8", "replace"),
        media_type=f"{media}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


async def _sent(first: Event | None, events: AsyncGenerator[Event | None, None]) -> AsyncIterator[bytes]:
    """Events as they go over the wire; a comment where nothing happens."""
    try:
        yield _wire(first)
        async for event in events:
            yield _wire(event)
    finally:
        await events.aclose()


def _wire(event: Event | None) -> bytes:
    if event is None:
        return format_sse_event(comment="still at it")
    return format_sse_event(event=event.name, data_str=event.data.model_dump_json())


# ---- documents


def _reading(desk: Desk, pictures: PagePictures) -> APIRouter:
    router = APIRouter(tags=["documents"])

    @router.get("/info")
    def info() -> shapes.InfoOut:
        """What is served: the index's figures, who reads, what a question may choose."""
        with desk.store() as store:
            return _info(desk.settings, store)

    @router.get("/documents")
    def documents(
        q: Annotated[str, Query(max_length=200, description="words of an id or a title")] = "",
        offset: Offset = 0,
        limit: Limit = 100,
    ) -> shapes.DocumentsOut:
        """The documents by id, all of them or those whose id or title holds every word."""
        words = q.casefold().split()
        with desk.store() as store:
            found = [one for one in store.documents() if _holds(one, words)]
        return shapes.DocumentsOut(
            total=len(found), documents=[document_out(one) for one in found[offset : offset + limit]]
        )

    @router.get("/document", responses=MISSING)
    def document(id: Id) -> shapes.DocumentOut:
        """One document."""
        with desk.store() as store:
            return document_out(_there(store.document(id), "document"))

    @router.get("/node", responses=MISSING)
    def node(id: Id) -> shapes.NodeOut:
        """A node: its text, the path above it, its neighbours, and where it stands on its pages."""
        with desk.store() as store:
            return node_out(_there(store.node(id), "node"), store)

    @router.get("/children", responses=MISSING)
    def children(id: Id, offset: Offset = 0, limit: Limit = 200) -> shapes.ChildrenOut:
        """The nodes right under a node (a document's id is that of its root), in reading order."""
        with desk.store() as store:
            below = store.children(_there(store.node(id), "node"), limit + 1, offset)
        return shapes.ChildrenOut(node=id, children=[brief(one) for one in below[:limit]], more=len(below) > limit)

    @router.get("/page", response_class=Response, responses={**MISSING, **PICTURE})
    def page(document: Id, number: Annotated[int, Query(ge=1, le=1_000_000)]) -> Response:
        """A page as a picture; `X-Page-Width` and `X-Page-Height` are its size in points, as boxes have them."""
        with desk.store() as store:
            known = _there(store.document(document), "document")
        if not document_out(known).has_pictures or number > known.pages:
            raise HTTPException(404, "no picture of such a page")
        drawn = pictures.picture(known, number)
        size = {"X-Page-Width": f"{drawn.width:g}", "X-Page-Height": f"{drawn.height:g}"}
        return Response(drawn.data, media_type=media_type(drawn.data), headers=size)

    @router.get("/image", response_class=Response, responses={**MISSING, **PICTURE})
    def image(node: Id) -> Response:
        """A figure's own picture."""
        with desk.store() as store:
            found = _there(store.node(node), "node")
            data = store.image(found.image) if found.image else None
        media = media_type(data or b"")
        if data is None or media is None:
            raise HTTPException(404, "no picture that a browser shows")
        return Response(data, media_type=media)

    return router


def _there(found: T | None, what: str) -> T:
    if found is None:
        raise HTTPException(404, f"there is no such {what}")
    return found


def _holds(document: Document, words: list[str]) -> bool:
    text = f"{document.id} {document.title}".casefold()
    return all(word in text for word in words)


def _info(settings: Settings, store: Store) -> shapes.InfoOut:
    changeable = [name for name in shapes.Choices.model_fields if name != "model"]
    choices = {"fusion": Fusion, "condense": Condense, "level": Level, "decompose": Decompose, "order": Order}
    return shapes.InfoOut(
        version=version("kohaku"),
        index=store.path.name,
        bytes=store.path.stat().st_size,
        embedder=store.fingerprint,
        documents=store.size(Tier.DOCUMENT),
        nodes=store.counts(),
        reader=", ".join(settings.readers) or BUILT_IN,
        models=list(offered(settings)),
        settings={name: getattr(settings, name) for name in changeable},
        choices={name: list(get_args(choice)) for name, choice in choices.items()},
        upload_bytes=settings.upload_mb * 1_000_000,
        formats=list(FORMATS),
    )


# ---- files


def _sending(uploads: Uploads) -> APIRouter:
    router = APIRouter(tags=["files"])
    body = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}}

    @router.post("/files", status_code=202, openapi_extra=body, responses=REFUSED)
    async def send(name: Annotated[str, Query(min_length=1, max_length=1000)], request: Request) -> shapes.JobOut:
        """A file for the index, as the request's body; its name tells only how it is to be called and read."""
        if request.headers.get("content-type", "").partition(";")[0] not in ("application/octet-stream", ""):
            raise HTTPException(415, "send the file itself, as application/octet-stream")
        return (await uploads.take(name, request.stream())).out()

    @router.get("/jobs/{id}", responses=MISSING)
    def job(id: str) -> shapes.JobOut:
        """How far a file is on its way into the index."""
        return _there(uploads.job(id), "job").out()

    @router.get("/jobs/{id}/stream", response_class=Response, responses={**EVENTS, **MISSING})
    def follow(id: str) -> Events:
        """The same as events `job` whenever it changes, until it is over."""
        _there(uploads.job(id), "job")
        return Events(_followed(uploads, id))

    return router


async def _followed(uploads: Uploads, id: str) -> AsyncIterator[bytes]:
    async for job in uploads.follow(id):
        yield format_sse_event(event="job", data_str=job.out().model_dump_json())
