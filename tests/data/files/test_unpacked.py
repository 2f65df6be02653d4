"""How much a compressed file may unpack to."""

import gzip
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from fitontest.data.files.layout import STANDARD, Layout
from fitontest.data.files.tables import read_columns
from fitontest.data.files.unpacked import MOST_UNPACKED, read_size, size_text

WANTED = {"label": "y", "prob": "p"}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("500MB", 5 * 10**8),
        ("4GiB", 2**32),
        ("1.5 kib", 1536),
        ("2TB", 2 * 10**12),
        (" 7 ", 7),
        ("0.1KB", 100),
    ],
)
def test_sizes_are_read(text, size):
    assert read_size(text, "size") == size


@pytest.mark.parametrize("text", ["", "0", "-1", "GiB", "1 GG", "1e9", "0.1", "nan", "4GiB!", "1_0", "\uff11"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match=r"^size must be a number of bytes such as 500MB or 4GiB, got '"):
        read_size(text, "size")


@pytest.mark.parametrize("size", [1, 999, 1000, 1024, 10**6, 2**32, 2**32 + 1, 3 * 10**12])
def test_sizes_are_said_exactly(size):
    assert read_size(size_text(size).replace(" bytes", ""), "size") == size


def test_the_default():
    assert STANDARD.max_unpacked == MOST_UNPACKED == 4 * 2**30


def packed(folder, rows):
    """Write gzipped CSV and return its path and the bytes to which it unpacks."""
    raw = ("y,p\n" + "1,0.5\n0,0.25\n" * (rows // 2)).encode()
    (folder / "a.csv.gz").write_bytes(gzip.compress(raw))
    return folder / "a.csv.gz", len(raw)


@pytest.mark.parametrize("rows", [2, 10_000])
def test_gzip_is_read_up_to_the_limit_and_refused_beyond(tmp_path, rows):
    path, size = packed(tmp_path, rows)
    found = read_columns(path, WANTED, ("prob",), Layout(max_unpacked=size))
    assert found["prob"].size == rows
    with pytest.raises(
        ValueError, match=rf"^path must unpack to at most {size_text(size - 1)}, got \S+a\.csv\.gz, which is"
    ):
        read_columns(path, WANTED, ("prob",), Layout(max_unpacked=size - 1))


def test_a_file_that_is_not_compressed_has_no_limit(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n1,0.5\n")
    assert read_columns(tmp_path / "a.csv", WANTED, ("prob",), Layout(max_unpacked=1))["prob"].size == 1


def test_one_endless_line_is_not_kept(tmp_path):
    """100 MB that were 100 KB: the memory follows the limit."""
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"x" * 10**8, 1))
    tracemalloc.start()
    with pytest.raises(ValueError, match="must unpack to at most 1MB"):
        read_columns(tmp_path / "a.csv.gz", WANTED, ("prob",), Layout(max_unpacked=10**6))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10**7


def test_parquet_is_refused_by_its_rows_and_by_its_texts(tmp_path):
    """A column of one value takes a few bytes in the file, and eight for each row in memory."""
    path, rows = tmp_path / "a.parquet", 100_000
    pd.DataFrame({"y": np.ones(rows, dtype=int), "p": 0.5, "t": "x"}).to_parquet(path)
    assert path.stat().st_size < 10_000
    assert read_columns(path, WANTED, (), Layout(max_unpacked=16 * rows))["prob"].size == rows
    with pytest.raises(
        ValueError, match=r"^path must unpack to at most 1MB, got \S+a\.parquet, which is larger; max_un"
    ):
        read_columns(path, WANTED, (), Layout(max_unpacked=10**6))
    texts = [f"{k:01000d}" for k in range(1000)]
    pd.DataFrame({"y": texts, "p": 0.5}).to_parquet(path, compression="gzip")
    with pytest.raises(ValueError, match="must unpack to at most 100kB"):
        read_columns(path, WANTED, (), Layout(max_unpacked=100_000))
    assert read_columns(path, {"prob": "p"}, (), Layout(max_unpacked=100_000))["prob"].size == 1000
