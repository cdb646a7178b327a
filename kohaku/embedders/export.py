"""The packaged MiniLM as one ONNX file; run as a program, so that torch never enters the process that answers.

    python -m kohaku.embedders.export MODEL_FOLDER TARGET_FOLDER

writes TARGET_FOLDER/model.onnx and report.json: {"precision": "onnx-int8" or "onnx-fp32", "cosine": its mean
cosine to torch's vectors}.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from pathlib import Path
from typing import Any

from kohaku.embedders.batches import arrays

CLOSE = 0.98  # mean cosine to torch below which int8 is given up: measured .99 where it works, .957 where it saturates

SAMPLES = (
    "What was the budget deficit in 2021?",
    "The plant produced 3.4 GWh of electricity, 12% more than in the year before.",
    "See Table 4: accuracy rose from 71.2 to 84.9 when the retriever was trained on hard negatives.",
    "Water is withdrawn from the river for cooling and most of it evaporates.",
    "PUE",
    "Revenue grew; however, operating income fell because of restructuring costs, litigation and currency effects.",
    "The committee did not approve the proposal.",
    "水は川から取られる。 Das Wasser kommt aus dem Fluss.",
)


def main(model: Path, target: Path) -> None:
    """Export, quantise and check; what can't be done raises."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()  # the file asks for 128 tokens always
    batch = [tokenizer.encode(sample).ids for sample in SAMPLES]
    full, small = target / "fp32.onnx", target / "int8.onnx"
    truth = _export(model, batch, full)
    _quantise(full, small)
    for file, precision in ((small, "onnx-int8"), (full, "onnx-fp32")):
        cosine = _mean_cosine(file, batch, truth)
        if cosine >= CLOSE:
            _optimise(file, target / "model.onnx")
            (target / "report.json").write_text(json.dumps({"precision": precision, "cosine": cosine}))
            return
    raise SystemExit(f"the exported model's vectors are not torch's: cosine {cosine:.3f}")


def _export(model: Path, batch: list[list[int]], file: Path) -> Any:
    """Write the model with mean pooling and normalisation inside; torch's own vectors of the batch."""
    import torch
    from transformers import AutoModel

    class Pooled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            # eager attention: the others trace the mask of one batch size into the graph
            self.bert = AutoModel.from_pretrained(str(model), attn_implementation="eager", dtype=torch.float32)

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            states = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
            weights = mask.unsqueeze(-1).to(states.dtype)
            return torch.nn.functional.normalize((states * weights).sum(1) / weights.sum(1).clamp(min=1), dim=1)

    pooled = Pooled().eval()
    ids, mask = map(torch.from_numpy, arrays(batch))
    with torch.no_grad():
        torch.onnx.export(
            pooled,
            (ids, mask),
            str(file),
            dynamo=False,  # the newer exporter needs onnxscript and takes much longer
            opset_version=17,
            input_names=["ids", "mask"],
            output_names=["vectors"],
            dynamic_axes={name: {0: "texts", 1: "tokens"} for name in ("ids", "mask")} | {"vectors": {0: "texts"}},
        )
        return pooled(ids, mask).numpy()


def _quantise(source: Path, target: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    # Seven bits a channel: on processors without VNNI eight saturate, and one scale a matrix loses more than both
    # (mean cosine to fp32 .957 with neither, .991 with both).
    quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)


def _optimise(source: Path, target: Path) -> None:
    """The graph as ONNX Runtime rewrites it at every load, which takes longer than all the rest of loading."""
    from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions

    options = SessionOptions()
    options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_EXTENDED  # no more: that is for one processor
    options.optimized_model_filepath = str(target)
    InferenceSession(source, options, providers=["CPUExecutionProvider"])


def _mean_cosine(file: Path, batch: list[list[int]], truth: Any) -> float:
    from onnxruntime import InferenceSession

    ids, mask = arrays(batch)
    vectors = InferenceSession(file, providers=["CPUExecutionProvider"]).run(None, {"ids": ids, "mask": mask})[0]
    return float((vectors * truth).sum(axis=1).mean())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
