"""Reports on planted data for several tests, and a reader of their pages."""

from functools import cache
from html.parser import HTMLParser

import numpy as np

import fitontest as fot
from fitontest.numerics.links import logit, sigmoid

VOID = {"meta", "link", "input", "br", "img"}
MODEL, NOTES = "churn <i>3.1</i>", {"data": "March <b>2026</b> & later"}
TITLE = "Churn <script>alert(1)</script> & co"


@cache
def report(kind):
    """Return the report of a kind of data: small ones, with the families that are quick."""
    rng = np.random.default_rng(23)
    p, quick = rng.random(600), {"families": ["platt"], "title": TITLE, "date": "2026-01-02", "compare": kind == "bold"}
    if kind == "calibrated":
        return fot.report(rng.random(600) < p, p, **quick)
    if kind == "bold":
        return fot.report(rng.random(600) < sigmoid(0.4 * logit(p, 1e-9)), p, **quick, model=MODEL, notes=NOTES)
    if kind == "decisions":
        y = rng.random(600) < sigmoid(0.4 * logit(p, 1e-9) + 0.5)
        return fot.report(y, p, thresholds=[0.3, 0.5], **quick)
    if kind == "rare":
        p = rng.beta(0.3, 20, 3000)
        return fot.report(rng.random(3000) < p, p, **quick)
    if kind == "cells":
        return fot.report(fot.Cells.of(rng.random(600) < p**2, p), **quick)
    if kind == "segmented":
        region = np.array(["north", "south & west"])[np.arange(600) % 2]
        return fot.report(rng.random(600) < np.where(region == "north", p, p**2), p, by=region, **quick)
    if kind == "features":
        X = {"<b>age</b>": rng.integers(20, 80, 600), "site": rng.choice(["north", "<b>", "west"], 600)}
        y = rng.random(600) < np.where(X["<b>age</b>"] > 50, p**0.5, p**1.5)
        return fot.report(y, p, X=X, **quick)
    assert kind == "three classes"
    z = rng.normal(size=(600, 3))
    P = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    y = np.array(["cat", "dog", "<b>"])[(P.cumsum(axis=1) < rng.random((600, 1))).sum(axis=1)]
    return fot.report(y, P, reduction="confidence", labels=["cat", "dog", "<b>"], **quick)


KINDS = ("calibrated", "bold", "decisions", "rare", "cells", "segmented", "features", "three classes")


class Page(HTMLParser):
    """The elements of a page, with a complaint about each that is not closed as it was opened."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.open, self.complaints, self.text = [], [], [], {}
        self.feed(html)
        self.close()
        self.complaints += [f"{tag} is open at the end" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.complaints.append(f"{tag} is closed at {self.getpos()}")

    def handle_data(self, data):
        if self.open:
            self.text.setdefault(self.open[-1], []).append(data)

    def of(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]
