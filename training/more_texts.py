"""More to learn sentences from than the pairs hold: a dictionary, documents, parts of texts, requests put together."""

import json
import random
import re
from pathlib import Path

from corpus import WORK

SPANS = 300_000
MADE_REQUESTS = 150_000
JOINED = 150_000
OPENINGS = [
    "I want to {}",
    "please {}",
    "can you {}?",
    "I need to {}",
    "how do I {}?",
    "help me {}",
    "{} for me",
    "could you {} please",
    "I'd like to {}",
    "we have to {} today",
    "what is the best way to {}?",
    "{}",
]
JOINTS = [" and then ", " and ", ". Also, ", ". ", ", then ", ". After that, ", "; "]


def more_texts(requests, tools):
    """(texts as people ask, texts as tools say)"""
    chance = random.Random(42)
    meanings = definitions()
    documents = json.loads((WORK / "texts" / "documents.json").read_text())
    said = [*meanings, *documents]
    said += [span(text, chance) for text in chance.choices(tools + said, k=SPANS)]
    asked = [chance.choice(OPENINGS).format(first_sentence(text)) for text in chance.choices(tools, k=MADE_REQUESTS)]
    asked += [join(chance.sample(requests, 2), chance) for _ in range(JOINED)]
    return list(dict.fromkeys(asked)), list(dict.fromkeys(said))


def span(text, chance):
    words = text.split()
    length = chance.randint(3, 15)
    start = chance.randrange(max(1, len(words) - length + 1))
    return " ".join(words[start : start + length])


def first_sentence(text):
    said = text.split(": ", 1)[-1].split(" Parameters: ")[0]
    first = re.split(r"(?<=[a-z])[.;]\s", said, maxsplit=1)[0].rstrip(".")[:200]
    return first[:1].lower() + first[1:]


def join(parts, chance):
    return chance.choice(JOINTS).join(part[:400].rstrip(". ") for part in parts)


def definitions(folder=WORK / "wordnet"):
    """WordNet's synsets as texts: their words, and what they mean. Ordinary language for what no tool has said."""
    texts = []
    for path in sorted(Path(folder).glob("data.*")):
        for line in path.read_text().splitlines():
            if line.startswith("  "):
                continue
            facts, gloss = line.split(" | ", 1)
            parts = facts.split(" ")
            words = [parts[4 + 2 * at].split("(")[0].replace("_", " ") for at in range(int(parts[3], 16))]
            meaning, *examples = gloss.strip().split('; "')
            texts.append(", ".join(words) + ": " + meaning)
            texts += [example.rstrip('"; ') for example in examples]
    return texts
