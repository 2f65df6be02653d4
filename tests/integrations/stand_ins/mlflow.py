"""MLflow, after https://mlflow.org/docs/latest/ml/evaluation/ and the reference of mlflow.models and mlflow.metrics.

`evaluate` of a frame calls each metric with the columns of predictions and targets; what it returns is a number, or a
`MetricValue` of several, each of which becomes a metric "name/result". A threshold of a metric of which less is better
is kept by values up to it, else by values from it on. Artifacts are files of a run.
"""

import json
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace

VERSION = "3.18.0"
MODULES = {
    "mlflow": [
        "artifacts",
        "log_dict",
        "log_figure",
        "log_text",
        "set_tracking_uri",
        "start_run",
        "validate_evaluation_results",
    ],
    "mlflow.metrics": ["MetricValue", "make_metric"],
    "mlflow.models": ["MetricThreshold", "evaluate"],
    "mlflow.models.evaluation": [],
    "mlflow.models.evaluation.validation": ["ModelValidationFailedException"],
}
runs: list[SimpleNamespace] = []


def set_tracking_uri(uri):
    assert uri.startswith("sqlite:///")


@contextmanager
def start_run():
    runs.append(SimpleNamespace(info=SimpleNamespace(run_id=len(runs)), files={}))
    yield runs[-1]


def log_text(text, artifact_file):
    runs[-1].files[artifact_file] = text.encode()


def log_dict(dictionary, artifact_file):
    log_text(json.dumps(dictionary), artifact_file)


def log_figure(figure, artifact_file):
    figure.savefig(artifact_file)
    runs[-1].files[artifact_file] = figure


def list_artifacts(*, run_id):
    return [SimpleNamespace(path=path) for path in runs[run_id].files]


artifacts = SimpleNamespace(list_artifacts=list_artifacts)


@dataclass
class MetricValue:
    aggregate_results: dict[str, float]


def make_metric(*, eval_fn, greater_is_better):
    return SimpleNamespace(eval_fn=eval_fn, name=eval_fn.__name__, greater_is_better=greater_is_better)


def evaluate(*, data, predictions, targets, extra_metrics):
    found = {}
    for metric in extra_metrics:
        value = metric.eval_fn(data[predictions], data[targets], {})
        if isinstance(value, MetricValue):
            found |= {f"{metric.name}/{name}": result for name, result in value.aggregate_results.items()}
        else:
            found[metric.name] = value
    return SimpleNamespace(metrics=found)


@dataclass
class MetricThreshold:
    threshold: float
    greater_is_better: bool


class ModelValidationFailedException(Exception):  # noqa: N818, the name is theirs
    pass


def validate_evaluation_results(validation_thresholds, candidate_result):
    for name, limit in validation_thresholds.items():
        value = candidate_result.metrics[name]
        kept = value >= limit.threshold if limit.greater_is_better else value <= limit.threshold
        if not kept:
            raise ModelValidationFailedException(name)
