"""How well vectors find tools, alone and with the score by words, on the sets that texts.js wrote."""

import numpy as np
import torch


class Judge:
    def __init__(self, sets, read, device):
        self.sets = []
        for one in sets:
            words = torch.zeros(len(one["requests"]), len(one["tools"]))
            for row, hits in enumerate(one["words"]):
                for tool, score in hits:
                    words[row, tool] = score
            wanted = torch.zeros(words.shape, dtype=torch.bool)
            for row, tools in enumerate(one["wanted"]):
                for tool in tools:
                    if tool >= 0:
                        wanted[row, tool] = True
            sizes = torch.tensor([len(set(tools)) for tools in one["wanted"]])
            self.sets.append((one["name"], one, words.to(device), wanted.to(device), sizes.to(device)))
        self.bags = (
            [
                (read(one["requests"]).to(device), read([t["text"] for t in one["tools"]]).to(device))
                for _, one, *_ in self.sets
            ]
            if read
            else None
        )

    def cosines(self, model):
        model.eval()
        return [model.encode(requests, "query") @ model.encode(tools, "tool").T for requests, tools in self.bags]

    def judge(self, cosines, weight=None, yardstick=(0, 1)):
        """weight None: by cosine alone. Returns {set: {r1, r5, ndcg}}."""
        low, high = yardstick
        figures = {}
        for (name, _, words, wanted, sizes), cosine in zip(self.sets, cosines):
            scores = cosine if weight is None else words + weight * ((cosine - low) / (high - low)).clamp(min=0)
            figures[name] = measure(scores, wanted, sizes)
        return figures

    def yardstick(self, cosines):
        """Mean cosine of a request with any tool, and with one it wants, every set counting the same."""
        low = np.mean([float(cosine.mean()) for cosine in cosines])
        high = np.mean([float(cosine[wanted].mean()) for (_, _, _, wanted, _), cosine in zip(self.sets, cosines)])
        return low, high


def measure(scores, wanted, sizes):
    top = torch.argsort(scores, dim=1, descending=True, stable=True)[:, :10]
    hits = torch.gather(wanted, 1, top).float()
    if hits.shape[1] < 10:
        hits = torch.nn.functional.pad(hits, (0, 10 - hits.shape[1]))
    discounts = 1 / torch.log2(torch.arange(10, device=scores.device) + 2.0)
    ideal = torch.cumsum(discounts, 0)[sizes.clamp(max=10) - 1]
    return {
        "r1": float((hits[:, 0] / sizes).mean()),
        "r5": float((hits[:, :5].sum(1) / sizes).mean()),
        "ndcg": float(((hits * discounts).sum(1) / ideal).mean()),
    }


def mean(figures, key):
    return float(np.mean([one[key] for one in figures.values()]))
