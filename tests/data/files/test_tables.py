"""Columns of files: what is read of CSV, by which rules, and where a message says that something is wrong."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fitontest.data.arrays import as_scores
from fitontest.data.cells.cells import Cells
from fitontest.data.columns import Names
from fitontest.data.files.copies import append_columns, append_expressions
from fitontest.data.files.layout import STANDARD, Layout
from fitontest.data.files.parquet import count_in_parquet, count_rows_in_parquet, distinct_in_parquet
from fitontest.data.files.tables import naming_lines, read_columns
from fitontest.data.score_sample import ScoreSample

pytestmark = pytest.mark.multiplies

WANTED = {"label": "y", "prob": "p"}
CALLED = {"label column 'y'": "y", "prob column 'p'": "p"}


@pytest.fixture
def read(tmp_path):
    """Return the sample of a text as the command line reads it."""

    def run(content, layout=STANDARD, name="a.csv"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        columns = read_columns(tmp_path / name, WANTED, ("prob",), layout)
        with naming_lines(tmp_path / name, CALLED, layout):
            return ScoreSample(*columns.values(), names=Names(*CALLED, "weight"))

    return run


LINES = "(the header is line 1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("y,p\n1,0.5\n0,abc\n1,0.2\n0,x\n", f"got str values such as 'abc' at line 3 {LINES}; 2 such values)"),
        ("y,p\n1,0.5\n0,1.5\n1,-3\n", f"got 1.5 at line 3 {LINES}; 2 of 3 values outside, from -3.0 to 1.5; if these"),
        ("y;p\n1;0,5\n0;0,2\n", f"such as '0,5' at line 2 {LINES}; 2 such values); decimal ',' reads a decimal comma"),
        ("y,p\n1,nan\n0,0.5\n", f"must be finite, got nan at line 2 {LINES}; 1 such value)"),
        ("y,p\n1,0.5\n\n\n0,\n", f"missing values (None, NaN or NA), got 1, the first at line 5 {LINES})"),
        ('t,y,p\n"a\nb\r\nc",1,0.5\nx,0,7\n', f"got 7.0 at line 5 {LINES}"),
        ('t,y,p\n"a\nb",1,0.5\n"c\nd\n",0,7\n', f"got 7.0 at line 6 {LINES}"),
        ('"y\n",y,p\n2,1,0.5\n2,0,x\n', f"such as 'x' at line 4 {LINES}; 1 such value)"),
        ("y,p\r1,0.5\r0,2\r", f"got 2.0 at line 3 {LINES}"),
        ("y,p\n1,0.5\n0,1_0\n", f"such as '1_0' at line 3 {LINES}"),
        ("y,p\n1,0.5\n0,\uff10.5\n", f"such as '\uff10.5' at line 3 {LINES}"),
        ("y,p\n1,0.5\n0,é\n1,0.5\x1d\n", f"such as 'é' at line 3 {LINES}; 2 such values)"),
        ("y,p\n1,0.5\n0,true\n", f"such as 'true' at line 3 {LINES}"),
        ("y,p\n1,0.5\nnan,0.5\n", f"label column 'y' must be finite, got nan at line 3 {LINES}"),
        ("y,p\n1,0.5\n0,0.4,7\n1,0.2\n", f"in every row, as many as its header, got A with 3 at line 3 {LINES}"),
        ("y,p\n1,0.5\n0,0.4,\n", f"got A with 3 at line 3 {LINES}"),
        ("y,p\n\n1,0.5\n0\n", f"got A with 1 at line 4 {LINES}; cells are separated by ',')"),
        ('y,p\n1,0.5\n0,"0.4\n1,0.3\n', f"as CSV, got A with a row that begins at line 3 {LINES}) and is malformed"),
        ('y,p\n1,"0.5" \n', f"a row that begins at line 2 {LINES}) and is malformed: ',' expected after '\"'"),
        ("y,p,p\n1,0.5,0.6\n", "prob must be one column of A, got 'p', 2 times in its header"),
        ("y,P\n1,0.5\n", "prob must be a column of A, got 'p'; its columns are ['y', 'P']"),
        ("y:p\n1:0.5\n", "its columns are ['y:p']; sep names another separator"),
        ("\ny,p\n1,0.5\n", "path must begin with its header, got A with a blank first line"),
        ("sep=;\ny;p\n1;0.5\n", "path must begin with its header, got A with 1 line before it"),
        ("", "path must not be empty, got A of 0 bytes"),
        ("y,p\n", "path must have rows, got A, which has no rows below its header"),
        (b"y,p\n1,0.5\n\xe9,0.5\n", f"must be text in utf-8, got A with the byte 0xe9 at line 3 {LINES}); encoding "),
        ("y,p\n1,0.5\n".encode("utf-16"), f"the byte 0xff at line 1 {LINES}); encoding names its encoding, such"),
        ("y,p\n1,0.5\n".encode("utf-16-le"), "encoding must be that of the file, which does not look like text"),
        ("y,p\n" + "k" * 10**5 + ",0.5\nb,0.5\nc,0.5", "must have at most two classes, got 3: 'b', 'c', 'kkk"),
        ("y," + "k" * 10**5 + "\n1,0.5\n", "prob must be a column of A, got 'p'; its columns are ['y', 'kkk"),
    ],
)  # fmt: skip
def test_refusals_name_value_line_and_count(read, tmp_path, content, message):
    with pytest.raises(ValueError, match="must") as error:
        read(content)
    found = str(error.value).replace(str(tmp_path / "a.csv"), "A")
    assert message in found
    assert len(found) < 400


def test_gzip_that_is_none_is_refused(read):
    packed = gzip.compress(b"y,p\n1,0.5\n0,0.25\n" * 100)
    for bad in (b"y,p\n1,0.5\n", packed[:20], packed[:-9] + b"12345678"):
        with pytest.raises(ValueError, match="path must be readable as gzip, got"):
            read(bad, name="a.csv.gz")
    with pytest.raises(ValueError, match=r"path must not be empty, got .* without text"):
        read(gzip.compress(b""), name="a.csv.gz")


@pytest.mark.parametrize(
    ("content", "layout"),
    [
        ("y;p\n1;0,5\n0;1e-3\n1;,25\n", Layout(";", None, ",")),
        ("y;p\n1;0,5\n0;1e-3\n1;,25\n", Layout(decimal=",")),
        ('y,p\n1,"0,5"\n0,1e-3\n1,",25"\n', Layout(decimal=",")),
        ("y:p\n1:0.5\n0:1e-3\n1:.25\n", Layout(":")),
        ("y\tp\n1\t0.5\n0\t1e-3\n1\t.25\n", Layout("\\t")),
        ("t,y,p\né,1,0.5\nß,0,1e-3\n,1,.25\n".encode("cp1252"), Layout(encoding="cp1252")),
        ("y,p\n1,0.5\n0,1e-3\n1,.25\n".encode("utf-16"), Layout(encoding="utf-16")),
        ("\ufeffy,p\n1,0.5\n0,1e-3\n1,.25\n", Layout(encoding="UTF8")),
        ("\ufeffy,p\r\n\r\n1,0.5\n0, 1e-3 \r1,.25", Layout()),
        ('t|y|p\n"say \\"hi\\""|1|0.5\nx|0|1e-3\nx|1|.25\n', Layout()),
        ("P,Y,p,y,x,x\n9,8,0.5,1,,\n9,8,1e-3,0,,\n9,8,.25,1,,\n", Layout()),
    ],
)  # fmt: skip
def test_layouts(read, content, layout):
    sample = read(content, layout)
    assert sample.p.tolist() == [0.5, 1e-3, 0.25]
    assert sample.y.tolist() == [1, 0, 1]


def test_a_point_is_no_decimal_comma(read):
    for cell in ("0.5", "1.000,5"):
        with pytest.raises(ValueError, match=f"such as '{cell}' at line 3"):
            read(f"y;p\n1;0,5\n0;{cell}\n", Layout(decimal=","))
    with pytest.raises(ValueError, match="such as '0,5' at line 2"):
        read("y;p\n1;0,5\n0;0.5\n")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sep": ""}, "sep must be one character, no quote, backslash or newline, got ''"),
        ({"sep": ", "}, "sep must be one character"),
        ({"sep": '"'}, "sep must be one character"),
        ({"sep": "\n"}, "sep must be one character"),
        ({"decimal": ";"}, "decimal must be '.' or ',', got ';'"),
        ({"encoding": "latin-99"}, "encoding must be a text encoding, got 'latin-99': unknown encoding"),
        ({"encoding": "base64"}, "encoding must be a text encoding, got 'base64': 'base64' is not a text encoding"),
        ({"encoding": "\0"}, "encoding must be a text encoding"),
    ],
)
def test_layouts_are_checked(given, message):
    with pytest.raises(ValueError, match=r"^(sep|decimal|encoding) must") as error:
        Layout(**given)
    assert message in str(error.value)


@pytest.mark.parametrize("given", [{"sep": ","}, {"encoding": "utf-8"}, {"decimal": "."}])
def test_parquet_has_no_layout(tmp_path, given):
    pd.DataFrame({"y": [0, 1], "p": [0.1, 0.9]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=f"{next(iter(given))} must be left out with Parquet, got"):
        read_columns(tmp_path / "a.parquet", WANTED, (), Layout(**given))
    with pytest.raises(ValueError, match="must be left out with Parquet"):
        append_columns(tmp_path / "a.parquet", tmp_path / "b.csv", ("c",), np.zeros((2, 1)), WANTED, Layout(**given))


def test_rows_of_parquet_are_counted_as_rows(tmp_path):
    pd.DataFrame({"p": [0.1, 1.9]}).to_parquet(tmp_path / "a.parquet")
    with (
        pytest.raises(ValueError, match=r"got 1\.9 at row 2 \(rows counted from 1; 1 of 2 values"),
        naming_lines(tmp_path / "a.parquet", {"p": "p"}),
    ):
        as_scores(read_columns(tmp_path / "a.parquet", {"prob": "p"})["prob"], "p")
    pd.DataFrame({"p": []}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="path must have rows"):
        read_columns(tmp_path / "a.parquet", {"prob": "p"})


def test_names_that_differ_in_case_only(tmp_path):
    table = pa.table({"s": [{"p": 1, "q": {"P": 2}}] * 2, "P": [1.0, 1.0], "p": [0.25, 0.5], "y": [0, 1], "Y": [7, 7]})
    pq.write_table(table, tmp_path / "a.parquet")
    found = read_columns(tmp_path / "a.parquet", WANTED)
    assert [column.tolist() for column in found.values()] == [[0, 1], [0.25, 0.5]]
    append_columns(tmp_path / "a.parquet", tmp_path / "b.csv", ("c",), np.zeros((2, 1)))
    assert (tmp_path / "b.csv").read_text().splitlines()[0] == "s,P,p,y,Y,c"
    pq.write_table(pa.table([[0.25], [0.5]], names=["p", "p"]), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"prob must be a column of .*, got 'p', 2 times; its columns are"):
        read_columns(tmp_path / "a.parquet", {"prob": "p"})


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["0", "1", "007"], np.array([0, 1, 7])),
        (["0", "1.0", "1e1"], np.array([0.0, 1.0, 10.0])),
        (["9" * 30, "1"], np.array([1e30, 1.0])),
        (["TRUE", "false", "True"], np.array([True, False, True])),
        (["t", "y", "n"], np.array(["t", "y", "n"], dtype=object)),  # letters, which are not two pairs of booleans
        (["2020-01-01", "2020-01-02"], np.array(["2020-01-01", "2020-01-02"], dtype=object)),
        (["1", "NA", "b"], np.array(["1", None, "b"], dtype=object)),
    ],
)
def test_types_of_labels(tmp_path, cells, expected):
    (tmp_path / "a.csv").write_text("\n".join(["y,p", *(f"{cell},0.5" for cell in cells)]))
    found = read_columns(tmp_path / "a.csv", {"label": "y"})["label"]
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


@pytest.mark.exhaustive
def test_more_rows_than_a_block(tmp_path):
    n = 70_000
    p = np.random.default_rng(0).random(n)
    rows = [f"{i % 2},{score!r}" for i, score in enumerate(p.tolist())]
    (tmp_path / "a.csv").write_text("\n".join(["y,p", *rows]))
    found = read_columns(tmp_path / "a.csv", WANTED, ("prob",))
    np.testing.assert_array_equal(found["prob"], p)
    np.testing.assert_array_equal(found["label"], np.arange(n) % 2)
    (tmp_path / "a.csv").write_text("\n".join(["y,p", *rows, "1,x"]))
    with (
        pytest.raises(ValueError, match=rf"such as 'x' at line {n + 2} \(the header is line 1; 1 such value\)"),
        naming_lines(tmp_path / "a.csv", CALLED),
    ):
        as_scores(read_columns(tmp_path / "a.csv", WANTED, ("prob",))["prob"], "prob column 'p'")


@pytest.mark.parametrize(
    ("layout", "source", "target"),
    [
        (Layout(), "y,p\r\n'a',0.5\r\n", "y,p,c\n'a',0.5,0.125\n"),
        (Layout(), 'y;p\n"a,b";0.5\nc,d;""\n', 'y,p,c\n"a,b",0.5,0.125\n"c,d","",1e-05\n'),
        (Layout(";", None, ","), 'y;p\n"a;b";0,5\nc,d;\n', 'y;p;c\n"a;b";0,5;0,125\nc,d;;1e-05\n'),
        (Layout(None, None, ","), 'y;p\n"a;b";0,5\nc,d;\n', 'y,p,c\na;b,"0,5","0,125"\n"c,d",,1e-05\n'),
        (Layout(None, "cp1252", None), "y,p\né,0.5\n".encode("cp1252"), "y,p,c\né,0.5,0.125\n"),
        (Layout(), 'y,p\n"a\\"b",0.5\nc\\,d,\n', 'y,p,c\n"a""b",0.5,0.125\n"c,d",,1e-05\n'),
        (Layout(), 'y,p\n\n"a\r\n\nb",\n\n\n', 'y,p,c\n"a\r\n\nb",,0.125\n'),
    ],
)
def test_copies_keep_the_text_of_cells(tmp_path, layout, source, target):
    (tmp_path / "a.csv").write_bytes(source if isinstance(source, bytes) else source.encode())
    values = np.array([0.125, 1e-5])[: target.count("\n") - 1 - 2 * ("\r" in target)]
    append_columns(tmp_path / "a.csv", tmp_path / "b.csv", ("c",), values[:, None], WANTED, layout)
    assert (tmp_path / "b.csv").read_bytes().decode() == target


def test_names_in_parquet_are_numbered_where_they_are_equal_in_lower_case(tmp_path):
    (tmp_path / "a.csv").write_text("a,A,,a,A_1\n1,2,3,4,5\n")
    append_columns(tmp_path / "a.csv", tmp_path / "b.parquet", ("c",), np.array([[0.1 + 0.2]]))
    assert list(pd.read_parquet(tmp_path / "b.parquet")) == ["a", "A_1", "column2", "a_2", "A_1_1", "c"]
    assert pd.read_parquet(tmp_path / "b.parquet").iloc[0].tolist() == ["1", "2", "3", "4", "5", 0.1 + 0.2]


def test_quotes_closed_within_a_cell_are_no_backslash_dialect(tmp_path):
    """Without doubled quotes Python's csv module reads on behind the closing quote, and would join what it finds."""
    (tmp_path / "a.csv").write_text('t,p\n"say ""hi"""x,0.5\n')
    with pytest.raises(ValueError, match=r"path must be readable as CSV, got .* a row that begins at line 2"):
        read_columns(tmp_path / "a.csv", {"prob": "p"}, ("prob",))


