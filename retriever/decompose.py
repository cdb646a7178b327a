"""Whether a question asks several things, and which: by rules where they are sure, else by a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import ClassVar

from pydantic import BaseModel

from kohaku.chat import Chat, Message, attempt
from kohaku.choices import Decompose
from kohaku.errors import KohakuError
from kohaku.profile import DEFAULT, Profile
from retriever.plan import key_terms

MOST = 6  # parts: with more each gets too little of the budget to be answered from
LONGEST = 1000  # characters: what is longer is no question that rules know
LONG = 30  # words: a question as long may hold several, which is for a model to say


class Aim(StrEnum):
    """What a part's evidence is for: one fact, found in few and precise places, or a picture of many."""

    FACT = "fact"
    OVERVIEW = "overview"


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-question, numbered from 1. Where its text holds {n}, the answer to part n goes there first."""

    id: int
    text: str

    @property
    def aim(self) -> Aim:
        """What its evidence is for."""
        return Aim.OVERVIEW if _WIDE.search(self.text) else Aim.FACT

    @property
    def after(self) -> tuple[int, ...]:
        """The parts whose answers it needs.

        >>> Part(2, "Who leads {1}?").after
        (1,)
        """
        return tuple(dict.fromkeys(int(number) for number in _PLACE.findall(self.text)))

    def filled(self, answers: Mapping[int, str]) -> Part:
        """The part with answers in their places.

        >>> Part(2, "Who leads {1}?").filled({1: "Lake Site"}).text
        'Who leads Lake Site?'
        """
        return replace(self, text=_PLACE.sub(lambda found: answers.get(int(found[1]), found[0]), self.text))


class SubQuery(BaseModel):
    """One of a model's sub-questions."""

    id: int
    query: str


class DecompositionReply(BaseModel):
    """A model's decomposition."""

    schema_name: ClassVar[str] = "decomposition"
    needs_decomposition: bool
    sub_queries: list[SubQuery] = []
    logic_flow: str = ""


def decompose(
    question: str,
    *,
    by: Decompose,
    chat: Chat | None = None,
    on_failure: Callable[[KohakuError], None] = lambda error: None,
    profile: Profile = DEFAULT,
) -> tuple[Part, ...]:
    """The question's parts in order, at least two; none where it asks one thing.

    `auto` asks the model only where the question shows a sign of parts, `on` always; rules decide where there is no
    model, or where it fails: `on_failure` is told. NoAccess comes out. The `profile` says along which lines.
    """
    if by == "off":
        return ()
    if chat is not None and (by == "on" or may_have_parts(question, profile)):
        parts = attempt(partial(asked, question, chat, profile), on_failure)
        if parts is not None:
            return parts
    return ruled(question, profile)


def asked(question: str, chat: Chat, profile: Profile = DEFAULT) -> tuple[Part, ...]:
    """A model's parts of a question."""
    system = profile.splitting(question)
    request = f"Question:\n{question}\n\nReply with at most {MOST} sub_queries, with ids from 1."
    reply = chat.ask([Message("system", system), Message("user", request)], DecompositionReply)
    return numbered(reply.sub_queries) if reply.needs_decomposition else ()


def numbered(queries: Sequence[SubQuery]) -> tuple[Part, ...]:
    """A model's sub-questions as parts, numbered in order, none twice; none where fewer than two are left.

    >>> numbered([SubQuery(id=4, query="Who led A?"), SubQuery(id=5, query="When was the answer to 4 born?")])[1].text
    'When was {1} born?'
    """
    numbers: dict[int, int] = {}
    texts: dict[str, str] = {}
    for query in queries:
        text = _MENTION.sub(lambda found: f"{{{found[1] or found[2]}}}", query.query.strip())
        text = _PLACE.sub(lambda found: f"{{{numbers[int(found[1])]}}}" if int(found[1]) in numbers else "", text)
        folded = " ".join(text.casefold().split())
        if folded and folded not in texts and len(texts) < MOST:
            texts[folded] = text
            numbers.setdefault(query.id, len(texts))
    return _parts(texts.values())


