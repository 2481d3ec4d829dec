"""Teacher -> token vectors -> sentences -> pairs -> int8. Says after each step what it has gained.

python training/train.py --encode          once: what the teachers say of every text and token (a GPU helps: minutes)
python training/train.py [--out NAME ...]  the steps
"""

import argparse
import json
import random
import time

import numpy as np
import torch
from torch.nn import functional as F

from corpus import WORK, Tokens, load_sets
from export import export
from more_texts import more_texts
from negatives import Negatives
from retrieval import Judge, mean
from static_model import StaticModel
from teachers import TEACHERS, Teacher
from vocabulary import choose_vocabulary

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--encode", action="store_true")
    parser.add_argument("--out", default="static")
    parser.add_argument("--teachers", default="minilm,bge")
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--unit-start", type=float, default=0.3)
    parser.add_argument("--distil-steps", type=int, default=6000)
    parser.add_argument("--distil-rate", type=float, default=3e-3)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--hard", type=int, default=6)
    parser.add_argument("--dropped", type=float, default=0.15)
    parser.add_argument(
        "--keep", type=float, default=1.0, help="weight of staying near the teachers while learning from pairs"
    )
    parser.add_argument(
        "--words", type=float, default=5.0, help="score by words added while learning: the model learns the rest"
    )
    parser.add_argument("--source-power", type=float, default=0.5)
    parser.add_argument("--from", dest="start", help="sentences of this run; its learning is not repeated")
    parser.add_argument("--seed", type=int, default=42)
    return parser.parse_args()


class Data:
    """Every text once, requests and tools apart, with the place of each source in the list."""

    def __init__(self):
        self.sets = load_sets("train")
        self.requests, self.tools, self.pairs = [], [], {}
        self.server = []
        places = {}
        for source in self.sets:
            first = len(self.tools)
            self.tools += [tool["text"] for tool in source["tools"]]
            self.server += [f"{source['name']} {tool['server']}" for tool in source["tools"]]
            rows = []
            for request, at in source["pairs"]:
                if request not in places:
                    places[request] = len(self.requests)
                    self.requests.append(request)
                rows.append((places[request], first + at))
            self.pairs[source["name"]] = (np.array(rows), first, len(self.tools))


def encode_all():
    data = Data()
    if not (WORK / "vocabulary.json").exists():
        pieces, units = choose_vocabulary(teacher_pieces(), data.sets)
        (WORK / "vocabulary.json").write_text(json.dumps({"pieces": pieces, "units": units}))
    chosen = load_vocabulary()
    asked, said = more_texts(data.requests, data.tools)
    if not (WORK / "bags.pt").exists():
        bags = {
            "requests": chosen.read(data.requests),
            "tools": chosen.read(data.tools),
            "asked": chosen.read(asked),
            "said": chosen.read(said),
        }
        torch.save(bags, WORK / "bags.pt")
        print(
            len(chosen.pieces),
            "pieces",
            len(chosen.units),
            "units",
            {key: len(bag) for key, bag in bags.items()},
            flush=True,
        )
    tokens = [piece.removeprefix("##") for piece in chosen.pieces] + chosen.units
    judged = [one for kind in ("check", "dev") for one in load_sets(kind)]
    for name in TEACHERS:
        if (WORK / f"vectors-{name}.npz").exists():
            continue
        teacher = Teacher(name, DEVICE)
        texts = {
            "requests": (data.requests, "query"),
            "tools": (data.tools, "tool"),
            "asked": (asked, "query"),
            "said": (said, "tool"),
            "tokens": (tokens, "tool"),
        }
        for at, one in enumerate(judged):
            texts[f"judged-requests-{at}"] = (one["requests"], "query")
            texts[f"judged-tools-{at}"] = ([tool["text"] for tool in one["tools"]], "tool")
        start = time.time()
        vectors = {key: teacher.encode(list_, side).numpy().astype(np.float16) for key, (list_, side) in texts.items()}
        np.savez(WORK / f"vectors-{name}.npz", **vectors)
        print(name, "encoded in", round(time.time() - start), "s", flush=True)


def load_vocabulary():
    chosen = json.loads((WORK / "vocabulary.json").read_text())
    return Tokens(chosen["pieces"], chosen["units"])


def teacher_pieces():
    from tokenizers import Tokenizer

    vocabulary = Tokenizer.from_file(str(WORK / "teachers" / "minilm" / "tokenizer.json")).get_vocab()
    return sorted(vocabulary, key=vocabulary.get)


