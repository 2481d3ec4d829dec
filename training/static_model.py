"""Token vectors, pooled: the whole model."""

import torch
from torch import nn
from torch.nn import functional as F

from corpus import PLACES


class StaticModel(nn.Module):
    """vector(text) = unit length of: sum of weight[side][token] * place[side][where] * vectors[token]"""

    def __init__(self, vectors, weights):
        super().__init__()
        self.vectors = nn.Parameter(vectors)
        self.weights = nn.Parameter(torch.log(weights).repeat(2, 1))
        self.places = nn.Parameter(torch.zeros(2, PLACES))

    def forward(self, bag, side, dropped=0.0):
        ids, places, starts = bag
        row = 0 if side == "query" else 1
        weights = torch.exp(self.weights[row][ids] + self.places[row][places])
        if dropped > 0:
            weights = weights * (torch.rand_like(weights) >= dropped)
        pooled = F.embedding_bag(ids, self.vectors, starts, mode="sum", per_sample_weights=weights)
        return F.normalize(pooled, dim=1, eps=1e-6)

    @torch.inference_mode()
    def encode(self, bags, side, batch=8192):
        rows = torch.arange(len(bags), device=bags.ids.device)
        return torch.cat([self(bags.take(part), side) for part in rows.split(batch)])