def may_have_parts(question: str, profile: Profile = DEFAULT) -> bool:
    """Whether a question shows any sign of asking several things, or one by way of another.

    >>> may_have_parts("How full was Isbrook Reservoir?"), may_have_parts("Who led the firm that built Isbrook?")
    (False, True)
    """
    if len(question) > LONGEST:
        return True
    return bool(
        ruled(question, profile)
        or _COMPARING.search(question)
        or _LINKING.search(question)
        or len(set(_YEARS.findall(question))) > 1
        or len(question.split()) >= LONG
    )


def ruled(question: str, profile: Profile = DEFAULT) -> tuple[Part, ...]:
    """The parts that rules are sure of: several questions, or one of several names, years or things; or the profile's.

    >>> [part.text for part in ruled("Did Lake Site or North Hall use more water in 2023?")]
    ['Did Lake Site use more water in 2023?', 'Did North Hall use more water in 2023?']
    >>> [part.text for part in ruled("What is the PUE of Lake Site, and how much water did North Hall use?")]
    ['What is the PUE of Lake Site?', 'How much water did North Hall use?']
    >>> ruled("How much water did Lake Site use?")
    ()
    """
    question = " ".join(question.split())
    if len(question) > LONGEST:
        return ()
    for rule in (_asked_at_once, _several_questions, _between, _coordinated, _two_things, _in_chinese, profile.parts):
        texts = list(dict.fromkeys(rule(question)))
        if 2 <= len(texts) <= MOST:
            return _parts(texts)
    return ()


def _parts(texts: Iterable[str]) -> tuple[Part, ...]:
    parts = tuple(Part(number, text) for number, text in enumerate(texts, start=1))
    return parts if len(parts) > 1 else ()


_PLACE = re.compile(r"\{(\d{1,3})\}")
_MENTION = re.compile(
    r"(?:the )?answers? (?:to|of|from) (?:sub-?)?(?:question |query |part )?#?(\d{1,3})\b|#(\d{1,3})\b", re.IGNORECASE
)
_WIDE = re.compile(
    r"\b(?:overview|summar\w+|describ\w+|explain\w*|why|trends?|main|key|major|discuss\w*|outline\w*|analy[sz]\w+|"
    r"strateg\w+|approach\w*|challenges|in general)\b|概述|总结|總結|为什么|為什麼|主要|趋势|趨勢",
    re.IGNORECASE,
)
_ASKS = r"(?:what|which|who|whom|whose|when|where|why|how)"
_COMPARING = re.compile(
    r"\b(?:compar\w+|contrast\w*|differen(?:ce|ces|tial|t)|ratio|versus|vs|between|both|respectively|each|than|rather|"
    r"whereas|(?:how )?many times|as (?:much|many) as|improv\w+|declin\w+|chang\w+|grow\w*|increas\w+|decreas\w+)\b|"
    r"比较|比較|相比|对比|對比|区别|區別|差",
    re.IGNORECASE,
)
_LINKING = re.compile(r"\b(?:the|an?|which|what|whose) (?:\w+ ){1,3}(?:that|which|who|whose|where)\b|;|\?.*\?", re.I)
_YEARS = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

# ---- several questions in one

# "and when training in" begins no question
_NEXT_QUESTION = re.compile(
    rf"(?:,? and|;|\?(?: and)?)\s+(?=(?:(?:in|at|on|by|for|to|of|from)\s+)?{_ASKS}\b(?!\s+\w+ing\b))", re.IGNORECASE
)
_PRONOUN = re.compile(r"\b(?:it|its|they|their|them|he|she|his|her|this|these|that|those|there)\b", re.IGNORECASE)
_ASKS_AT_START = re.compile(
    rf"(?:.{{0,60}}[,:] )?(?:(?:in|at|on|by|for|to|of|from)\s+)?"
    rf"(?:{_ASKS}|is|are|was|were|did|does|do|has|have|had|can|could|will|would|should)\b",
    re.IGNORECASE,
)
_HELPS = r"(?:did|does|do|has|have|had|is|are|was|were|will|would|can|could|should)"
# "Acme, which was sold," and "2020, when it closed," go on with what was said
_LISTED_QUESTION = re.compile(rf",\s+(?=(?:(?:what|when|why|how)\s{_HELPS}|how (?:much|many))\b)", re.IGNORECASE)
FEWEST = 2  # key terms: "and when?" alone can't be searched