def test_a_missing_score_of_a_single_column_is_no_blank_line(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("p\n0.1\n\n0.3\n\n")
    column = read_columns(file, {"prob": "p"}, ("prob",))["prob"]
    assert column.tolist() == [0.1, None, 0.3]


def test_a_long_text_beside_the_scores_is_read_and_other_readers_keep_their_limit(read):
    limit = csv.field_size_limit()
    assert read(f"text,y,p\n{'a' * 200_000},1,0.5\n,0,0.25\n").p.tolist() == [0.5, 0.25]
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("encoding", ["unicode_escape", "raw-unicode-escape", "idna", "punycode"])
def test_encodings_that_rewrite_text_are_refused(encoding):
    with pytest.raises(ValueError, match="encoding must be a text encoding"):
        Layout(encoding=encoding)


@pytest.mark.parametrize(
    ("content", "found"), [("\n", "with a blank first line"), ("# of May\ny,p\n1,0.5\n", "with 1 line before it")]
)
def test_a_header_is_the_first_line(read, content, found):
    with pytest.raises(ValueError, match=f"path must begin with its header, got .* {found}"):
        read(content)


def test_a_table_too_wide_for_the_memory_of_a_copy_is_copied_with_more(tmp_path, monkeypatch):
    """Rows that wait for their turn are limited to some memory, which the columns of a few rows may exceed."""
    from fitontest.data.files import copies

    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.random((20_000, 60)), columns=[f"p{k}" for k in range(60)])
    wide.to_parquet(tmp_path / "wide.parquet")
    monkeypatch.setattr(copies, "COPIED_WITHIN", "1MB")
    copies.append_expressions(tmp_path / "wide.parquet", tmp_path / "out.parquet", ["twice"], ["2 * p0"])
    found = pd.read_parquet(tmp_path / "out.parquet")
    pd.testing.assert_frame_equal(found[list(wide)], wide)
    np.testing.assert_array_equal(found.twice, 2 * wide.p0)


