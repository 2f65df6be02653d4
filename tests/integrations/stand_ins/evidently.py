"""evidently, after https://docs.evidentlyai.com/metrics/customize_metric and .../docs/library/tests.

A metric is a configuration, with a field for each annotation and tests; its calculation, which names the metric in
brackets, is called with the current data and those of reference. A report runs both, then the tests of the value.
"""

from enum import Enum
from pathlib import Path
from types import SimpleNamespace

VERSION = "0.7.23"
MODULES = {
    "evidently": ["Report"],
    "evidently.core": [],
    "evidently.core.metric_types": ["SingleValueCalculation", "SingleValueMetric"],
    "evidently.legacy": [],
    "evidently.legacy.renderers": [],
    "evidently.legacy.renderers.html_widgets": ["text_widget"],
    "evidently.tests": ["lte"],
}


class TestStatus(Enum):
    __test__ = False  # not of pytest
    SUCCESS = "SUCCESS"
    FAIL = "FAIL"


def lte(limit):
    return lambda value: TestStatus.SUCCESS if value <= limit else TestStatus.FAIL


def text_widget(*, text, title=""):
    return f"{title}\n{text}\n"


class SingleValueMetric:
    def __init__(self, *, tests=(), **fields):
        assert fields.keys() == type(self).__annotations__.keys()
        self.__dict__.update(fields, tests=tests)


class SingleValueCalculation:
    def __class_getitem__(cls, metric):
        return type(f"CalculationOf{metric.__name__}", (cls,), {"of": metric})

    def __init_subclass__(cls):
        cls.of.calculation = cls

    def __init__(self, metric):
        self.metric = metric

    def result(self, value):
        return SimpleNamespace(value=value, display_name=self.display_name(), widget=[])


class Data:
    def __init__(self, frame):
        self.frame = frame

    def column(self, name):
        return SimpleNamespace(data=self.frame[name])


class Report:
    def __init__(self, metrics):
        self.metrics = metrics

    def run(self, current_data, reference_data):
        given = [None if frame is None else Data(frame) for frame in (current_data, reference_data)]
        return Snapshot([(one, one.calculation(one).calculate(None, *given)) for one in self.metrics])


class Snapshot:
    def __init__(self, results):
        self.results = results

    def dict(self):
        metrics = [{"value": result.value} for _, result in self.results]
        tests = [{"status": test(result.value)} for metric, result in self.results for test in metric.tests]
        return {"metrics": metrics, "tests": tests}

    def save_html(self, filename):
        Path(filename).write_text("".join(widget for _, result in self.results for widget in result.widget))
