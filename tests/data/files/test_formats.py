"""Files of other kinds than CSV and Parquet, compressed ones, and cells as spreadsheets write them."""

import gzip
import io
import json
import lzma
import zipfile

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from fitontest.data.files.copies import append_columns
from fitontest.data.files.layout import Layout
from fitontest.data.files.tables import read_columns

pytestmark = pytest.mark.multiplies

Y, P = [0, 1, 1, 0], [0.25, 0.5, 1e-3, 1.0]
WANTED = {"label": "y", "prob": "p"}
NAMED = {"label": "y", "prob": "p"}
CSV = "y,p,name\n" + "".join(f"{y},{p!r},é {y}\n" for y, p in zip(Y, P, strict=True))
LINES = "".join(json.dumps({"y": y, "p": p, "name": f"é {y}"}) + "\n" for y, p in zip(Y, P, strict=True))


def zipped(content, name="scores.csv", **others):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for member, text in {name: content, **others}.items():
            archive.writestr(member, text)
    return packed.getvalue()


FILES = {
    "a.jsonl": LINES.encode(),
    "a.ndjson": LINES.encode(),
    "a.jsonl.gz": gzip.compress(LINES.encode()),
    "a.csv.xz": lzma.compress(CSV.encode()),
    "a.csv.zip": zipped(CSV),
    "a.zip": zipped(LINES, "scores.jsonl"),
    "b.zip": zipped(CSV, "scores.CSV"),
}


def write(tmp_path, name, content):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return tmp_path / name


@pytest.mark.parametrize("name", FILES)
def test_what_is_read_is_that_of_csv(tmp_path, name):
    file = write(tmp_path, name, FILES[name])
    found = fot.read(file, **NAMED)
    assert (found.y.tolist(), found.p.tolist()) == (Y, P)
    assert read_columns(file, {"by": "name"})["by"].tolist() == [f"é {y}" for y in Y]
    for target in ("o.csv", "o.parquet"):
        append_columns(file, tmp_path / target, ["c"], np.array([[0.5], [np.nan], [0.1 + 0.2], [1e-300]]), WANTED)
    table = pd.read_parquet(tmp_path / "o.parquet")
    assert table["c"].tolist()[2:] == [0.1 + 0.2, 1e-300]
    assert table["c"].isna().tolist() == [False, True, False, False]
    assert table["p"].astype(float).tolist() == P
    again = read_columns(tmp_path / "o.csv", {"p": "p", "name": "name", "c": "c"}, ("p", "c"))
    assert again["p"].tolist() == P
    assert again["c"].tolist() == [0.5, None, 0.1 + 0.2, 1e-300]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"y": 1, "p": 0.5}\n\n{"y": 0, "p": 7}\n', r"got 7\.0 at line 3 \(lines counted from 1"),
        ("a.jsonl", '{"y": 1, "p": 0.5}\n{"y": 0}\n', r"prob column 'p' must not have missing .* at line 2"),
        ("a.jsonl", '{"y": 1, "p": 0.5}\n{"y": 0, "p": "x"}\n', r"must hold real numbers, got str values such as '"),
        ("a.jsonl", '{"y": 1, "p": 0.5}\n{"y": 0, "p"\n', "path must be readable as JSON lines, got .*Malformed JSON"),
        ("a.jsonl", '{"y": 1, "q": 0.5}\n', r"prob must be a column of .*, got 'p'; its columns are \['y', 'q'\]"),
        ("a.jsonl", "", "path must not be empty, got .* of 0 bytes"),
        ("a.csv.zip", zipped(CSV, other="x"), "path must hold one file, got .* with 2"),
        ("a.zip", zipped("x", "a.parquet"), "path must end in one of .*; got .*a.zip with a.parquet"),
        ("a.csv.zip", b"PK no zip", "path must be readable as zip, got"),
        ("a.csv.xz", b"no xz", "path must be readable as xz, got"),
        ("a.parquet.gz", b"x", "path must end in one of"),
        ("a.npz", b"no archive", "path must be readable as npz, got"),
    ],
)
def test_refusals(tmp_path, name, content, message):
    with pytest.raises(ValueError, match=message):
        fot.read(write(tmp_path, name, content), **NAMED)


def test_layouts_are_of_csv(tmp_path):
    for name in ("a.jsonl",):
        with pytest.raises(ValueError, match="sep must be left out with JSON lines, got ';'"):
            fot.read(write(tmp_path, name, FILES[name]), **NAMED, sep=";")


