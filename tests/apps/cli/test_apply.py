"""``fitontest apply``: rows and columns come out as they went in, with one more column."""

import csv
import gzip
import os

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.data.files.copies import WRITERS, append_columns
from tests.apps.cli.columns import read_numbers
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

BETA = fot.maps.BetaMap(0.7, 1.9, 0.1, 2.2e-16)
SHIFT = fot.maps.BinnedMap(fot.partitions.Partition([0.5]), [-0.3, 0.3], [1.0, 1.0])


@pytest.fixture
def scores():
    y, p = noisy(300)
    p[:6] = [0.0, 1.0, 5e-324, 1e-300, np.nextafter(1, 0), 0.1 + 0.2]
    return pd.DataFrame({"y": y, "p": p, 'odd "name", é': [f"row {i}" for i in range(300)]})


@pytest.fixture
def map_file(tmp_path):
    (tmp_path / "map.json").write_text(BETA.to_json())
    return tmp_path / "map.json"


def run(*arguments):
    return CliRunner().invoke(main, ["apply", *map(str, arguments)])


def text_of(path):
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()


def table(path):
    """Read a file by pandas, CSV as texts."""
    if path.suffix in (".parquet", ".pq"):
        return pd.read_parquet(path)
    delimiter = "\t" if ".tsv" in path.name else ","
    return pd.read_csv(path, sep=delimiter, dtype=str, keep_default_na=False)


def write(frame, path):
    if path.suffix in (".parquet", ".pq"):
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


def refused(result):
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize("target", WRITERS)
@pytest.mark.parametrize("source", WRITERS)
def test_every_format_to_every_format(tmp_path, scores, map_file, source, target):
    file, output = write(scores, tmp_path / f"in{source}"), tmp_path / f"out{target}"
    result = run(map_file, file, "--prob", "p", "-o", output)
    assert result.stdout == f"Wrote {output}: 300 rows, calibrated probabilities in column calibrated\n"
    assert result.stderr == ""
    found = table(output)
    assert list(found) == [*scores, "calibrated"]
    np.testing.assert_array_equal(found.calibrated.astype(np.float64), BETA(scores.p))
    if "sv" not in target:
        assert found.calibrated.dtype == np.float64
        assert [pd.api.types.is_numeric_dtype(found[name]) for name in ("y", "p")] == ["sv" not in source] * 2
    for name in scores:
        np.testing.assert_array_equal(found[name].astype(scores[name].dtype), scores[name])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([file.name, output.name, "map.json"])


CELLS = [
    ["007", "1e5", "0.10", "2020-01-01", "", '""', "NA", "0.50"],
    ["-0", "+5", "1.", "2020-13-01", "NULL", '"NA"', "nan", "1e-3"],
    ["1_000", "true", ".5", "12:00", " x ", '"a, b"', "#c", "0.5"],
    ["#1", "'q'", "\\", "é", "a;b", '"say ""hi"""', "x|y", "1"],
    ["0x10", "$1", "1,", "--", "[1]", '"new\nline"', "", "0.25"],
]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.tsv"])
def test_cells_keep_their_text(tmp_path, map_file, name):
    rows = [[cell if cell != "1," else "1" for cell in row] for row in CELLS]
    delimiter = "\t" if ".tsv" in name else ","
    before = "\n".join(delimiter.join(row) for row in [[*"abcdefg", "p"], *rows]) + "\n"
    raw = before.encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith("gz") else raw)
    output = tmp_path / f"out{name[1:]}"
    assert run(map_file, tmp_path / name, "--prob", "p", "-o", output).exit_code == 0
    added = ["calibrated", *(repr(float(BETA(float(row[-1])))) for row in rows)]
    read = list(csv.reader(text_of(output).splitlines(keepends=True), delimiter=delimiter))
    original = list(csv.reader(before.splitlines(keepends=True), delimiter=delimiter))
    assert [row[:-1] for row in read] == original
    assert [float(row[-1]) for row in read[1:]] == [float(number) for number in added[1:]]
    unquoted, quoted = text_of(output).splitlines()[1].split(delimiter)[4:6]
    assert (unquoted, quoted) == ("", '""')  # a cell without text, and an empty text


