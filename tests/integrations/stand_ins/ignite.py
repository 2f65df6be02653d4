"""PyTorch Ignite, after https://docs.pytorch.org/ignite/metrics.html and .../distributed.html, and calls of torch.

A metric that is attached to an engine is reset when an epoch starts, updated with the output of each iteration, and
computed when the epoch ends, into ``state.metrics``. One process: `all_gather` returns a list of what it was given.
"""

from abc import ABC, abstractmethod
from types import SimpleNamespace
from typing import Any

import numpy as np

VERSION = "0.5.5"
MODULES = {
    "torch": ["Tensor", "from_numpy", "sigmoid"],
    "ignite": [],
    "ignite.distributed": ["all_gather"],
    "ignite.engine": ["Engine"],
    "ignite.metrics": ["Metric"],
}


class Tensor(np.ndarray):
    def detach(self):
        return self

    def cpu(self):
        return self

    def double(self):
        return self.astype(np.float64)


def from_numpy(values):
    return values.view(Tensor)


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def all_gather(value: Any):
    return [value]


class Engine:
    def __init__(self, process_function):
        self.process_function = process_function
        self.attached = {}

    def run(self, data):
        for metric in self.attached.values():
            metric.reset()
        for batch in data:
            output = self.process_function(self, batch)
            for metric in self.attached.values():
                metric.update(metric.output_transform(output))
        return SimpleNamespace(metrics={name: metric.compute() for name, metric in self.attached.items()})


class Metric(ABC):
    def __init__(self, output_transform=lambda output: output):
        self.output_transform = output_transform
        self.reset()

    def attach(self, engine, name):
        engine.attached[name] = self

    @abstractmethod
    def reset(self): ...

    @abstractmethod
    def update(self, output): ...

    @abstractmethod
    def compute(self): ...
