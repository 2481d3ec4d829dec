"""Which words get a vector: the teacher's pieces, whole words that it would cut up, and frequent pairs of words."""

import re
from collections import Counter, defaultdict

from corpus import make_tokenizer, split_identifiers

LEAST_SERVERS_OF_WORD = 6
LEAST_SERVERS_OF_UNIT = 8
MOST_WORDS = 4_000
MOST_UNITS = 6_000
STOP = set(
    """a an the of to in on at by for with from and or as is are be was were been it its this that these those i me my you your we our he
    she they them his her their if not no do does did can could will would should may might must has have had what which who how when where
    why there here than then so such any all each per via into out up down about over under after before between using use used also only s t""".split()
)


def choose_vocabulary(teacher_pieces, sets):
    pieces = ["[PAD]", "[UNK]"] + [piece for piece in teacher_pieces if not re.fullmatch(r"\[.*\]", piece)]
    # "[" and "]" alone are punctuation, not marks.
    pieces += [piece for piece in teacher_pieces if piece in ("[", "]") and piece not in pieces]
    tokenizer = make_tokenizer(pieces)
    known = set(pieces)
    servers_of_word, servers_of_pair = defaultdict(set), defaultdict(set)
    for source in sets:
        texts = [
            (f"{source['name']} {tool['server']}", tool["text"].split(" Parameters: ")[0]) for tool in source["tools"]
        ]
        texts += [(f"{source['name']} {source['tools'][at]['server']}", request) for request, at in source["pairs"]]
        for server, text in texts:
            words = [
                word
                for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(
                    tokenizer.normalizer.normalize_str(split_identifiers(text[:2000]))
                )
            ]
            for word in words:
                if word not in known and 3 <= len(word) <= 30 and word.isascii() and word.isalpha():
                    servers_of_word[word].add(server)
            for first, second in zip(words, words[1:]):
                if is_telling(first) and is_telling(second) and first != second:
                    servers_of_pair[first, second].add(server)
    words = most(servers_of_word, LEAST_SERVERS_OF_WORD, MOST_WORDS)
    pieces += words
    known |= set(words)
    servers_of_pair = {
        pair: servers for pair, servers in servers_of_pair.items() if pair[0] in known and pair[1] in known
    }
    units = most(servers_of_pair, LEAST_SERVERS_OF_UNIT, MOST_UNITS)
    return pieces, [" ".join(pair) for pair in units]


def is_telling(word):
    return word.isascii() and word.isalpha() and len(word) > 1 and word not in STOP


def most(servers_of, least, count):
    counts = Counter({key: len(servers) for key, servers in servers_of.items() if len(servers) >= least})
    return [key for key, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:count]]