def _several_questions(question: str) -> list[str]:
    """The questions that stand one after another; one without a name, or with a pronoun, takes along those of another.

    >>> _several_questions("How much sand was sold and how much clay was dug by Acme?")
    ['How much sand was sold (Acme)?', 'How much clay was dug by Acme?']
    """
    pieces = [piece.strip(" ,;?") for piece in _NEXT_QUESTION.split(question)]
    if len(pieces) > 1:
        pieces = [part.strip() for piece in pieces for part in _LISTED_QUESTION.split(piece)]
        pieces = _made_whole(pieces)
    if not pieces:
        return []
    first, whole = (" ".join(names_in(text)) for text in (pieces[0], question))
    names = first or whole
    texts = [
        f"{piece} ({names})" if names and ((number and _PRONOUN.search(piece)) or not names_in(piece)) else piece
        for number, piece in enumerate(pieces)
    ]
    if not all(_ASKS_AT_START.match(text) and len(key_terms(text).split()) >= FEWEST for text in texts):
        return []
    return [f"{text[0].upper()}{text[1:]}?" for text in texts]


_NOUN = rf"(?: (?!(?:{_HELPS}|{_ASKS}|and|it|they|he|she)\b)[\w-]+)"
_LED = r"(?:(?:in|at|on|by|for|to|of|from|with) )?"
_THING = rf"(?: (?!(?:{_HELPS}|{_ASKS}|and|it|they|he|she|at|by|for|from|in|of|on|through|to|with)\b)[\w-]+)"
_OF = rf"(?: of{_THING}{{1,3}})?(?:,? and{_THING}{{1,2}})?"
_MANY = rf"{_THING}{{0,3}}(?:(?<=s)|(?<=people)|(?<=men)|(?<=children)|(?<=staff))\b"  # "people live" goes on to a verb
_MEASURED = rf"(?: of)?{_THING}{{1,3}}{_OF}"
# What may share the rest of a question: "when and how far did it fall", not "when and how many trucks did it sell".
_BARE = [
    re.compile(one, re.IGNORECASE)
    for one in (
        rf"{_LED}(?:how many(?: of)?{_MANY}{_OF}|(?:how much|which|what){_MEASURED})(?<!ed)",
        rf"{_LED}(?:when|where|why|how(?: (?!(?:{_HELPS}|{_ASKS}|and|many|to)\b)[\w-]+)?)",
        "what|who|whom",
    )
]
_UNSURE = re.compile(rf"{_LED}(?:how (?:much|many)|which|what){_MEASURED}", re.IGNORECASE)  # may have a verb or none
_BEFORE = r"(?:(?:in|at|on|by|for|during|as of|according to) (?!(?:what|which|whom?|how)\b)[^,;?]{1,60}, )?"
_SHARED = re.compile(rf"^(?P<before>{_BEFORE})(?P<asks>{_LED}{_ASKS}\b.+)$", re.IGNORECASE)
_FULL = re.compile(rf"(?P<ask>.+?) (?P<rest>{_HELPS} .+)", re.IGNORECASE)
_ASKED = re.compile(rf",? and (?={_LED}{_ASKS}\b)|, (?={_LED}{_ASKS}\b)", re.IGNORECASE)
# "which through Bergen" and "how much did Acme" lack a verb, "how much did Acme use" may lack a measure
_WITHOUT_VERB = re.compile(
    rf"(?i:(?:which|what|how (?!(?:{_HELPS})\b)[\w-]+) "
    r"(?:through|in|at|on|by|for|to|from|with|during|under|over|between)) .*"
    rf"|(?i:{_LED}{_ASKS}{_NOUN}{{0,4}} (?:did|does|do|can|could|will|would|should))"
    r"(?: (?:the|of|and|[A-Z0-9][\w.&'’-]*))*"
)
_WITHOUT_MEASURE = re.compile(rf"(?P<led>{_LED})(?P<ask>how (?:much|many)|which) (?P<rest>{_HELPS} .+)", re.IGNORECASE)
_MEASURE = re.compile(rf"{_LED}(?P<ask>how (?:much|many)|which)(?P<of>{_MEASURED})(?= {_HELPS}\b)", re.IGNORECASE)
_PASSIVE = re.compile(
    r"(?:is|are|was|were) (?!(?:the|an?|its?|their|they|his|he|her|she|this|that|these|those|there|our|your)\b)[a-z]+"
)
_AGAIN = re.compile(
    r"^(?P<ask>how (?:much|many)\b.+?) (?P<by>on|for|in|to|from|at|by|with) (?P<first>[^,;?]+?),? and "
    r"how (?:much|many) (?P=by) (?P<last>[^,;?]+)",
    re.IGNORECASE,
)
_APART = re.compile(r"\b(?:respectively|separately|each|one by one)\b", re.IGNORECASE)
_COUNTS_TWO = re.compile(
    rf"^(?P<ask>how (?:much|many)) (?P<first>[a-z-]+) and (?P<last>[a-z-]+) (?P<rest>{_HELPS} .+)$", re.IGNORECASE
)


