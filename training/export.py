"""The model as the product reads it: int8 rows, a factor per row and side, the vocabulary, one file."""

import numpy as np
import torch
from safetensors.numpy import save_file

from corpus import MOST_TOKENS

VERSION = "1"


def export(model, tokens, path):
    vectors = model.vectors.detach().float().cpu()
    weights = torch.exp(model.weights.detach().float().cpu())
    largest = vectors.abs().amax(1).clamp(min=1e-8)
    values = torch.round(vectors / largest[:, None] * 127).to(torch.int8)
    scales = largest / 127 * weights
    # The length of a vector says nothing: factors near 1 keep the numbers readable.
    scales = scales / scales.mean()
    places = torch.exp(model.places.detach().float().cpu())
    vocabulary = "\n".join([*tokens.pieces, *tokens.units]).encode()
    save_file(
        {
            "vectors": values.numpy(),
            "query_scales": np.ascontiguousarray(scales[0].numpy()),
            "tool_scales": np.ascontiguousarray(scales[1].numpy()),
            "query_places": np.ascontiguousarray(places[0].numpy()),
            "tool_places": np.ascontiguousarray(places[1].numpy()),
            "vocabulary": np.frombuffer(vocabulary, dtype=np.uint8),
        },
        path,
        metadata={"version": VERSION, "pieces": str(len(tokens.pieces)), "max_tokens": str(MOST_TOKENS)},
    )
