"""The state of a monitor as JSON-ready values and back: what is read makes the next record bit by bit as before."""

from dataclasses import fields
from datetime import date, datetime
from importlib.metadata import version
from typing import Any

from fitontest.monitor.batches.layout import Layout
from fitontest.monitor.batches.seen_groups import Digests, digests_of_text, text_of_digests
from fitontest.monitor.nulls.hypothesis import null_of
from fitontest.monitor.nulls.rates import Null
from fitontest.monitor.process import Process
from fitontest.monitor.settings import Settings, read_families, read_fraction, read_run_length
from fitontest.monitor.state import Life, MonitorState, Seen
from fitontest.monitor.stored.process import process_of_dict, process_to_dict
from fitontest.monitor.stored.records import columns_of_records, records_of_columns
from fitontest.monitor.stored.values import (
    Reader,
    optional,
    read_each,
    read_mapping,
    read_number,
    read_object,
    read_plain,
    read_text,
)
from fitontest.results.checks import as_plain, brief, choose, is_whole

SCHEMA = 1
KIND = "monitor"
STATE = "state"  # what messages call the values
KEYS = ("schema", "kind", "version", "settings", "together", "segments", "log_es", "seen", "groups", "lives")
DATE, TIME = "date", "time"
MOMENTS: dict[str, type[date]] = {DATE: date, TIME: datetime}
SEEN = tuple(field.name for field in fields(Seen))
OF_SETTINGS: dict[str, Reader] = {
    "alpha": read_fraction,
    "max_error": optional(read_fraction),
    "run_length": read_run_length,
    "share": read_fraction,
}


def state_to_dict(state: MonitorState) -> dict[str, Any]:
    """Return the state as JSON-ready values, with the version of this package as information."""
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "version": version("fitontest"),
        "settings": _settings_to_dict(state.settings),
        "together": process_to_dict(state.together),
        "segments": [
            {"key": _plain_key(key), "prior": state.priors[key], "process": process_to_dict(process)}
            for key, process in state.segments.items()
        ],
        "log_es": list(state.log_es),
        "seen": {name: [getattr(each, name) for each in state.seen] for name in SEEN},
        "groups": text_of_digests(state.groups),
        "lives": [{"records": columns_of_records(life.records), "log_es": list(life.log_es)} for life in state.lives],
    }


def state_of_dict(values: object) -> MonitorState:
    """Return the state of values that `state_to_dict` returned, or refuse them.

    Raises
    ------
    ValueError
        Values of something else, of another schema, with a key too many or missing, or a number that cannot be; a
        family or a kind of bettor that is not registered.
    """
    _check_kind(values)
    held = read_object(values, KEYS, STATE)
    read_text(held["version"], "version")
    settings = _settings_of_dict(held["settings"], "settings")
    segments = read_each(held["segments"], lambda each, at: _segment_of_dict(each, settings, at), "segments")
    together = process_of_dict(held["together"], settings, "together")
    if len({key for key, _, _ in segments}) < len(segments):
        raise ValueError("segments must have each key once")
    return MonitorState(
        settings=settings,
        together=together,
        segments={key: process for key, _, process in segments},
        priors={key: prior for key, prior, _ in segments},
        log_es=tuple(read_each(held["log_es"], read_number, "log_es", len(together.records))),
        seen=_seen_of_columns(held["seen"], "seen"),
        groups=_groups_of_text(held["groups"], "groups"),
        lives=tuple(read_each(held["lives"], _life_of_dict, "lives")),
    )


def _check_kind(values: object) -> None:
    """Refuse what is no state of a monitor, or of another schema, before anything else is said of it."""
    if not isinstance(values, dict) or values.get("kind") != KIND:
        got = brief(sorted(map(str, values))) if isinstance(values, dict) else brief(values)
        raise ValueError(f'{STATE} must be that of a monitor, with "kind": "{KIND}"; got {got}')
    if not is_whole(values.get("schema")) or values["schema"] != SCHEMA:
        written = f"written by version {brief(values.get('version'))}"
        raise ValueError(f"schema must be {SCHEMA}, got {brief(values.get('schema'))}, {written}")


def _settings_to_dict(settings: Settings) -> dict[str, Any]:
    values = dict(vars(settings))
    layout = settings.layout.to_dict()
    return {**values, "null": settings.null.to_dict(), "families": dict(settings.families), "layout": layout}