def _asked_at_once(question: str) -> list[str]:
    """What several question words ask of one thing; of one ("how much oil and gas") only where each is asked for.

    >>> _asked_at_once("How much water and how much energy did Lake Site use?")
    ['How much water did Lake Site use?', 'How much energy did Lake Site use?']
    >>> _asked_at_once("When and where was Acme founded?")
    ['When was Acme founded?', 'Where was Acme founded?']
    """
    if found := _SHARED.match(question):
        asks = [ask.strip(" ,") for ask in _ASKED.split(found["asks"].rstrip(" .?"))]
        if len(asks) > 1 and all(_kind(ask) is not None for ask in asks[:-1]) and (asks := _sharing(asks)):
            return [f"{found['before']}{ask if found['before'] else _capital(ask)}?" for ask in asks]
    if found := _AGAIN.match(question):
        asks, rest = [f"{found['ask']} {found['by']} {found[name].strip()}" for name in ("first", "last")], ""
    elif (found := _COUNTS_TWO.match(question)) and _APART.search(question):
        asks, rest = [f"{found['ask']} {found[name]}" for name in ("first", "last")], found["rest"]
    else:
        return []
    return [_capital(f"{ask} {rest}").strip(" .?") + "?" for ask in asks]


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _kind(piece: str) -> int | None:
    """Which kind of asking a piece is that has nothing else in it: no verb, nothing asked about."""
    return next((kind for kind, bare in enumerate(_BARE) if bare.fullmatch(piece)), None)


def _sharing(pieces: Sequence[str]) -> list[str]:
    """Pieces that only ask, with the rest of the next one of their kind that has one; none where one stays without.

    >>> _sharing(["how old", "how tall is Ada", "when did she write", "what"])
    []
    >>> _sharing(["how old", "how tall is Ada"])
    ['how old is Ada', 'how tall is Ada']
    """
    whole: list[str] = []
    kind, rest = None, ""
    for piece in reversed(pieces):
        if (bare := _kind(piece)) is None:
            if _UNSURE.fullmatch(piece):
                return []
            full = _FULL.fullmatch(piece)
            kind, rest = (_kind(full["ask"]), full["rest"]) if full else (None, "")
            whole.append(piece)
        elif bare == kind:
            whole.append(f"{piece} {rest}")
        else:
            return []
    return whole[::-1]


def _made_whole(pieces: Sequence[str]) -> list[str]:
    """Questions with the verb or the measure that they left to another; none where one can't be made whole.

    >>> _made_whole(["how much water did Acme use", "how much did Bemis use"])
    ['how much water did Acme use', 'how much water did Bemis use']
    >>> _made_whole(["how much water did Acme use", "how much did it pay"])
    ['how much water did Acme use', 'how much did it pay']
    """
    whole: list[str] = []
    for piece in _sharing(pieces):
        if _WITHOUT_VERB.fullmatch(piece):
            return []
        found = _WITHOUT_MEASURE.fullmatch(piece)
        if found:
            ask, rest = found["ask"].lower(), found["rest"]
            before = [one for one in map(_MEASURE.match, whole) if one and one["ask"].lower() == ask]
            counts = ask != "how much"  # "how much" may ask for a price, "how many" and "which" are always of something
            if before and (counts or _share_a_word(before[-1].string[before[-1].end() :], rest)):
                piece = f"{found['led']}{found['ask']}{before[-1]['of']} {rest}"
            elif counts or (before and _PASSIVE.match(rest)):
                return []
        whole.append(piece)
    return whole


