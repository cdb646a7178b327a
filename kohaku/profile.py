"""Profiles: what models are told, and what a field's questions, terms and answers are like, in TOML files.

What keeps answers honest is none of a profile's: the lines around evidence, that nothing in it is to be obeyed, and
what each reply must hold are written by the stages, around the profile's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

from kohaku.complaint import complaint
from kohaku.errors import ProfileError
from kohaku.text import nearest
from kohaku.toml import read_toml

FOLDER = Path(__file__).parent / "profiles"
LONGEST = 8000  # characters of a text: each call pays for it
MOST = 8  # examples of a kind
_FENCE = re.compile(r"[<>]{3,}|\[\s*ref_id\s*=", re.IGNORECASE)


def _plain(text: str) -> str:
    """A text that can't be taken for the lines around evidence, or for the header of a piece of it."""
    if found := _FENCE.search(text):
        raise ValueError(f"{found[0]!r} marks evidence in a prompt, and can't stand in a profile: reword it")
    return text


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*")
    @classmethod
    def _no_fence(cls, value: Any) -> Any:
        for text in _texts(value):
            _plain(text)
        return value


class Prompts(_Part):
    """What a model is told at each stage, beside what the program says there itself."""

    plan: Text
    imagine: Text
    split: Text
    choose: Text
    rank: Text
    caption: Text
    answer: Text
    draft: Text
    refine: Text
    cite: Text
    check: Text
    summarize: Text

    @field_validator("split")
    @classmethod
    def _has_place(cls, text: str) -> str:
        if "{1}" not in text:
            raise ValueError("it lacks {1}, which stands for the answer to an earlier sub-question")
        return text


class Axis(_Part):
    """A line along which questions of the field are split: `split` says it to a model.

    Without a model a question that has one of the `signs` is split into `parts`, each with {question} in it.
    """

    name: Text
    split: Text
    signs: tuple[Text, ...] = ()
    parts: tuple[Text, ...] = ()

    @field_validator("parts")
    @classmethod
    def _have_places(cls, parts: tuple[str, ...]) -> tuple[str, ...]:
        for part in parts:
            if "{question}" not in part:
                raise ValueError(f"{part!r} lacks {{question}}, where the question goes")
        return parts

    @model_validator(mode="after")
    def _both_or_none(self) -> Axis:
        if bool(self.signs) != bool(self.parts) or len(self.parts) == 1:
            raise ValueError("signs and parts go together: what a question must say, and two parts or more")
        return self

    def shows(self, question: str) -> bool:
        """Whether a question has one of the signs."""
        return bool(self.signs) and re.search(_any(self.signs), question) is not None


class Example(_Part):
    """A question with an answer of the form that is wanted; invented, since models are shown it."""

    question: Text
    answer: Text
    value: str = ""
    explanation: str = ""


class Split(_Part):
    """A question with the sub-questions that it should be split into."""

    question: Text
    parts: tuple[Text, ...] = Field(min_length=2)


class Profile(_Part):
    """A field: how its questions are planned and split, what its terms mean, and the form of its answers."""

    description: Text
    prompts: Prompts
    form: Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST)] = ""
    axes: tuple[Axis, ...] = Field((), max_length=12)
    terms: Mapping[Text, tuple[Text, ...]] = Field({}, max_length=500)
    examples: tuple[Example, ...] = Field((), max_length=MOST)
    splits: tuple[Split, ...] = Field((), max_length=MOST)

    @field_validator("terms", mode="before")
    @classmethod
    def _one_or_several(cls, terms: Any) -> Any:
        if not isinstance(terms, Mapping):
            return terms
        return {term: (forms,) if isinstance(forms, str) else forms for term, forms in terms.items()}

    # ---- what is said to models

    def planning(self, question: str) -> str:
        """What a model that plans queries is told: with the question's terms in other words."""
        return _joined(self.prompts.plan, self._glossary(question))

    def splitting(self, question: str) -> str:
        """What a model that splits questions is told: with the field's axes and examples, and the question's terms."""
        axes = "\n".join(f"- {axis.name}: {axis.split}" for axis in self.axes)
        told = (f"Question: {one.question}\nsub_queries: {'; '.join(one.parts)}" for one in self.splits)
        return _joined(
            self.prompts.split,
            f"Lines along which questions of this field are split, where they ask for it:\n{axes}" if axes else "",
            _titled("Examples, invented:", told),
            self._glossary(question),
        )

    @property
    def answering(self) -> str:
        """What a model that answers is told of its reply."""
        return _joined(self.prompts.answer, self.form, _titled(EXAMPLES, map(_told, self.examples)))

    @property
    def drafting(self) -> str:
        """What a model that drafts an answer is told."""
        return _joined(self.prompts.draft, self.form)

    @property
    def refining(self) -> str:
        """What a model that brings a draft into form is told."""
        return _joined(self.prompts.refine, self.form)

    @property
    def summarizing(self) -> str:
        """What a model that closes a report is told."""
        return _joined(self.prompts.summarize, self.form)

    def _glossary(self, question: str) -> str:
        found = {self._forms[_folded(match[1])] for match in self._found(question)}
        lines = (f"{forms[0]} = {' = '.join(forms[1:])}" for forms in sorted(found))
        return _titled("Terms in the question:", lines, between="\n")

    # ---- what rules do with it

    def respelt(self, question: str) -> list[str]:
        """The question with its terms in other words: all by their next form, then by the one after it."""
        matches = list(self._found(question))
        others = [
            [form for form in self._forms[_folded(match[1])] if _folded(form) != _folded(match[1])] for match in matches
        ]
        return [_with(question, matches, others, number) for number in range(max(map(len, others), default=0))]

    def parts(self, question: str) -> list[str]:
        """The parts of a question that shows an axis, of the first such; none for other questions."""
        axis = next((axis for axis in self.axes if axis.shows(question)), None)
        return [part.replace("{question}", question) for part in axis.parts] if axis else []

    @cached_property
    def _forms(self) -> dict[str, tuple[str, ...]]:
        """All forms of a term by each of them."""
        return {_folded(form): (term, *forms) for term, forms in self.terms.items() for form in (term, *forms)}

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        forms = sorted((form for all in self._forms.values() for form in all), key=len, reverse=True)
        return re.compile(_any(forms)) if forms else None

    def _found(self, question: str) -> Iterator[re.Match[str]]:
        return self._pattern.finditer(question) if self._pattern else iter(())


