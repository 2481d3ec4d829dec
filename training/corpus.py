"""What texts.js wrote, as token ids."""

import json
import re
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

WORK = Path(".training")
MOST_TOKENS = 512
MOST_CHARACTERS = 20_000


def load_sets(kind):
    return [json.loads(path.read_text()) for path in sorted((WORK / "texts").glob(f"{kind}-*.json"))]


def split_identifiers(text):
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text[:MOST_CHARACTERS])
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", text)


def make_tokenizer(pieces):
    vocabulary = {piece: at for at, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


class Tokens:
    """A vocabulary: WordPiece tokens, then units of two of them."""

    def __init__(self, pieces, units):
        self.pieces, self.units = pieces, units
        self.rows = len(pieces) + len(units)
        self.tokenizer = make_tokenizer(pieces)
        ids = {piece: at for at, piece in enumerate(pieces)}
        self.pairs = {tuple(ids[part] for part in unit.split(" ")): len(pieces) + at for at, unit in enumerate(units)}

    def read(self, texts):
        """Texts -> Bags. A unit counts beside its parts, at the place of the first."""
        ids, places, lengths = [], [], []
        for encoding in self.tokenizer.encode_batch([split_identifiers(text) for text in texts]):
            row = encoding.ids[:MOST_TOKENS]
            found = [(self.pairs[pair], at) for at, pair in enumerate(zip(row, row[1:])) if pair in self.pairs]
            ids += row + [unit for unit, _ in found]
            places += list(range(len(row))) + [at for _, at in found]
            lengths.append(len(row) + len(found))
        return Bags(torch.tensor(ids), place_of(torch.tensor(places)), torch.tensor(lengths))


PLACES = 10


def place_of(position):
    """floor(log2(position + 1)): the first word, the next two, the next four, ..."""
    return torch.floor(torch.log2(position + 1.0) + 1e-6).long().clamp(max=PLACES - 1)


class Bags:
    """Many lists of token ids in one."""

    def __init__(self, ids, places, lengths):
        self.ids, self.places, self.lengths = ids, places, lengths
        self.starts = torch.cumsum(lengths, 0) - lengths

    def to(self, device):
        return Bags(self.ids.to(device), self.places.to(device), self.lengths.to(device))

    def __len__(self):
        return len(self.lengths)

    def take(self, rows):
        lengths = self.lengths[rows]
        starts = torch.cumsum(lengths, 0) - lengths
        total = int(lengths.sum())
        within = torch.arange(total, device=rows.device) - torch.repeat_interleave(starts, lengths)
        at = torch.repeat_interleave(self.starts[rows], lengths) + within
        return self.ids[at], self.places[at], starts
