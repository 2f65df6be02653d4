"""lm-evaluation-harness, after docs/new_task_guide.md, task_guide.md and model_guide.md, and a data set.

A task of multiple choice asks the model for the log-likelihood of each choice of each document, in order, and gives
them to `process_results`; the value of each metric goes with those of the other documents to its aggregation,
registered under its name.
"""

from abc import ABC, abstractmethod
from types import SimpleNamespace

import numpy as np

VERSION = "0.4.13"
MODULES = {
    "datasets": ["Dataset"],
    "lm_eval": ["simple_evaluate"],
    "lm_eval.api": [],
    "lm_eval.api.model": ["LM"],
    "lm_eval.api.registry": ["register_aggregation", "register_metric"],
    "lm_eval.api.task": ["ConfigurableTask"],
}
aggregations = {"mean": np.mean}
aggregation_of = {"acc": np.mean}


class Dataset(list):
    @classmethod
    def from_list(cls, rows):
        return cls(rows)


def register_aggregation(name):
    def enter(function):
        aggregations[name] = function
        return function

    return enter


def register_metric(*, metric, higher_is_better, output_type, aggregation):
    def enter(function):
        aggregation_of[metric] = aggregations[aggregation]
        return function

    return enter


class LM(ABC):
    @abstractmethod
    def loglikelihood(self, requests): ...

    @abstractmethod
    def loglikelihood_rolling(self, requests): ...

    @abstractmethod
    def generate_until(self, requests): ...


class ConfigurableTask:
    def __init__(self, *, config):
        assert config["output_type"] == "multiple_choice"
        self.config = SimpleNamespace(**config)
        self.docs = self.config.custom_dataset()[self.config.test_split]

    def requests(self, doc):
        text = doc[self.config.doc_to_text]
        choices = enumerate(self.config.doc_to_choice)
        return [SimpleNamespace(args=(text, f" {choice}"), doc=doc, idx=place) for place, choice in choices]


def simple_evaluate(model, *, tasks):
    return {"results": {task.config.task: results(model, task) for task in tasks}}


def results(model, task):
    of_documents = [task.config.process_results(doc, model.loglikelihood(task.requests(doc))) for doc in task.docs]
    metrics = [one["metric"] for one in task.config.metric_list]
    return {f"{name},none": aggregation_of[name]([one[name] for one in of_documents]) for name in metrics}
