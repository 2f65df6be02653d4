"""What tests ask of the release of scikit-learn."""

import pytest
import sklearn

from fitontest.segments.repair.trees.base import TAKES_MISSING

SKLEARN = tuple(map(int, sklearn.__version__.split(".")[:2]))

trees_tell_of_missing = pytest.mark.skipif(not TAKES_MISSING, reason="needs the trees of scikit-learn 1.8")

# Folds and classifiers of older releases are others, so that the pages, which show numbers of newer ones, differ.
NUMBERS_OF_PAGES = SKLEARN >= (1, 8)