@pytest.mark.parametrize("name", ["a.csv.xz", "a.csv.zip", "a.jsonl.gz"])
def test_compressed_files_have_a_limit(tmp_path, name):
    with pytest.raises(ValueError, match="path must unpack to at most 10 bytes, got"):
        fot.read(write(tmp_path, name, FILES[name]), **NAMED, max_unpacked=10)


def test_archives_of_arrays(tmp_path):
    matrix = np.array([[0.2, 0.8], [0.6, 0.4], [0.5, 0.5], [0.9, 0.1]])
    np.savez(tmp_path / "a.npz", y=Y, p=np.array(P, dtype=np.float32), m=matrix, g=np.array(["a", "b", "a", "b"]))
    found = fot.read(tmp_path / "a.npz", **NAMED, groups="g")
    assert (found.y.tolist(), found.p.tolist()) == (Y, np.array(P, dtype=np.float32).tolist())
    assert len(found.named_groups) == 2
    confidence = fot.read(tmp_path / "a.npz", label="y", prob="m", reduction="confidence")
    assert confidence.p.tolist() == [0.5, 0.5, 0.6, 0.8, 0.9]  # the two classes of .5 are tied
    np.savez(tmp_path / "b.npz", y=[0, 1], p=[0.5, 7.0])
    with pytest.raises(ValueError, match=r"got 7\.0 at row 2 \(rows"):
        fot.read(tmp_path / "b.npz", **NAMED)
    with pytest.raises(ValueError, match=r"prob must be a column of .*, got 'q'; its columns are"):
        fot.read(tmp_path / "a.npz", label="y", prob="q")
    np.savez(tmp_path / "o.npz", y=np.array([0, None], dtype=object), p=[0.5, 0.2])
    with pytest.raises(ValueError, match=r"path must be readable as npz, got .*: Object arrays"):
        fot.read(tmp_path / "o.npz", **NAMED)
    with pytest.raises(ValueError, match="path must unpack to at most 20 bytes"):
        fot.read(tmp_path / "a.npz", **NAMED, max_unpacked=20)
    with pytest.raises(ValueError, match=r"path must be a table of rows, got .*, which holds arrays"):
        append_columns(tmp_path / "a.npz", tmp_path / "o.csv", ["c"], np.zeros((4, 1)), WANTED)


def test_workbooks(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["y", "p", "id", "ok"], *([y, p, f"a {y}", bool(y)] for y, p in zip(Y, P, strict=True))):
        sheet.append(row)
    book.save(tmp_path / "a.xlsx")
    found = fot.read(tmp_path / "a.xlsx", **NAMED, by="id")
    assert found.whole.p.tolist() == P
    assert read_columns(tmp_path / "a.xlsx", {"label": "ok"})["label"].tolist() == [False, True, True, False]
    append_columns(tmp_path / "a.xlsx", tmp_path / "o.csv", ["c"], np.zeros((4, 1)), WANTED)
    assert (tmp_path / "o.csv").read_text().splitlines()[:2] == ["y,p,id,ok,c", "0,0.25,a 0,False,0.0"]
    sheet["B3"] = 7.5
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(ValueError, match=r"got 7\.5 at line 3 \("):
        fot.read(tmp_path / "a.xlsx", **NAMED)


@pytest.mark.parametrize(
    ("content", "given", "expected"),
    [
        ("y,p\n0,25%\n1,50 %\n1,0.1%\n0,100%\n", {}, P),
        ("y,p\n0,25%\n1,50 %\n1,0.1%\n0,100%\n", {"scale": "percent"}, P),
        ("y,p\n0,25\n1,50\n1,0.1\n0,100\n", {"scale": "percent"}, P),
        ("y;p\n0;25%\n1;50 %\n1;0,1%\n0;100%\n", {"decimal": ","}, P),
        (" y , p \n0, 0.25\n1, 0.5\n1, 1e-3\n0, 1\n", {}, P),
        ('y,"p"\n0,"0.25"\n1, "0.5"\n1,1e-3\n0,1\n', {}, P),
    ],
)
def test_percent_signs_and_blanks(tmp_path, content, given, expected):
    found = fot.read(write(tmp_path, "a.csv", content), **NAMED, **given)
    assert found.p.tolist() == expected