class Teaching:
    """The teachers' vectors side by side, each side and teacher centred, then the directions that matter most."""

    def __init__(self, names, dimensions):
        files = [np.load(WORK / f"vectors-{name}.npz") for name in names]
        load = lambda key: [torch.tensor(file[key]).to(DEVICE).float() for file in files]
        requests, tools, tokens = load("requests"), load("tools"), load("tokens")
        centre = lambda parts, means: torch.cat([part - mean for part, mean in zip(parts, means)], 1)
        of_requests = [part.mean(0) for part in requests]
        of_tools = [part.mean(0) for part in tools]
        whole = {
            "requests": centre(requests, of_requests),
            "tools": centre(tools, of_tools),
            "asked": centre(load("asked"), of_requests),
            "said": centre(load("said"), of_tools),
            "tokens": centre(tokens, [part.mean(0) for part in tokens]),
        }
        covariance = sum(whole[key].T @ whole[key] / len(whole[key]) for key in ("requests", "tools", "asked", "said"))
        values, directions = torch.linalg.eigh(covariance.double())
        self.directions = directions[:, -dimensions:].flip(1).float()
        print("variance kept", round(float(values[-dimensions:].sum() / values.sum()), 3), flush=True)
        self.part = {key: value @ self.directions for key, value in whole.items()}
        self.whole = {
            key: F.normalize(value, dim=1).half() for key, value in whole.items() if key in ("requests", "tools")
        }
        self.judged = [
            (
                centre([torch.tensor(file[f"judged-requests-{at}"]).to(DEVICE).float() for file in files], of_requests),
                centre([torch.tensor(file[f"judged-tools-{at}"]).to(DEVICE).float() for file in files], of_tools),
            )
            for at in range(sum(key.startswith("judged-tools") for key in files[0]))
        ]

    def cosines(self, project):
        shape = (lambda v: v @ self.directions) if project else (lambda v: v)
        return [F.normalize(shape(q), dim=1) @ F.normalize(shape(t), dim=1).T for q, t in self.judged]


class Report:
    """Figures of the check sets (chosen by) and the development sets (only told)."""

    def __init__(self, tokens):
        check = load_sets("check")
        self.unseen = [one["name"] for one in check if one["unseen"]]
        self.check = Judge(check, tokens.read, DEVICE)
        self.dev = Judge(load_sets("dev"), tokens.read, DEVICE)
        self.lines = []

    def say(self, step, model=None, cosines=None):
        count = len(self.check.sets)
        check, dev = (
            (self.check.cosines(model), self.dev.cosines(model)) if model else (cosines[:count], cosines[count:])
        )
        yardstick = self.check.yardstick(check)
        alone = self.check.judge(check), self.dev.judge(dev)
        if not yardstick[1] > yardstick[0]:
            yardstick = (0, 1)
        best = max(
            (mean(self.check.judge(check, weight, yardstick), "ndcg"), weight)
            for weight in (0.35, 0.5, 0.7, 1, 1.4, 2, 2.8)
        )
        fused = self.check.judge(check, best[1], yardstick), self.dev.judge(dev, best[1], yardstick)
        line = {
            "step": step,
            "alone": {"check": mean(alone[0], "ndcg"), "dev": mean(alone[1], "ndcg")},
            "weight": best[1],
            "fused": {"check": best[0], "dev": mean(fused[1], "ndcg"), "dev_r1": mean(fused[1], "r1")},
            "dev_alone": alone[1],
            "dev_fused": fused[1],
            "check_alone": alone[0],
            "check_fused": fused[0],
        }
        self.lines.append(line)
        line["fused"]["unseen"] = float(np.mean([fused[0][name]["ndcg"] for name in self.unseen]))
        short = {name[:8]: f"{one['r1']:.3f} {one['r5']:.3f} {one['ndcg']:.3f}" for name, one in fused[1].items()}
        print(
            f"{step:22} alone check {line['alone']['check']:.4f} dev {line['alone']['dev']:.4f} | fused at {best[1]}: "
            f"check {best[0]:.4f} unseen {line['fused']['unseen']:.4f} dev {line['fused']['dev']:.4f} r1 {line['fused']['dev_r1']:.4f} | {short}",
            flush=True,
        )


