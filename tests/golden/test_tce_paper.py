"""The TCE paper's real data: ImageNet (Table 5) and the UCI sets, on predictions that are not distributed."""

import warnings

import numpy as np
import pytest

import fitontest as fot
from tests.golden.test_gda_errors import quantile_edges
from tests.published import BESIDE, figures, predictions

IMAGENET = {  # TCE(P), TCE(Q), TCE(V), bins P and V, ECE, ACE, MCE, MCE(Q), as printed
    "alexnet": (42.736, 43.792, 33.452, 9, 57, 0.0070, 0.0070, 0.1496, 0.0528),
    "vgg19": (23.566, 22.888, 22.748, 9, 40, 0.0028, 0.0028, 0.2148, 0.0247),  # V: 22.730 if ties are cut
}
UCI = figures("tce_paper")
ROWS = [row for row in UCI["rows"] if row["set"] in ("abalone", "letter_img", "satimage", "spambase")]
ROWS = [row for row in ROWS if row["alg"] != "LR_exact"]


@pytest.mark.parametrize("model", IMAGENET)
def test_imagenet(model):
    y, p = predictions(f"imagenet_tce_{model}", f"predictions/imagenet_tce_{model}.npz")
    edges = quantile_edges(p, 10)
    blocks, plain = fot.tce(y, p, partition=fot.partitions.PavaBC(2500, 10_000)), fot.tce(y, p, partition="pava")
    shares = (blocks, fot.tce(y, p, partition=edges), plain)
    bias = (fot.gce(y, p), fot.gce(y, p, partition=edges), fot.gce(y, p, norm="max"))
    values = [*(100 * float(share) for share in shares), blocks.n_bins, plain.n_bins]  # published in percent
    values += [*map(float, (*bias, fot.gce(y, p, partition=edges, norm="max")))]
    digits = (3, 3, 3, 0, 0, 4, 4, 4, 4)
    assert [round(value, d) for value, d in zip(values, digits, strict=True)] == list(IMAGENET[model])
    assert float(fot.tce(y, p)) == float(blocks)  # N / 20 and N / 5 are the default


# Where a cut of the published bins splits tied scores, which ours never do: the columns that then differ
SPLIT_BLOCKS = {
    ("abalone", "RF"),
    ("abalone", "GB"),
    ("letter_img", "SVM"),
    ("letter_img", "RF"),
    ("satimage", "RF"),
    ("spambase", "RF"),
    ("spambase", "GB"),
}
SPLIT_QUANTILES = {("abalone", "RF"), ("abalone", "GB"), ("letter_img", "GB"), ("spambase", "GB")}  # TCE
SPLIT_QUANTILES_ACE = {("abalone", "GB")}


def algorithm_2(y, n_min, n_max):
    """Return the cuts of the paper's Algorithm 2 on rows, as it stands there."""
    blocks = []
    for label in y[: len(y) - n_min]:
        blocks.append([1, label])
        while len(blocks) > 1:
            (w0, y0), (w1, y1) = blocks[-2:]
            if w0 + w1 > n_min and (w0 + w1 > n_max or y0 * w1 < y1 * w0):
                break
            blocks[-2:] = [[w0 + w1, y0 + y1]]
    sizes = [w for w, _ in blocks]
    if sizes[-1] + n_min > n_max:
        sizes.append(n_min)
    return np.cumsum(sizes)[: -1 if sum(sizes) == len(y) else None]


def splits_ties(p, cuts):
    ordered = np.sort(p)
    return any(ordered[cut - 1] == ordered[cut] for cut in cuts if 0 < cut < p.size)


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['set']}-{r['alg']}")
def test_uci(row):
    path = BESIDE / f"predictions/paper7030_{row['set']}.npz"
    if not path.exists():
        pytest.skip(f"{path.name} is not among the committed sets")
    with np.load(path) as found:
        y, p = found["y"].astype(int), found[f"p_{row['alg']}"]
    edges = quantile_edges(p, 10)
    edges = edges[edges > 0]  # where the lowest score, 0, fills the first bins
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.results.BlockSizeWarning)  # a tie may weigh more than n / 5
        blocks = fot.tce(y, p, null_draws=0)
    values = {
        "TCE(pavabc n/20,n/5)": 100 * blocks,  # in percent
        "TCE(Q10)": 100 * fot.tce(y, p, partition=edges, null_draws=0),
        "ECE10": fot.gce(y, p),
        "ACE10": fot.gce(y, p, partition=edges),
        "MCE10": fot.gce(y, p, norm="max"),
    }
    key = (row["set"], row["alg"])
    differ = {
        "TCE(pavabc n/20,n/5)": key in SPLIT_BLOCKS,
        "TCE(Q10)": key in SPLIT_QUANTILES,
        "ACE10": key in SPLIT_QUANTILES_ACE,
    }
    for column, expected in zip(UCI["columns"], row["got"], strict=True):
        if column not in values:
            continue
        if not differ.get(column):
            assert float(values[column]) == pytest.approx(expected, abs=1e-4), column
        else:
            assert abs(float(values[column]) - expected) > 1e-4, column
    order = np.argsort(p, kind="stable")
    if key in SPLIT_BLOCKS:
        assert splits_ties(p, algorithm_2(y[order], p.size // 20, p.size // 5))
    if key in SPLIT_QUANTILES:
        assert splits_ties(p, (np.linspace(0, 1, 11) * p.size).astype(int))