PATTERNS = ["s[1].parquet", "a*b.parquet", "q?.parquet", "[ab]/x**[!c].parquet", "~home.parquet", "]{a,b}'$.parquet"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PATTERNS)
def test_a_file_of_the_very_name_is_read_and_written_where_the_name_is_a_pattern(tmp_path, monkeypatch, name):
    """A pattern would find the decoys, which hold other numbers."""
    monkeypatch.chdir(tmp_path)
    for one in (name, "s1.parquet", "axb.parquet", "q1.parquet", "a/x1d.parquet"):
        (tmp_path / one).parent.mkdir(exist_ok=True)
        pd.DataFrame({"y": [0, 1], "p": [0.2, 0.4 if one == name else 0.9]}).to_parquet(tmp_path / one)
    for path in (tmp_path / name, Path(name)):
        assert read_columns(path, WANTED)["prob"].tolist() == [0.2, 0.4]
        assert count_rows_in_parquet(path) == 2
        assert distinct_in_parquet(path, "prob", "p").tolist() == [0.2, 0.4]
        assert count_in_parquet(path, ["p > .5"]) == (2, [0])
        assert Cells.of_file(path, label="y", prob="p", exact=True).sums.wp.sum() == pytest.approx(0.6)
        for append, values in ((append_columns, np.array([[0.5], [0.75]])), (append_expressions, ["p + 0.25"])):
            target = path.with_name(f"new {path.name}") if append is append_columns else path.with_name(f"~{path.name}")
            append(path, target, ["c"], values)
            assert pd.read_parquet(tmp_path / target)["p"].tolist() == [0.2, 0.4]
    assert not any(path.name.startswith("home") for path in tmp_path.iterdir())


def test_a_pattern_without_a_file_of_its_name_stands_for_several(tmp_path):
    for k in range(2):
        pd.DataFrame({"y": [0, 1], "p": [0.2, 0.4]}).to_parquet(tmp_path / f"s{k}.parquet")
    assert count_rows_in_parquet(tmp_path / "s[01].parquet") == 4
    pd.DataFrame({"y": [0], "p": [0.2]}).to_parquet(tmp_path / "s[01].parquet")
    assert count_rows_in_parquet(tmp_path / "s[01].parquet") == 1


@pytest.mark.parametrize(
    "read", [lambda path: read_columns(path, WANTED), lambda path: Cells.of_file(path, label="y", prob="p")]
)
def test_names_of_columns_that_are_no_text_are_refused(tmp_path, read):
    pd.DataFrame({"y": [0, 1], "p": [0.2, 0.4], "qzqz": [1, 2]}).to_parquet(tmp_path / "a.parquet")
    raw = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(raw.replace(b"qzqz", b"qz\xf0z"))
    with pytest.raises(ValueError, match=r"^path must be readable as parquet, got \S+a\.parquet: "):
        read(tmp_path / "a.parquet")