def _share_a_word(one: str, other: str) -> bool:
    words, others = ({word for word in key_terms(text).split() if word.islower()} for text in (one, other))
    return bool(words & others)


def names_in(question: str) -> list[str]:
    """The names and years in a question, as far as its letters show, each once."""
    return list(dict.fromkeys(match[0] for match in re.finditer(_ITEM, _start_lowered(question))))


# ---- one question of several names or years

# A name, as far as its letters show: GPT-3, Lake Site, FY2023, Q2 of FY2024, 6.1B, AWS's.
_WORD = r"(?:[A-Z][\w&.+-]*|\w*\d[\w.+-]*)(?:'s|’s)?"
_ITEM = rf"(?<![\w-])(?:Q[1-4] of )?{_WORD}(?: {_WORD})*"
_JOIN = r"(?:and|or|versus|vs\.?|against|compared (?:to|with)|relative to|than)"
_PREPOSITION = r"(?:(?:in|at|for|of|on|with|by|to|the|that of|those of) )*"
_PAIR = re.compile(
    rf"(?P<first>{_ITEM})(?:(?P<more>(?:, {_PREPOSITION}{_ITEM})*),? (?P<join>{_JOIN})"
    rf"|(?P<middle>(?: [a-z]+){{1,5}}) (?:than|compare[ds]? (?:with|to))) "
    rf"{_PREPOSITION}(?:(?P<head>[a-z]+) )?(?P<last>{_ITEM})"
)
_COMPARE = re.compile(r"\W*compare\b", re.IGNORECASE)
_AGAINST = re.compile(r" (?:with|to|against) (?=that of |those of |[A-Z])")
_TIME = re.compile(r"(?:Q[1-4](?: of)? ?)?(?:[CF]Y ?)?(?:(?:19|20)\d\d|(?<=Y)\d\d)(?:Q[1-4])?|Q[1-4](?:['’ ]?\d+)?")
_QUANTITY = re.compile(r"[\d.,-]+")
_CONTRASTS = re.compile(
    r"\b(?:compar\w+|differ\w*|ratio|between|both|respectively|each|than|which|more|less|higher|lower|larger|smaller|"
    r"greater|fewer|better|worse|faster|slower|cheaper|\w+er)\b",
    re.IGNORECASE,
)


def _coordinated(question: str) -> list[str]:
    """The question once for each of the names or years that it joins: "of A and B", "in A than in B"."""
    question = _AGAINST.sub(" and ", question, count=1) if _COMPARE.match(question) else question
    asked, place = _start_lowered(question), 0
    while pair := _PAIR.search(asked, place):
        place = pair.end("first")  # "in 2022, Amcor or Bemis" joins what comes after the year
        head = pair["head"]
        items = [pair["first"], *re.findall(_ITEM, pair["more"] or ""), pair["last"]]
        if head and not re.search(rf"\b{head} $", asked[: pair.start()]):
            continue  # "A than in the rest of B" joins no like things
        if not _alike(items, pair["join"] or "than", asked, asked[: pair.start()]):
            continue
        # "the change between 2022 and 2023" is what was in the one and in the other
        before = re.sub(r"\bbetween $", "in ", question[: pair.start()])
        middle, after = pair["middle"] or "", question[pair.end() :]
        if middle and after.startswith(" ".join(middle.split(" ")[:2])):
            after = after.removeprefix(" ".join(middle.split(" ")[:2]))  # "the 72B model used than the 7B model"
        after = middle + after
        return [f"{before}{item}{after}" for item in items]
    return []


def _alike(items: Sequence[str], join: str, question: str, before: str) -> bool:
    """Whether the items are things of one kind that are asked for one by one, and not one name with "and" in it."""
    if any(_QUANTITY.fullmatch(item) and not _TIME.fullmatch(item) for item in items):
        return False  # "more than 90% of it"
    times = [bool(_TIME.fullmatch(item)) for item in items]
    if any(times):
        return all(times)
    if len(set(items)) < len(items):
        return False  # "Johnson and Johnson"
    marked = all(re.search(r"\d|[a-z][A-Z]|^[A-Z]{2,}|-", item) for item in items)
    led = re.search(r"\b(?:of|for|at|in|by|between|from|did|does|do|is|are|was|were|has|have|had)(?: the)? $", before)
    return marked or join not in ("and", "or") or bool(_CONTRASTS.search(question)) or bool(led and len(items) > 2)