def test_cells_are_texts_in_parquet(tmp_path, map_file):
    (tmp_path / "a.csv").write_text('id,e,q,p\n007,,"",0.10\n1e5,NA,x,0.5\n')
    assert run(map_file, tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.parquet").exit_code == 0
    found = pd.read_parquet(tmp_path / "o.parquet")
    assert found.id.tolist() == ["007", "1e5"]
    assert [None if pd.isna(cell) else cell for cell in found.e] == [None, "NA"]
    assert found.q.tolist() == ["", "x"]
    assert found.p.tolist() == ["0.10", "0.5"]
    assert found.calibrated.tolist() == BETA([0.1, 0.5]).tolist()


def test_names_of_columns_keep_their_text(tmp_path, map_file):
    """An unnamed index, names that occur twice or in two cases, blanks: what data frames write."""
    (tmp_path / "a.csv").write_text(',a,A,a," b ",p\n0,1,2,3,4,0.5\n')
    assert run(map_file, tmp_path / "a.csv", "--prob", "p", "--column", "x, y", "-o", tmp_path / "o.csv").exit_code == 0
    assert next(csv.reader(text_of(tmp_path / "o.csv").splitlines())) == ["", "a", "A", "a", " b ", "p", "x, y"]


def test_types_of_parquet_stay(tmp_path, map_file):
    frame = pd.DataFrame(
        {
            "p": np.array([0.25, 0.5], dtype=np.float32),
            "n": pd.array([1, None], dtype="Int16"),
            "when": pd.to_datetime(["2020-01-01 00:00", "2021-06-01 12:30"]),
            "yes": [True, False],
        }
    )
    frame.to_parquet(tmp_path / "a.parquet")
    assert run(map_file, tmp_path / "a.parquet", "--prob", "p", "-o", tmp_path / "o.parquet").exit_code == 0
    found = pd.read_parquet(tmp_path / "o.parquet", dtype_backend="numpy_nullable")
    pd.testing.assert_frame_equal(found.drop(columns="calibrated"), frame.convert_dtypes(), check_dtype=False)
    assert [str(found[name].dtype) for name in ("p", "n", "yes")] == ["Float32", "Int16", "boolean"]
    assert found.calibrated.tolist() == BETA([0.25, 0.5]).tolist()


@pytest.mark.parametrize("folder", ["year=2020", "it's"])
def test_names_of_folders_are_only_names(tmp_path, map_file, folder):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "a.csv").write_text("p\n0.5\n")
    output = tmp_path / folder / "o.csv"
    assert run(map_file, tmp_path / folder / "a.csv", "--prob", "p", "-o", output).exit_code == 0
    assert output.read_text() == f"p,calibrated\n0.5,{float(BETA(0.5))!r}\n"


