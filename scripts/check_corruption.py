"""How many corrupted quotes, and references to what was not read, are caught; how many true ones are kept.

    python scripts/check_corruption.py INDEX.db QUESTIONS.csv [--seed N] [--show]

The evidence of each question is quoted as a model might: sentences as they stand, or with other spaces, dashes,
quotation marks and case, which are to be kept; and corrupted, which are to be dropped. References are to documents of
the index that are not in the evidence, and to such as are nowhere. All goes through what checks a model's reply.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

import kohaku
from answerer.answer import Question
from answerer.passages import split
from answerer.prompts import AnswerReply
from answerer.quotes import key
from answerer.reader import checked
from answerer.submission import read_questions
from kohaku.tree import Kind
from retriever.evidence import Context

app = typer.Typer(add_completion=False, rich_markup_mode=None)

SHORTEST, LONGEST = 40, 400  # letters of a sentence that is quoted
NOISE = 0.2  # of a quote's letters, or words: more than any reading of a scan gets wrong
A_QUESTION = 5  # sentences quoted for each
Random = random.Random


def noisy(quote: str, chance: Random) -> str:
    """A quote with one of five letters replaced."""
    letters = list(quote)
    places = [at for at, letter in enumerate(letters) if letter.isalpha()]
    for at in chance.sample(places, max(1, round(NOISE * len(places)))):
        letters[at] = chance.choice([one for one in "abcdefghijklmnopqrstuvwxyz" if one != letters[at].lower()])
    return "".join(letters)


def swapped(quote: str, chance: Random) -> str:
    """A quote in which two long words have changed places."""
    words = quote.split(" ")
    long = [at for at, word in enumerate(words) if sum(map(str.isalpha, word)) >= 5]
    pairs = [(one, other) for one in long for other in long if one < other and key(words[one]) != key(words[other])]
    if not pairs:
        return ""
    one, other = chance.choice(pairs)
    words[one], words[other] = words[other], words[one]
    return " ".join(words)


def renumbered(quote: str, chance: Random) -> str:
    """A quote with a digit of a number changed; "" where it has none."""
    places = [match.start() for match in re.finditer(r"\d", quote)]
    if not places:
        return ""
    at = chance.choice(places)
    return quote[:at] + chance.choice([one for one in "123456789" if one != quote[at]]) + quote[at + 1 :]


def denied(quote: str, chance: Random) -> str:
    """A quote with a "not" put into it."""
    words = quote.split(" ")
    words.insert(chance.randrange(1, len(words)), "not")
    return " ".join(words)


def spaced(quote: str, chance: Random) -> str:
    """The same quote with other spaces, dashes and quotation marks, and in capitals: nothing is wrong with it."""
    broken = re.sub(" ", lambda _: chance.choice([" ", "  ", "\n"]), quote)
    return f"“{broken.replace('-', chance.choice('-–—'))}”".upper()


CORRUPTED: dict[str, Callable[[str, Random], str]] = {
    "letters replaced": noisy,
    "words swapped": swapped,
    "a number changed": renumbered,
    "a negation put in": denied,
}
KEPT: dict[str, Callable[[str, Random], str]] = {
    "as it stands": lambda quote, chance: quote,
    "spelled otherwise": spaced,
}


def invented(quotes: Sequence[str], chance: Random) -> str:
    """A sentence that nobody wrote, of words of several."""
    words = [word for quote in quotes for word in quote.split()]
    return " ".join(chance.choices(words, k=14))


def quotable(contexts: Sequence[Context], chance: Random) -> list[str]:
    """Some of the sentences of contexts, no table's rows."""
    found = [text for context in contexts for text, is_row in split(context.text) if not is_row and "…" not in text]
    whole = [text for text in dict.fromkeys(found) if SHORTEST <= len(text) <= LONGEST and " " in text]
    return chance.sample(whole, min(A_QUESTION, len(whole)))


def told(question: Question, contexts: Sequence[Context], *, quote: str = "", reference: str = "") -> bool:
    """Whether nothing of a reply with a quote or a reference was dropped, and what it names is cited."""
    documents = [contexts[0].document, *filter(None, [reference])]
    reply = AnswerReply(
        explanation="", answer="7", answer_value="7", ref_id=documents, quotes=[quote] if quote else [], is_blank=False
    )
    answer = checked(question, contexts, reply)
    return not answer.dropped


def replies(
    question: Question, contexts: Sequence[Context], elsewhere: Sequence[str], strangers: Sequence[str], chance: Random
) -> Iterator[tuple[str, bool, bool, str]]:
    """What was done to a quote or a reference, whether that is to be kept, whether it was, and its words."""
    quotes = quotable(contexts, chance)
    for quote in quotes:
        for is_true, kinds in ((True, KEPT), (False, CORRUPTED)):
            for name, change in kinds.items():
                said = change(quote, chance)
                if said and (is_true or key(said) != key(quote)):
                    yield name, is_true, told(question, contexts, quote=said), said
        made = invented(quotes, chance)
        yield "invented", False, told(question, contexts, quote=made), made
    text = key(" ".join(context.text for context in contexts)).text
    others = [quote for quote in elsewhere if key(quote).text not in text]
    for quote in chance.sample(others, min(A_QUESTION, len(others))):
        yield "of what was not read", False, told(question, contexts, quote=quote), quote
    known = {document for context in contexts for document in context.documents}
    outside = [document for document in strangers if document not in known]
    for reference in (*chance.sample(outside, min(A_QUESTION, len(outside))), "smith2031", f"{strangers[0]}x"):
        yield "a reference to what was not read", False, told(question, contexts, reference=reference), reference
    yield "a reference to what was read", True, told(question, contexts, reference=contexts[-1].document), ""


@app.command()
def main(
    index: Path,
    questions: Path,
    seed: Annotated[int, typer.Option(help="Of what is chosen and changed.")] = 0,
    show: Annotated[bool, typer.Option(help="Print what was not caught, or not kept.")] = False,
) -> None:
    """Corrupt quotes and references from a file's questions, and count what the checks let through."""
    chance = random.Random(seed)
    tally: dict[tuple[bool, str], Counter[bool]] = {}
    with kohaku.open(index) as engine:
        strangers = sorted(document.id for document in engine.store.documents())
        found = [(question, engine.retrieve(question.text).contexts) for question in read_questions(questions)]
        elsewhere = [
            node.text
            for document in strangers
            for node in engine.store.subtree(document)
            if node.kind is Kind.SENTENCE and SHORTEST <= len(node.text) <= LONGEST
        ]
    for question, contexts in found:
        for name, is_true, is_kept, said in replies(question, contexts, elsewhere, strangers, chance):
            tally.setdefault((is_true, name), Counter())[is_kept == is_true] += 1
            if show and is_kept != is_true:
                typer.echo(f"{question.id} {name}: {said}")
    for (is_true, name), count in tally.items():
        typer.echo(f"{name}\t{count[True]} of {count.total()} {'kept' if is_true else 'caught'}")


if __name__ == "__main__":
    app()