def _start_lowered(question: str) -> str:
    """The question with the capital of its first words gone: that says nothing of a name. Its length stays.

    >>> _start_lowered("True or False: The AI Act is old.")
    'true or false: the AI Act is old.'
    """
    return _FIRST_WORDS.sub(lambda found: found[0].lower(), question)


_FIRST_WORDS = re.compile(
    r"^(?:True or False\W+\w+|[A-Z][a-z]+)\b|(?<=[.?!:] )(?:A|An|As|At|By|Did|Do|Does|For|How|If|In|Is|It|On|The|To|"
    r"Was|Were|What|When|Where|Which|Who|Why)\b"
)

# ---- one question of two things

_DIFFERENCE = re.compile(
    r"\b(?:difference|differences|gap|ratio|comparison|relation|relationship|compare|distinguish)\b.{0,40}?\b"
    r"(?:between |compare )(?P<first>[^,;?]+?) (?:and|with|to) (?P<last>[^,;?]+)",
    re.IGNORECASE,
)
_OWNER = re.compile(r".+?(?:['’]s|s['’])(?= )")
_OWNED = re.compile(r"^(?:its|their|his|her)(?= )", re.IGNORECASE)
_THINGS = re.compile(
    r"^(?P<ask>(?:what|how (?:much|large|high)) (?:is|are|was|were) )(?P<a>the )?(?P<first>[a-z][\w -]*?) and "
    r"(?P<the>the )?(?P<last>[a-z][\w -]*?) (?P<rest>(?:of|for|at|in|during|by) .+)$",
    re.IGNORECASE,
)


def _between(question: str) -> list[str]:
    """The two things whose difference or ratio is asked for, each as a search of its own.

    >>> _between("What is the difference between Lake Site's PUE in 2022 and its PUE in 2023?")
    ["Lake Site's PUE in 2022", "Lake Site's PUE in 2023"]
    """
    found = _DIFFERENCE.search(question)
    if not found:
        return []
    texts = [found["first"].strip(), found["last"].strip()]
    if owner := _OWNER.match(texts[0]):
        texts[1] = _OWNED.sub(lambda _: owner[0], texts[1])
    whole = re.compile(rf"{_PREPOSITION}{_ITEM}")
    if any(whole.fullmatch(text) or len(key_terms(text).split()) < FEWEST for text in texts):
        return []  # bare names: the whole question is asked of each
    return texts


def _two_things(question: str) -> list[str]:
    """Two things of one subject: "what are the total assets and the total debt of A?"."""
    found = _THINGS.match(question)
    if not found:
        return []
    texts = [found["first"], found["last"]]
    if found["the"] and not found["a"]:
        return []  # "what was learned from the audit and the review of A": the first is no thing
    if not found["the"] and any(len(text.split()) < 2 for text in texts):
        return []  # "research and development of A" is one
    if any(len(text.split()) > 5 for text in texts):
        return []
    return [f"{found['ask']}the {text} {found['rest']}" for text in texts]


# ---- Chinese

_CHINESE_PAIR = re.compile(
    r"(?P<first>[^\s，。？、；：和与與跟及的]{2,16}?)(?:和|与|與|跟|及)(?P<last>[^\s，。？、；：的]{2,12}?)"
    r"(?=的|相比|之间|之間|分别|分別|各|在|哪)"
)
_CHINESE_CONTRASTS = re.compile("分别|分別|各|相比|比较|比較|对比|對比|之间|之間|差|区别|區別|哪")


def _in_chinese(question: str) -> Iterator[str]:
    """The question once for each of two things that Chinese joins and sets against each other."""
    found = _CHINESE_PAIR.search(question)
    if found and _CHINESE_CONTRASTS.search(question):
        for item in (found["first"], found["last"]):
            yield question[: found.start()] + item + question[found.end() :]
