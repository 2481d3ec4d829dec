"""Texts without requests, for learning what the teachers say of a sentence: what cloud services say of their operations.

python training/documents.py     -> .training/texts/documents.json
"""

import gzip
import html
import json
import re
from pathlib import Path

from corpus import WORK

LONGEST = 600
LEAST_WORDS = 5


def main():
    texts = [text for text in dict.fromkeys([*of_amazon(), *of_google()]) if text.count(" ") >= LEAST_WORDS]
    (WORK / "texts" / "documents.json").write_text(json.dumps(texts))
    print(len(texts), "documents")


def of_amazon():
    """botocore, Apache-2.0."""
    import botocore

    for path in sorted(Path(botocore.__file__).parent.glob("data/*/*/service-2.json*")):
        raw = path.read_bytes()
        service = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
        name = service["metadata"].get("serviceId", "")
        for operation, facts in sorted(service.get("operations", {}).items()):
            yield sentence(f"{name} {operation}", facts.get("documentation", ""))
        for shape, facts in sorted(service.get("shapes", {}).items()):
            yield sentence(shape, facts.get("documentation", ""))


def of_google():
    """google-api-python-client, Apache-2.0."""
    import googleapiclient

    for path in sorted(Path(googleapiclient.__file__).parent.glob("discovery_cache/documents/*.json")):
        service = json.loads(path.read_text())
        title = service.get("title", "")
        for method in methods(service.get("resources", {})):
            yield sentence(f"{title} {method['id'].split('.', 1)[-1].replace('.', ' ')}", method.get("description", ""))
        for name, schema in sorted(service.get("schemas", {}).items()):
            yield sentence(name, schema.get("description", ""))


def methods(resources):
    for _, resource in sorted(resources.items()):
        yield from (method for _, method in sorted(resource.get("methods", {}).items()))
        yield from methods(resource.get("resources", {}))


def sentence(name, description):
    words = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", description))).strip()
    return f"{name}: {words}"[:LONGEST]


if __name__ == "__main__":
    main()
