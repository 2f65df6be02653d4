"""What tests ask of the release of scikit-learn."""

import pytest
import sklearn

SKLEARN = tuple(map(int, sklearn.__version__.split(".")[:2]))

# Trees of older releases put rows with missing features elsewhere than the splits that they tell.
trees_tell_of_missing = pytest.mark.skipif(SKLEARN < (1, 8), reason="needs the trees of scikit-learn 1.8")

# Folds and classifiers of older releases are others, so that the pages, which show numbers of newer ones, differ.
NUMBERS_OF_PAGES = SKLEARN >= (1, 8)