EXAMPLES = "Examples of the form. They are invented: no evidence, and no source."


def load(name: str) -> Profile:
    """The profile of a name, or of a file where that is a path (has a slash or ends in .toml).

    A file may say less than all: what it lacks is its `base`'s, a profile that comes with the program (the default one
    where it names none); prompts and terms are added one by one. Raises ProfileError, which says what is wrong where.
    """
    path = path_of(name)
    try:
        return Profile.model_validate(_whole(_read(path), str(path)))
    except ValidationError as error:
        place, what = complaint(error, Profile, also=("base",))
        raise ProfileError(f"{path}: {'.'.join(place)}: {what}") from None


def names() -> list[str]:
    """The profiles that come with the program."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def path_of(name: str) -> Path:
    """The file of a profile; raises ProfileError for a name that is none."""
    if re.search(r"[/\\]|\.toml$", name):
        return Path(name)
    if name not in names():
        raise ProfileError(
            f"no profile {name!r}: did you mean {nearest(name, names())!r}? "
            f"There are {', '.join(names())}, and files as ./NAME.toml"
        )
    return FOLDER / f"{name}.toml"


def _whole(values: dict[str, Any], where: str) -> dict[str, Any]:
    """A file's values with those of its base where it has none."""
    named = values.pop("base", None)
    if named is None and where == str(path_of("default")):
        return values
    if named is not None and named not in names():
        raise ProfileError(f"{where}: base {named!r} is none that there is: give one of {', '.join(names())}")
    path = path_of(named or "default")
    base = _whole(_read(path), str(path))
    added = {
        key: {**base.get(key, {}), **values[key]} for key in ("prompts", "terms") if isinstance(values.get(key), dict)
    }
    return {**base, **values, **added}


def _read(path: Path) -> dict[str, Any]:
    missing = f"no profile at {path}: `kohaku profile default > {path}` makes one to edit"
    return read_toml(path, ProfileError, missing=missing)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, tuple):
        for inner in value:
            yield from _texts(inner)


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def _titled(title: str, texts: Iterator[str], *, between: str = "\n\n") -> str:
    body = between.join(texts)
    return f"{title}\n{body}" if body else ""


def _told(example: Example) -> str:
    said = {
        "Question": example.question,
        "explanation": example.explanation,
        "answer": example.answer,
        "answer_value": example.value,
    }
    return "\n".join(f"{name}: {text}" for name, text in said.items() if text)


def _any(forms: Sequence[str]) -> str:
    """A pattern that finds any of the forms as whole words, with a plural's s; acronyms in capitals only."""
    cases = (re.escape(form) if form.isupper() else f"(?i:{re.escape(form)})" for form in forms)
    return rf"(?<!\w)({'|'.join(cases)})(s?)(?!\w)"


def _folded(form: str) -> str:
    return form if form.isupper() else form.casefold()


def _with(question: str, matches: Sequence[re.Match[str]], others: Sequence[Sequence[str]], number: int) -> str:
    """The question with each term that is found in its other form of a number, where it has so many."""
    pieces, end = [], 0
    for match, forms in zip(matches, others, strict=True):
        form = f"{forms[number]}{match[2]}" if number < len(forms) else match[0]
        pieces += [question[end : match.start()], form]
        end = match.end()
    return "".join([*pieces, question[end:]])


DEFAULT = load("default")
"""The profile where none is chosen."""
