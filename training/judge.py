"""Models side by side on the development sets: alone, and with the score by words at the weight of fuse-signals.ts.

python training/judge.py [FILE.safetensors ...]     default: models/static-1.safetensors
"""

import sys

import torch
from safetensors.torch import load_file

from corpus import WORK, Tokens, load_sets
from retrieval import Judge, mean
from static_model import StaticModel
from teachers import Teacher

WEIGHT = 1.0


def main():
    unseen = [one for one in load_sets("check") if one["unseen"]]
    sets = load_sets("dev")
    every = unseen + sets
    files = sys.argv[1:] or ["models/static-1.safetensors"]
    scores = {}
    teachers = [name for name in ("minilm", "bge") if (WORK / "teachers" / name).exists()]
    for name in teachers:
        teacher = Teacher(name, "cpu")
        scores[name] = [
            teacher.encode(one["requests"], "query", 64) @ teacher.encode(texts(one), "tool", 64).T for one in every
        ]
    for file in files:
        model, tokens = read_export(file)
        scores[file] = [
            model.encode(tokens.read(one["requests"]), "query") @ model.encode(tokens.read(texts(one)), "tool").T
            for one in every
        ]
    judge = Judge(sets, None, "cpu")
    # What a cosine means is measured on sets that nobody has learned from, and not on those that are judged.
    scales = Judge(unseen, None, "cpu")
    print("| model |", " | ".join(one["name"] for one in sets), "| mean |")
    for name, cosines in scores.items():
        yardstick = scales.yardstick(cosines[: len(unseen)])
        cosines = cosines[len(unseen) :]
        show(f"{name} alone", judge.judge(cosines))
        show(f"words + {name}", judge.judge(cosines, WEIGHT, yardstick))


def show(name, figures):
    row = [f"{one['r1']:.3f} {one['r5']:.3f} {one['ndcg']:.3f}" for one in figures.values()]
    print(
        f"| {name} | {' | '.join(row)} | {mean(figures, 'r1'):.3f} {mean(figures, 'r5'):.3f} {mean(figures, 'ndcg'):.3f} |",
        flush=True,
    )


def texts(one):
    return [tool["text"] for tool in one["tools"]]


def read_export(path):
    """What export.py wrote, as the product reads it."""
    tensors = load_file(path)
    entries = bytes(tensors["vocabulary"].tolist()).decode().split("\n")
    is_unit = [" " in entry for entry in entries]
    first = is_unit.index(True) if True in is_unit else len(entries)
    model = StaticModel(tensors["vectors"].float(), torch.ones(len(entries)))
    with torch.no_grad():
        model.weights.copy_(torch.stack([tensors["query_scales"], tensors["tool_scales"]]).log())
        model.places.copy_(torch.stack([tensors["query_places"], tensors["tool_places"]]).log())
    return model, Tokens(entries[:first], entries[first:])


if __name__ == "__main__":
    main()
