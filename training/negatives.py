"""Which tools a request must be told apart from: those that share its words (BM25), and the neighbours on the same server."""

import numpy as np
import torch

from corpus import Bags

KEPT = 40
BM25_K1 = 1.2
BM25_B = 0.75


class Negatives:
    def __init__(self, data, bags, rows, device):
        self.device = device
        self.rows = rows
        self.pairs = {}
        for name, (pairs, *_) in data.pairs.items():
            tools = torch.tensor(pairs[:, 1])
            # A tool with a hundred requests counts ten times one with a single request, not a hundred times.
            counts = torch.bincount(tools)[tools]
            self.pairs[name] = (torch.tensor(pairs).to(device), (1 / counts.float().sqrt()).to(device))
        servers = {name: at for at, name in enumerate(dict.fromkeys(data.server))}
        self.server = torch.tensor([servers[name] for name in data.server], device=device)
        texts = {text: at for at, text in enumerate(dict.fromkeys(data.tools))}
        self.text = torch.tensor([texts[text] for text in data.tools], device=device)
        self.by_server = torch.argsort(self.server, stable=True)
        sizes = torch.bincount(self.server)
        self.server_start = torch.cumsum(sizes, 0) - sizes
        self.server_size = sizes
        self.requests = bags["requests"]
        self.documents = self._weigh(data, bags["tools"])
        self._wanted(data)
        self.hard = self._find_hard(data)

    def _weigh(self, data, bags):
        """BM25 of every (tool, token), in words: 1 is a word that one tool of the source alone holds."""
        lengths = bags.lengths.float()
        row = torch.repeat_interleave(torch.arange(len(bags), device=self.device), bags.lengths)
        key, counts = torch.unique(row * self.rows + bags.ids, return_counts=True)
        row, ids = key // self.rows, key % self.rows
        weights = torch.zeros(len(key), device=self.device)
        for _, first, end in data.pairs.values():
            here = (row >= first) & (row < end)
            size = end - first
            held = torch.bincount(ids[here], minlength=self.rows).float()
            idf = torch.log(1 + (size - held + 0.5) / (held + 0.5))
            length = lengths[first:end].mean()
            norm = BM25_K1 * (1 - BM25_B + BM25_B * lengths[row[here]] / length)
            tf = counts[here].float()
            weights[here] = idf[ids[here]] * tf / (tf + norm) / np.log(1 + (size - 0.5) / 1.5)
        self.word_weights = weights
        return Bags(ids, torch.arange(len(ids), device=self.device), torch.bincount(row, minlength=len(bags)))

    def words(self, requests, tools):
        """Score by words of each request (row) and tool (column)."""
        ids, _, starts = self.requests.take(requests)
        owner = torch.bucketize(torch.arange(len(ids), device=self.device), starts, right=True) - 1
        table = torch.zeros(self.rows, len(requests), device=self.device)
        table[ids, owner] = 1
        ids, at, starts = self.documents.take(tools)
        scores = torch.nn.functional.embedding_bag(
            ids, table, starts, mode="sum", per_sample_weights=self.word_weights[at]
        )
        return scores.T

    def _wanted(self, data):
        keys = [pairs[:, 0].astype(np.int64) * len(data.tools) + pairs[:, 1] for pairs, *_ in data.pairs.values()]
        self.tool_count = len(data.tools)
        # By text: the same tool may be listed twice.
        every = np.concatenate(keys)
        text = self.text.cpu().numpy()
        self.wanted = torch.tensor(
            np.unique(every // self.tool_count * self.tool_count + text[every % self.tool_count]), device=self.device
        )

    def is_wanted(self, requests, tools):
        keys = requests * self.tool_count + self.text[tools]
        at = torch.searchsorted(self.wanted, keys).clamp(max=len(self.wanted) - 1)
        return self.wanted[at] == keys

    def _find_hard(self, data):
        """The best by words of the same source, wanted ones left out."""
        hard = torch.full((len(self.requests), KEPT), -1, dtype=torch.long, device=self.device)
        for pairs, first, end in data.pairs.values():
            asked = torch.tensor(np.unique(pairs[:, 0]), device=self.device)
            tools = torch.arange(first, end, device=self.device)
            for part in asked.split(512):
                scores = self.words(part, tools)
                top = tools[torch.topk(scores, min(KEPT, len(tools)), dim=1).indices]
                rows = part[:, None].expand_as(top)
                top = top.masked_fill(self.is_wanted(rows, top), -1)
                hard[part, : top.shape[1]] = top
        return hard

    def draw_pairs(self, name, batch):
        pairs, chance = self.pairs[name]
        size = min(batch, len(pairs))
        rows = torch.multinomial(chance, size, replacement=False)
        return pairs[rows, 0], pairs[rows, 1]

    def draw_hard(self, requests, tools, count):
        """Two thirds by words, one third of the same server; -1 becomes a neighbour."""
        by_words = count - count // 3
        columns = torch.randint(KEPT, (len(requests), by_words), device=self.device)
        words = torch.gather(self.hard[requests], 1, columns)
        near = self._neighbours(tools, count - by_words)
        words = torch.where(words < 0, self._neighbours(tools, by_words), words)
        return torch.cat([words, near], 1)

    def _neighbours(self, tools, count):
        server = self.server[tools][:, None].expand(-1, count)
        at = (torch.rand(server.shape, device=self.device) * self.server_size[server]).long()
        return self.by_server[self.server_start[server] + at]

    def not_wrong(self, requests, tools, columns, taught):
        """What may be right after all: wanted by the same request, or, on another server, by the teachers as near as the tool itself."""
        rows = requests[:, None].expand(-1, len(columns))
        every = columns[None].expand(len(requests), -1)
        wanted = self.is_wanted(rows, every)
        here = torch.arange(len(requests), device=self.device)
        as_near = taught >= taught[here, here][:, None]
        elsewhere = self.server[columns][None] != self.server[tools][:, None]
        forbidden = wanted | (as_near & elsewhere)
        forbidden[here, here] = False
        return forbidden
