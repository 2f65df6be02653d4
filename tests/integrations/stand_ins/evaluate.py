"""Hugging Face evaluate, after https://huggingface.co/docs/evaluate/creating_and_sharing, and types of datasets.

`_info` names the columns and their types, `add_batch` takes some rows of each, and `compute` gives all rows as lists
to `_compute`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

VERSION = "0.4.6"
MODULES = {"evaluate": ["Metric", "MetricInfo"], "datasets": ["Features", "Value"]}


@dataclass
class Value:
    dtype: str


class Features(dict):
    pass


@dataclass(kw_only=True)
class MetricInfo:
    description: str
    citation: str
    inputs_description: str
    features: Features


class Metric(ABC):
    def __init__(self):
        self.info = self._info()
        self.rows = {name: [] for name in self.info.features}

    def add_batch(self, **columns):
        assert columns.keys() == self.rows.keys()
        assert len({len(column) for column in columns.values()}) == 1
        for name, column in columns.items():
            self.rows[name] += np.asarray(column, self.info.features[name].dtype).tolist()

    def compute(self):
        rows, self.rows = self.rows, {name: [] for name in self.rows}
        return self._compute(**rows)

    @abstractmethod
    def _info(self): ...

    @abstractmethod
    def _compute(self, *, predictions, references): ...