def test_no_rows(tmp_path, map_file):
    (tmp_path / "a.csv").write_text("y,p\n")
    result = run(map_file, tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.csv")
    assert "0 rows" in result.stdout
    assert (tmp_path / "o.csv").read_text() == "y,p,calibrated\n"


@pytest.mark.parametrize("target", ["o.csv", "o.parquet"])
@pytest.mark.parametrize("source", ["a.csv", "a.parquet"])
def test_a_missing_score_stays_missing_as_in_sql(tmp_path, map_file, source, target):
    frame = pd.DataFrame({"y": [1, 0, 1, 0], "p": [0.5, None, 0.25, np.nextafter(1.0, 2.0)]})
    write(frame, tmp_path / source)
    found = run(map_file, tmp_path / source, "--prob", "p", "-o", tmp_path / target)
    assert found.exit_code == 0, found.stderr
    assert found.stderr == "Note: 1 of 4 rows have no score, and no calibrated probability\n"
    with duckdb.connect() as connection:
        by_sql = connection.sql(f"SELECT {BETA.to_sql('p')} AS c FROM frame").fetchnumpy()["c"]
    values = read_numbers(tmp_path / target, ["calibrated"])[:, 0]
    np.testing.assert_allclose(values, np.ma.filled(by_sql, np.nan), rtol=0, atol=1e-14)
    assert np.isnan(values).tolist() == [False, True, False, False]


def test_clips_and_says_how_many(tmp_path):
    (tmp_path / "map.json").write_text("\ufeff" + SHIFT.to_json(), encoding="utf-8")
    (tmp_path / "a.csv").write_text("p\n0.1\n0.4\n0.6\n0.9\n0.3\n")
    result = run(tmp_path / "map.json", tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.csv")
    assert result.stderr == "Note: 2 of 5 calibrated probabilities were clipped to [0, 1]\n"
    found = table(tmp_path / "o.csv").calibrated.astype(float)
    np.testing.assert_array_equal(found, np.clip(SHIFT([0.1, 0.4, 0.6, 0.9, 0.3]), 0, 1))
    assert (found.min(), found.max()) == (0.0, 1.0)


@pytest.mark.exhaustive
def test_many_rows_keep_their_order(tmp_path, map_file):
    """Enough rows for several threads, in both formats; the row's number tells where it was."""
    p = np.random.default_rng(0).random(100_000)
    pd.DataFrame({"row": np.arange(p.size), "p": p}).to_parquet(tmp_path / "a.parquet", row_group_size=10_000)
    assert run(map_file, tmp_path / "a.parquet", "--prob", "p", "-o", tmp_path / "b.csv").exit_code == 0
    again = ("--prob", "p", "--column", "again", "-o", tmp_path / "c.parquet")
    assert run(map_file, tmp_path / "b.csv", *again).exit_code == 0
    found = pd.read_parquet(tmp_path / "c.parquet")
    np.testing.assert_array_equal(found.row.astype(int), np.arange(p.size))
    np.testing.assert_array_equal(found.p.astype(float), p)
    np.testing.assert_array_equal(found.again, BETA(p))
    np.testing.assert_array_equal(found.calibrated.astype(float), BETA(p))


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("y,p\n1,0.5\n0,1.5\n", (), r"prob column 'p' must lie in \[0, 1\], got 1.5 at line 3"),
        ("y,p\n1,0.5\n0,\n1,inf\n", (), "prob column 'p' must be finite, got inf at line 4"),
        (
            "y,p\n1,0.5\n0,high\n",
            (),
            "must hold real numbers, got str values such as 'high' at line 3 .the header is line 1; 1 ",
        ),
        ("y,p\n1,0.5\n", ("--prob", "q"), "--prob must be given once, for a map of two classes; got p, q"),
        ("y,p\n1,0.5\n", ("--column", "Y"), "--column must not be a column of .* already, got 'y'"),
        ("y,calibrated,p\n1,0,0.5\n", (), "--column must not be a column of .* already, got 'calibrated'"),
        ("y,p\n1,0.5\n", ("--column", ""), "--column must be a name, got ''"),
        ("y,p\n1,0.5\n", ("-o", "o.xlsx"), "--output must end in one of .csv, .csv.gz, .* got o.xlsx"),
        (
            "y,p\n1,0.5\n",
            ("-o", "nowhere/o.csv"),
            "--output must be a file in a folder that exists",
        ),
        (None, (), "FILE must be an existing file"),
    ],
)
def test_refusals_leave_the_output_as_it_was(tmp_path, map_file, content, options, message):
    if content is not None:
        (tmp_path / "a.csv").write_text(content)
    (tmp_path / "o.csv").write_text("what was there")
    before = sorted(tmp_path.iterdir())
    output = () if "-o" in options else ("-o", tmp_path / "o.csv")
    error = refused(run(map_file, tmp_path / "a.csv", "--prob", "p", *output, *options))
    with pytest.raises(ValueError, match=message):
        raise ValueError(error)
    assert (tmp_path / "o.csv").read_text() == "what was there"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "MAP must be an existing file, got"),
        (b"", "MAP must be the JSON of a calibration map, got .*: text must be JSON"),
        (b"\xff\xfe", "MAP must be the JSON of a calibration map, got .*: 'utf-8' codec"),
        (b'{"schema": 3, "kind": "identity"}', "got 3, which a newer version of fitontest wrote"),
        (b'{"schema": 2, "kind": "os.system"}', "kind must be one of"),
        (
            b'{"schema": 2, "kind": "logit_knots", "x": [[100, 101]], "z": [[1e308, 0]], "eps": 1e-16}',
            "z must have lines whose values at the scores are finite",
        ),
    ],
)
def test_bad_maps(tmp_path, content, message):
    if content is not None:
        (tmp_path / "bad.json").write_bytes(content)
    (tmp_path / "a.csv").write_text("p\n0.9\n")
    error = refused(run(tmp_path / "bad.json", tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.csv"))
    with pytest.raises(ValueError, match=message):
        raise ValueError(error)
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize("link", [None, os.symlink, os.link])
def test_the_input_is_never_overwritten(tmp_path, map_file, link):
    (tmp_path / "a.csv").write_text("p\n0.5\n")
    output = tmp_path / "sub" / ".." / "a.csv"
    (tmp_path / "sub").mkdir()
    if link is not None:
        output = tmp_path / "other.csv"
        link(tmp_path / "a.csv", output)
    error = refused(run(map_file, tmp_path / "a.csv", "--prob", "p", "-o", output))
    assert "--output must be another file than FILE" in error
    assert (tmp_path / "a.csv").read_text() == "p\n0.5\n"


def test_the_map_is_never_overwritten(tmp_path):
    (tmp_path / "map.csv").write_text(BETA.to_json())
    (tmp_path / "a.csv").write_text("p\n0.5\n")
    error = refused(run(tmp_path / "map.csv", tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "map.csv"))
    assert "--output must be another file than MAP" in error


def test_a_folder_in_the_place_of_the_output_is_one_clear_line(tmp_path, map_file):
    (tmp_path / "a.csv").write_text("p\n0.5\n")
    (tmp_path / "o.csv").mkdir()
    before = sorted(tmp_path.iterdir())
    refused(run(map_file, tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.csv"))
    assert sorted(tmp_path.iterdir()) == before


def test_an_output_that_exists_is_replaced(tmp_path, map_file):
    (tmp_path / "a.csv").write_text("p\n0.5\n")
    (tmp_path / "o.csv").write_text("longer than what comes now\n" * 100)
    assert run(map_file, tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.csv").exit_code == 0
    assert (tmp_path / "o.csv").read_text().startswith("p,calibrated\n0.5,")


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_rows_and_values_must_be_equally_many(tmp_path, rows):
    """The file may have changed between the reading of the scores and the writing of the table."""
    (tmp_path / "a.csv").write_text("p\n0.5\n0.25\n")
    with pytest.raises(ValueError, match=f"the file must have {rows} rows, as many as values"):
        append_columns(tmp_path / "a.csv", tmp_path / "o.csv", ("c",), np.zeros((rows, 1)))


def test_lines_before_the_header_are_not_dropped_without_a_word(tmp_path, map_file):
    (tmp_path / "a.csv").write_text("# exported\n# by someone\np,q\n.2,1\n.3,2\n")
    result = run(map_file, tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.csv")
    assert result.exit_code == 2
    assert "with 2 lines before it" in result.stderr
    assert not (tmp_path / "o.csv").exists()


def test_a_link_stays_a_link(tmp_path, map_file):
    (tmp_path / "a.csv").write_text("p\n0.5\n")
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    assert run(map_file, tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "link.csv").exit_code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("p,calibrated")


def test_a_folder_is_no_output(tmp_path, map_file):
    (tmp_path / "a.csv").write_text("p\n0.5\n")
    (tmp_path / "folder.csv").mkdir()
    result = run(map_file, tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "folder.csv")
    assert result.exit_code == 2
    assert "--output must be a file in a folder that exists" in result.stderr


def test_what_cannot_be_written_is_an_os_error(tmp_path):
    (tmp_path / "a.csv").write_text("p\n0.5\n")
    with pytest.raises(OSError, match=r"the new table cannot be written: .*No such file"):
        append_columns(tmp_path / "a.csv", tmp_path / "nowhere" / "o.csv", ("c",), np.zeros((1, 1)))


@pytest.mark.parametrize(
    "content",
    [
        "c,p,d\n-0,0.25,#c\n-0,1e-3,#c\n-0,1e-3,-0\n#c,1,#c\n",  # no comments
        "p,c\n0.5,'q'\n",  # no quotes
        "p,'c'\n0.5,'q'\n",
        '"c";"p"\n' + '" .\'11";"0.25"\n' * 10,  # no escapes
        '"c";"d";"p"\n' + '"11\\  ";"C:\\ ";"0.25"\n' * 10,
        '"c","p"\n"say \\"hi\\"","0.5"\n"a","1"\n',  # escapes, as databases write them
    ],
)
def test_no_text_is_taken_for_a_comment_or_a_quote(tmp_path, map_file, content):
    """Left to guess the dialect, DuckDB drops rows that begin with #, and single quotes around texts."""
    (tmp_path / "a.csv").write_text(content)
    assert run(map_file, tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.csv").exit_code == 0
    escape = {"escapechar": "\\", "doublequote": False} if '\\"hi' in content else {}
    expected = list(csv.reader(content.splitlines(), delimiter=";" if ";" in content else ",", **escape))
    assert [row[:-1] for row in csv.reader(text_of(tmp_path / "o.csv").splitlines())] == expected


def test_single_quotes_around_names_are_text_in_parquet_too(tmp_path, map_file):
    (tmp_path / "a.csv").write_text("p,'c'\n0.5,'q'\n")
    assert run(map_file, tmp_path / "a.csv", "--prob", "p", "-o", tmp_path / "o.parquet").exit_code == 0
    assert list(pd.read_parquet(tmp_path / "o.parquet")) == ["p", "'c'", "calibrated"]


def test_no_row_is_taken_for_a_comment_by_other_commands(tmp_path):
    (tmp_path / "a.csv").write_text("c,p,y,d\n-0,0.25,1,#c\n-0,1e-3,0,#c\n-0,1e-3,1,-0\n#c,1,0,#c\n")
    options = ("--label", "y", "--prob", "p", "--family", "flat", "--null-draws", "0")
    found = CliRunner().invoke(main, ["evaluate", str(tmp_path / "a.csv"), *options])
    assert "n = 4" in found.stdout


@pytest.mark.exhaustive
def test_a_map_of_several_classes_writes_a_column_for_each(tmp_path):
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), 40)
    family = fot.families.make("vector").fit(P, rng.integers(0, 3, 40))
    (tmp_path / "map.json").write_text(family.map_.for_classes(None).to_json())  # which knows no classes
    frame = pd.DataFrame(P, columns=["a", "b", "c"])
    for ending in (".csv", ".parquet"):
        source = tmp_path / f"scores{ending}"
        frame.to_csv(source, index=False) if ending == ".csv" else frame.to_parquet(source)
        for target in (tmp_path / "new.csv", tmp_path / "new.parquet"):
            columns = ("--prob", "a", "--prob", "b", "--prob", "c")
            result = run(tmp_path / "map.json", source, *columns, "-o", target)
            assert result.exit_code == 0, result.stderr
            assert (
                "40 rows, calibrated probabilities in columns calibrated_a, calibrated_b, calibrated_c" in result.stdout
            )
            new = read_numbers(target, ["calibrated_a", "calibrated_b", "calibrated_c"])
            np.testing.assert_array_equal(new, family.map_.evaluate(P))
    too_few = run(tmp_path / "map.json", source, "--prob", "a", "-o", tmp_path / "no.csv")
    assert "--prob must be given for each class of the map, once; got a" in too_few.stderr
    two = run(tmp_path / "map.json", source, "--prob", "a", "--prob", "b", "-o", tmp_path / "no.csv")
    assert two.exit_code == 2


@pytest.fixture
def of_animals(tmp_path):
    """A map of three classes that knows them, and a file with a column for each."""
    P = np.random.default_rng(0).dirichlet(np.ones(3), 60)
    family = fot.families.make("vector").fit(P, ["cat", "dog", "eel"] * 20)
    (tmp_path / "map.json").write_text(family.map_.to_json())
    pd.DataFrame(P, columns=["p1", "p2", "p3"]).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame(P, columns=["dog", "cat", "eel"]).to_csv(tmp_path / "named.csv", index=False)
    return tmp_path / "map.json", family.map_.evaluate(P)


def each(*columns):
    return [word for column in columns for word in ("--prob", column)]


def test_the_classes_of_a_map_name_the_new_columns(of_animals, tmp_path):
    map_file, expected = of_animals
    given = each("p1", "p2", "p3")
    for classes in ((), ("--labels", "cat,dog,eel")):
        result = run(map_file, tmp_path / "a.csv", *given, *classes, "-o", tmp_path / "o.csv")
        assert result.exit_code == 0, result.stderr
        new = read_numbers(tmp_path / "o.csv", ["calibrated_cat", "calibrated_dog", "calibrated_eel"])
        np.testing.assert_array_equal(new, expected)
    c_hat = fot.maps.MulticlassMap.from_json(map_file.read_text())
    (tmp_path / "any.json").write_text(c_hat.for_classes(None).to_json())
    result = run(tmp_path / "any.json", tmp_path / "a.csv", *given, "--labels", "x,y,z", "-o", tmp_path / "o.csv")
    assert "calibrated_x, calibrated_y, calibrated_z" in result.stdout


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("a.csv", (*each("p1", "p2", "p3"), "--labels", "dog,cat,eel"), "in their order, cat, dog, eel; got dog,cat"),
        ("a.csv", (*each("p1", "p2", "p3"), "--labels", "cat,dog,fox"), "--labels must be those that MAP was fitted"),
        ("a.csv", (*each("p1", "p2", "p3"), "--labels", "cat,dog"), "a class for each of the 3 --prob columns"),
        ("a.csv", each("p1", "p2"), "--prob must be given for each class of the map, cat, dog, eel; got p1, p2"),
        ("named.csv", each("dog", "cat", "eel"), "--prob must have its columns in the order of the classes"),
    ],
)
def test_columns_of_other_classes_are_refused(of_animals, tmp_path, file, options, message):
    map_file, _ = of_animals
    assert message in refused(run(map_file, tmp_path / file, *options, "-o", tmp_path / "o.csv"))


def test_a_map_of_two_classes_takes_no_classes(map_file, scores, tmp_path):
    source = write(scores, tmp_path / "a.csv")
    error = refused(run(map_file, source, "--prob", "p", "--labels", "a,b", "-o", tmp_path / "o.csv"))
    assert "--labels must be left out for a map of two classes, got a,b" in error