def main():
    options = arguments()
    if options.encode:
        return encode_all()
    random.seed(options.seed)
    np.random.seed(options.seed)
    torch.manual_seed(options.seed)
    print("#", options.out, vars(options), flush=True)
    data = Data()
    tokens = load_vocabulary()
    teaching = Teaching(options.teachers.split(","), options.dimensions)
    report = Report(tokens)
    report.say(
        "words alone", cosines=[-torch.ones_like(words) for _, _, words, *_ in report.check.sets + report.dev.sets]
    )
    report.say("teachers", cosines=teaching.cosines(False))
    report.say("teachers, projected", cosines=teaching.cosines(True))

    bags = {key: bag.to(DEVICE) for key, bag in torch.load(WORK / "bags.pt", weights_only=False).items()}
    model = token_vectors(teaching, tokens, bags, options.unit_start).to(DEVICE)
    report.say("token vectors", model)
    if options.start:
        model.load_state_dict(torch.load(WORK / f"{options.start}-distilled.pt", map_location=DEVICE))
        report.say("sentences", model)
    elif options.distil_steps:
        distil(model, bags, teaching, options)
        report.say("sentences", model)
        torch.save(model.state_dict(), WORK / f"{options.out}-distilled.pt")
        export(model, tokens, WORK / f"{options.out}-distilled.safetensors")
    if options.steps:
        negatives = Negatives(data, bags, tokens.rows, DEVICE)
        learn_pairs(model, data, bags, teaching, negatives, options, report)
        report.say("pairs", model)
        export(model, tokens, WORK / f"{options.out}.safetensors")
    (WORK / f"report-{options.out}.json").write_text(json.dumps(report.lines))


def token_vectors(teaching, tokens, bags, unit_start):
    """What the teachers say of each token; frequent ones count less: S. Arora et al., "A Simple but Tough-to-Beat Baseline", ICLR 2017."""
    vectors = F.normalize(teaching.part["tokens"], dim=1)
    counts = torch.zeros(tokens.rows, device=DEVICE)
    for bag in bags.values():
        counts += torch.bincount(bag.ids, minlength=tokens.rows)
    share = counts / counts.sum()
    weights = 1e-3 / (1e-3 + share)
    # A unit is told beside its parts: it starts as a small correction.
    weights[len(tokens.pieces) :] *= unit_start
    return StaticModel(vectors, weights)


def optimise(parameters, rate, steps):
    optimiser = torch.optim.Adam(parameters, lr=rate)
    warm = max(1, steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / warm) * 0.5 * (1 + np.cos(np.pi * min(1, step / steps))) + 1e-3
    )
    return optimiser, schedule


def distil(model, bags, teaching, options, batch=4096):
    """Sentences: the pooled vector of a text shall be what the teachers say of the whole text."""
    targets = {key: F.normalize(teaching.part[key], dim=1) for key in bags}
    optimiser, schedule = optimise(model.parameters(), options.distil_rate, options.distil_steps)
    model.train()
    for _ in range(options.distil_steps):
        loss = sum(
            distance(
                model, bags, targets, key, torch.randint(len(bags[key]), (batch // 4,), device=DEVICE), options.dropped
            )
            for key in bags
        )
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()


def distance(model, bags, targets, key, rows, dropped):
    made = model(bags[key].take(rows), "query" if key in ("requests", "asked") else "tool", dropped)
    return (1 - (made * targets[key][rows]).sum(1)).mean()


def learn_pairs(model, data, bags, teaching, negatives, options, report):
    """Pairs: a request shall be nearer to its tool than to the others of the batch, to those that share its words, and to the tool's neighbours."""
    targets = {key: F.normalize(teaching.part[key], dim=1) for key in bags}
    scale = torch.nn.Parameter(torch.tensor(3.0, device=DEVICE))
    optimiser, schedule = optimise([*model.parameters(), scale], options.rate, options.steps)
    names = list(data.pairs)
    chance = np.array([len(data.pairs[name][0]) for name in names], dtype=float) ** options.source_power
    chance /= chance.sum()
    model.train()
    for step in range(options.steps):
        name = names[np.random.choice(len(names), p=chance)]
        requests, tools = negatives.draw_pairs(name, options.batch)
        hard = negatives.draw_hard(requests, tools, options.hard)
        columns = torch.cat([tools, hard.flatten()])
        asked = model(bags["requests"].take(requests), "query", options.dropped)
        said = model(bags["tools"].take(columns), "tool", options.dropped)
        cosine = asked @ said.T
        logits = cosine * scale.exp()
        if options.words > 0:
            logits = logits + options.words * negatives.words(requests, columns)
        with torch.no_grad():
            taught = (teaching.whole["requests"][requests] @ teaching.whole["tools"][columns].T).float()
            forbidden = negatives.not_wrong(requests, tools, columns, taught)
        logits = logits.masked_fill(forbidden, -1e4)
        here = torch.arange(len(requests), device=DEVICE)
        loss = F.cross_entropy(logits, here)
        if options.keep > 0:
            near = distance(
                model, bags, targets, "said", torch.randint(len(bags["said"]), (1024,), device=DEVICE), options.dropped
            )
            near = near + (1 - (asked * targets["requests"][requests]).sum(1)).mean()
            near = near + (1 - (said[: len(tools)] * targets["tools"][tools]).sum(1)).mean()
            loss = loss + options.keep * near
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 500 == 499:
            report.say(f"  pairs, step {step + 1}", model)
            model.train()


if __name__ == "__main__":
    main()
