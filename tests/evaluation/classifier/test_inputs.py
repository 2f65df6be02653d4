"""Inputs of every kind reach the estimator as they are, row by row."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fitontest.data.arrays import take_rows
from fitontest.evaluation.classifier.calibrated import CalibratedClassifier
from tests.evaluation.classifier.problems import problem, weights

X, Y = problem(90, classes=3)
W = weights(90) + 1
EXPECTED = {
    ensemble: CalibratedClassifier(GaussianNB(), "isotonic", 3, ensemble=ensemble).fit(X, Y, W).predict_proba(X)
    for ensemble in (True, False)
}
FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


def native(kind, values):
    """Return a column or a matrix as a library has it."""
    values = np.asarray(values)
    if kind == "list":
        return values.tolist()
    library = pytest.importorskip(kind)
    columns = {f"x{j}": column for j, column in enumerate(np.atleast_2d(values.T))}
    if kind == "pandas":  # with an index that is no position
        index = np.arange(values.shape[0])[::-1] + 100
        return library.Series(values, index=index) if values.ndim == 1 else library.DataFrame(columns, index=index)
    if kind == "polars":
        return library.Series(values) if values.ndim == 1 else library.DataFrame(columns)
    return library.chunked_array([values]) if values.ndim == 1 else library.table(columns)


@pytest.mark.parametrize("kind", ["list", "pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("ensemble", [True, False])
def test_tables_and_columns(kind, ensemble):
    calibrated = CalibratedClassifier(GaussianNB(), "isotonic", 3, ensemble=ensemble)
    table = native(kind, X)
    calibrated.fit(table, native(kind, Y), native(kind, W))
    np.testing.assert_allclose(calibrated.predict_proba(table), EXPECTED[ensemble], rtol=0, atol=1e-12)
    alone = vars(GaussianNB().fit(table, Y))
    assert calibrated.n_features_in_ == 4
    assert list(vars(calibrated).get("feature_names_in_", [])) == list(alone.get("feature_names_in_", []))
    if kind == "pandas":
        assert list(calibrated.feature_names_in_) == ["x0", "x1", "x2", "x3"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_sparse(form, kind):
    counts = np.round(np.abs(X))
    made = getattr(sparse, f"{form}_{kind}")(counts)
    dense = CalibratedClassifier(MultinomialNB(), "isotonic", 3).fit(counts, Y)
    found = CalibratedClassifier(MultinomialNB(), "isotonic", 3).fit(made, Y)
    np.testing.assert_allclose(found.predict_proba(made), dense.predict_proba(counts), rtol=0, atol=1e-9)


def test_columns_of_several_types():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"number": X[:, 0], "word": np.array(["a", "b", "c"])[Y], "left out": X[:, 2]})
    frame.loc[::3, "word"] = "b"
    columns = ColumnTransformer([("n", StandardScaler(), ["number"]), ("w", OneHotEncoder(), ["word"])])
    pipeline = make_pipeline(columns, LogisticRegression())
    found = CalibratedClassifier(pipeline, "isotonic", 3).fit(frame, Y)
    assert found.score(frame, Y) > 0.6
    assert list(found.feature_names_in_) == ["number", "word", "left out"]


@pytest.mark.parametrize("kind", [list, tuple, np.array], ids=["list", "tuple", "array"])
def test_texts(kind):
    words = np.array(["the sea is blue", "the sun is red", "a tree is green"])
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.permutation(words[label].split())[: rng.integers(1, 4)]) for label in Y]
    pipeline = make_pipeline(CountVectorizer(), MultinomialNB())
    found = CalibratedClassifier(pipeline, "isotonic", 3).fit(kind(texts), Y)
    assert found.score(texts, Y) > 0.6
    assert found.predict_proba(["the blue sea"]).shape == (1, 3)


ORDER = np.array([2, 0, 2])


@pytest.mark.parametrize("kind", ["list", "pandas", "polars", "pyarrow"])
def test_rows_of_tables_and_columns(kind):
    table = native(kind, X)
    taken = take_rows(table, ORDER)
    assert type(taken) is type(table)
    np.testing.assert_array_equal(np.asarray(taken), X[ORDER])
    column = take_rows(native(kind, Y), ORDER)
    assert type(column) is type(native(kind, Y))
    np.testing.assert_array_equal(np.asarray(column), Y[ORDER])


def test_rows_of_frames_with_odd_names_keep_everything():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1, "a"], [2, "b"], [3, "c"]], columns=["twin", "twin"], index=["i", "j", "k"])
    taken = take_rows(frame, ORDER)
    assert taken.equals(frame.loc[["k", "i", "k"]])


def test_rows_of_arrow_arrays():
    pa = pytest.importorskip("pyarrow")
    assert take_rows(pa.array([5, 6, 7]), ORDER).to_pylist() == [7, 5, 7]


@pytest.mark.parametrize("form", FORMATS)
def test_rows_of_sparse_matrices(form):
    made = getattr(sparse, f"{form}_array")(X)
    np.testing.assert_array_equal(take_rows(made, ORDER).toarray(), X[ORDER])


def test_rows_of_sequences_and_arrays():
    assert take_rows(("a", "b", "c"), ORDER) == ["c", "a", "c"]
    np.testing.assert_array_equal(take_rows(X.reshape(90, 2, 2), ORDER), X.reshape(90, 2, 2)[ORDER])
