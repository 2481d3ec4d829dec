"""The models that are learned from: what they are, where they come from, text -> vector."""

from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from corpus import WORK

# name: pooling, what stands before a request, what stands before a tool's text
TEACHERS = {
    "minilm": ("mean", "", ""),
    "bge": ("first", "Represent this sentence for searching relevant passages: ", ""),
}
LONGEST = 256


class Teacher:
    def __init__(self, name, device):
        self.pooling, *self.before = TEACHERS[name]
        folder = WORK / "teachers" / name
        if not folder.exists():
            raise SystemExit(f"{folder} is missing: training/README.md says where it comes from.")
        self.device = device
        self.model = BertModel.from_pretrained(folder, add_pooling_layer=False).eval().to(device)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)

    @torch.inference_mode()
    def encode(self, texts, side, batch=512):
        before = self.before[0 if side == "query" else 1]
        rows = [encoding.ids for encoding in self.tokenizer.encode_batch([before + text[:4000] for text in texts])]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        out = torch.zeros(len(rows), self.model.config.hidden_size)
        for start in range(0, len(rows), batch):
            part = order[start : start + batch]
            longest = len(rows[part[-1]])
            ids = torch.zeros(len(part), longest, dtype=torch.long)
            for at, row in enumerate(part):
                ids[at, : len(rows[row])] = torch.tensor(rows[row])
            ids = ids.to(self.device)
            lengths = torch.tensor([len(rows[row]) for row in part], device=self.device)
            mask = torch.arange(longest, device=self.device)[None] < lengths[:, None]
            with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
                hidden = self.model(ids, attention_mask=mask.long()).last_hidden_state
            hidden = hidden.float()
            pooled = hidden[:, 0] if self.pooling == "first" else (hidden * mask[..., None]).sum(1) / lengths[:, None]
            out[part] = torch.nn.functional.normalize(pooled, dim=1).cpu()
        return out


def from_onnx(path, tokenizer, folder):
    """An exported BERT of 12 layers, back to weights with names: a graph cannot be trained or run fast on a GPU."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights = {
        name: torch.tensor(value) for name, value in tensors.items() if name.startswith(("embeddings.", "encoder."))
    }
    weights.pop("embeddings.position_ids", None)
    for node in graph.node:
        known = [name for name in node.input if name in tensors]
        if node.op_type == "MatMul" and known:
            place = ".".join(node.name.strip("/").split("/")[:-1])
            weights[place + ".weight"] = torch.tensor(tensors[known[0]].T.copy())
    model = BertModel(
        BertConfig(hidden_size=384, num_hidden_layers=12, num_attention_heads=12, intermediate_size=1536),
        add_pooling_layer=False,
    )
    model.load_state_dict(weights)
    model.save_pretrained(folder)
    (Path(folder) / "tokenizer.json").write_bytes(Path(tokenizer).read_bytes())