def _settings_of_dict(values: object, place: str) -> Settings:
    names = [field.name for field in fields(Settings)]
    held = dict(read_object(values, names, place))
    # a family of another package, or of the user's own, must be registered first
    families = read_families(read_mapping(held.pop("families"), read_number, f"{place}.families"))
    null = _null_of(held.pop("null"), f"{place}.null")
    layout = _layout_of(held.pop("layout"), f"{place}.layout")
    for name, value in held.items():
        reader: Reader = OF_SETTINGS.get(name, read_plain)
        held[name] = reader(value, f"{place}.{name}")
    return Settings(null=null, families=families, layout=layout, **held)


def _null_of(values: object, place: str) -> Null:
    """Return the hypothesis, or refuse what it is not written as."""
    held = read_mapping(values, lambda each, _: each, place)
    try:
        null = null_of(held)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{place} must be a hypothesis: {error}") from error
    if null.to_dict() != held:
        raise ValueError(f"{place} must be a hypothesis of kind {held['null']!r}, got {brief(held)}")
    return null


def _layout_of(values: object, place: str) -> Layout:
    held = read_object(values, [field.name for field in fields(Layout)], place)
    try:
        return Layout.from_dict(held)
    except ValueError as error:
        raise ValueError(f"{place} must be that of a monitor: {error}") from error


def _groups_of_text(text: object, place: str) -> Digests:
    try:
        return digests_of_text(read_text(text, place))
    except ValueError as error:
        raise ValueError(f"{place} {error}") from error


def _segment_of_dict(values: object, settings: Settings, place: str) -> tuple[Any, float, Process]:
    held = read_object(values, ("key", "prior", "process"), place)
    process = process_of_dict(held["process"], settings, f"{place}.process")
    return _key_of_plain(held["key"], f"{place}.key"), read_fraction(held["prior"], f"{place}.prior"), process


def _plain_key(key: Any) -> Any:
    """Return what a segment is called as JSON can hold it: a text, a number, a boolean or a date, or several of them.

    A date or time is its ISO text under the name of its kind, so that it is no text when it is read back.
    """
    if isinstance(key, tuple):
        return [_plain_key(each) for each in key]
    plain = as_plain(key)
    if isinstance(plain, date):  # a datetime is one, too
        return {TIME if isinstance(plain, datetime) else DATE: plain.isoformat()}
    if not isinstance(plain, str | int | float | bool):
        raise ValueError(
            "segments must be called by texts, numbers, booleans, dates or times to be written as JSON, got "
            f"{brief(plain)}"
        )
    return plain


def _key_of_plain(value: Any, place: str) -> Any:
    if isinstance(value, list):
        return tuple(_key_of_plain(each, f"{place}[{k}]") for k, each in enumerate(value))
    if value is None:
        raise ValueError(f"{place} must be a text, a number, a boolean, a date or a list of these; got None")
    return _moment_of(value, place) if isinstance(value, dict) else read_plain(value, place)


def _moment_of(value: dict[str, Any], place: str) -> date:
    """Return a date or a time, of its ISO text under the name of its kind."""
    kind = choose(next(iter(value), None), tuple(MOMENTS), f"{place}, of the keys of a moment,")
    try:
        return MOMENTS[kind].fromisoformat(read_text(read_object(value, (kind,), place)[kind], place))
    except ValueError as error:
        raise ValueError(f"{place} must be a {kind} as ISO text, got {brief(value)}") from error


def _seen_of_columns(columns: object, place: str) -> tuple[Seen, ...]:
    held = read_object(columns, SEEN, place)
    names = read_each(held["name"], read_text, f"{place}.name")
    each = {
        name: read_each(held[name], optional(read_text) if name == "time" else read_text, f"{place}.{name}", len(names))
        for name in SEEN
    }
    return tuple(Seen(**{name: column[k] for name, column in each.items()}) for k in range(len(names)))


def _life_of_dict(values: object, place: str) -> Life:
    held = read_object(values, ("records", "log_es"), place)
    records = records_of_columns(held["records"], f"{place}.records")
    return Life(records, tuple(read_each(held["log_es"], read_number, f"{place}.log_es", len(records))))