def test_a_column_has_percent_signs_or_none(tmp_path):
    with pytest.raises(ValueError, match=r"got str values such as '0\.5' at line 3"):
        fot.read(write(tmp_path, "a.csv", "y,p\n0,25%\n1,0.5\n"), **NAMED)


def test_thousands_are_read_where_they_are_named(tmp_path):
    file = write(tmp_path, "a.csv", 'y,p,w\n0,0.25,"1,000"\n1,0.5,"12,345,678.5"\n1,0.1,12\n0,0.9,0.5\n')
    given = {**NAMED, "weight": "w", "weights": "importances"}
    assert fot.read(file, **given, thousands=",").w.tolist() == [1000.0, 12345678.5, 12.0, 0.5]
    with pytest.raises(ValueError, match=r"such as '1,000' at line 2 .*; decimal ',' reads .*; there is an option"):
        fot.read(file, **given)
    german = write(tmp_path, "b.csv", "y;p;w\n0;0,25;1.000,5\n1;0,5;1.000.000\n")
    assert fot.read(german, **given, thousands=".", decimal=",").w.tolist() == [1000.5, 1e6]
    wrong = write(tmp_path, "c.csv", 'y,p,w\n0,0.25,"10,00"\n')
    with pytest.raises(ValueError, match="such as '10,00' at line 2"):
        fot.read(wrong, **given, thousands=",")
    for bad in ("x", ".", ""):
        with pytest.raises(ValueError, match="thousands must be one of"):
            Layout(thousands=bad)


def test_a_file_without_a_header(tmp_path):
    file = write(tmp_path, "a.csv", "0,0.25\n1,0.5\n1,7\n")
    with pytest.raises(ValueError, match=r"prob must be a column of .*; header False says that the first"):
        fot.read(file, **NAMED | {"label": "0"})
    columns = {"label": "1", "prob": "2"}
    with pytest.raises(ValueError, match=r"prob column '2' must lie in \[0, 1\], got 7\.0 at line 3 \(lines counted"):
        fot.read(file, **columns, header=False)
    file = write(tmp_path, "a.csv", "0,0.25\n1,0.5\n\n1,0.75")
    assert fot.read(file, **columns, header=False).p.tolist() == [0.25, 0.5, 0.75]
    with pytest.raises(ValueError, match=r"must have 2 cells in every row, as many as its first row, got .* at line 2"):
        fot.read(write(tmp_path, "a.csv", "0,0.25\n1\n"), **columns, header=False)


def test_labels_beside_missing_ones_keep_their_type(tmp_path):
    file = write(tmp_path, "a.csv", "y,p\n1,0.5\nNA,0.25\n0,0.75\n")
    assert read_columns(file, {"label": "y"})["label"].tolist() == [1, None, 0]
    with pytest.warns(fot.CalibrationWarning, match="1 of 3 rows are left out"):
        assert fot.read(file, **NAMED, missing="drop").y.tolist() == [1.0, 0.0]


def test_rows_are_those_of_the_csv_module_whatever_the_newlines(tmp_path):
    """DuckDB takes one kind of newline, and would lose cells of a file that has several."""
    for newline in ("\n", "\r\n", "\r"):
        content = newline.join(["y,p,t", '1,0.5,a"b', "", '0,0.25,"x\ny"', '1,0.125,"u\r\nv"', '0,1,""'])
        found = read_columns(write(tmp_path, "a.csv", content), {**WANTED, "by": "t"}, ("prob",))
        assert found["label"].tolist() == [1, 0, 1, 0]
        assert found["prob"].tolist() == [0.5, 0.25, 0.125, 1.0]
        assert found["by"].tolist() == ['a"b', "x\ny", "u\r\nv", None]


def test_a_row_that_two_readers_read_otherwise_is_refused(tmp_path):
    with pytest.raises(ValueError, match="path must be read"):
        read_columns(write(tmp_path, "a.csv", 'y,p\n1, "a\nb",0\n1,0.5\n'), WANTED, ("prob",))


def test_records_in_a_column_that_is_not_used_do_no_harm(tmp_path):
    lines = [json.dumps({"y": k % 2, "p": 0.1 + 0.002 * k, "m": {"k": [1]}}) for k in range(300)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert fot.read(tmp_path / "a.jsonl", **NAMED).n == 300
    evaluation = fot.evaluate(tmp_path / "a.jsonl", **NAMED, families=["platt"], interval=None)
    assert evaluation.sample.n == 300
