"""Parses JSON of the service into frozen dataclasses, by their fields.

A field ``as_of`` is ``asOf`` in JSON. Unknown fields are ignored, since responses may grow. A missing field takes
its default, if it has one.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, TypeVar, Union, get_args, get_origin

T = TypeVar("T")
Make = Callable[[Any], Any]

WITH: Final = "hm_gateway_client.with"
"""Key in the metadata of a field: a function that parses its value from the whole object."""


def made_by(make: Callable[[Mapping[str, Any]], Any]) -> dict[str, Any]:
    """Metadata of a field that is parsed from the whole object."""
    return {WITH: make}


@cache
def maker_of(kind: type[T]) -> Callable[[Any], T]:
    """Returns the function that parses JSON into a dataclass, always the same one for a class.

    It raises KeyError for a field that is missing, and TypeError for one of another type.
    """
    hints = typing.get_type_hints(kind, vars(sys.modules[kind.__module__]))
    fields = dataclasses.fields(_checked(kind))
    makers = [(field, _json_name(field.name), _of_field(field, hints[field.name])) for field in fields]

    def make(json: Any) -> T:
        values: dict[str, Any] = {}
        fields_in = _object(json)
        for field, name, make_value in makers:
            if WITH in field.metadata:
                values[field.name] = make_value(fields_in)
            elif name in fields_in:
                values[field.name] = make_value(fields_in[name])
            elif field.default is dataclasses.MISSING:
                raise KeyError(name)
        return kind(**values)

    return make


def _checked(kind: type[T]) -> Any:
    if not dataclasses.is_dataclass(kind):
        raise TypeError(f"{kind} is no dataclass.")
    return kind


def _of_field(field: dataclasses.Field[Any], hint: Any) -> Make:
    made: Make | None = field.metadata.get(WITH)
    return _make(hint) if made is None else made


def _json_name(name: str) -> str:
    """The name in JSON: ``as_of`` is ``asOf``; ``from_`` and ``class_`` lose the mark of Python's keywords."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name.rstrip("_"))


def _make(hint: Any) -> Make:
    if hint is Any:
        return _any
    arguments = get_args(hint)
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        (kind,) = (argument for argument in arguments if argument is not type(None))
        inner = _make(kind)
        return lambda json: None if json is None else inner(json)
    if origin is tuple:
        element = _make(arguments[0])
        return lambda json: tuple(element(item) for item in _list(json))
    if dataclasses.is_dataclass(hint):
        return _later(hint)
    if hint in (str, bool, int, float):
        return lambda json: _plain(hint, json)
    if origin is not None and issubclass(origin, Mapping):
        return _object
    raise TypeError(f"{hint} is no shape of JSON.")


def _later(kind: Any) -> Make:
    """Parses a dataclass, whose fields are read at the first call: a type may contain itself, as Cause does."""

    def make(json: Any) -> Any:
        return maker_of(kind)(json)

    return make


def _any(json: Any) -> Any:
    return json


def _plain(kind: type, json: Any) -> Any:
    if kind is float and isinstance(json, int) and not isinstance(json, bool):
        return json
    if not isinstance(json, kind) or (isinstance(json, bool) and kind is not bool):
        raise TypeError(f"{json!r} is not {kind.__name__}.")
    return json


def _object(json: Any) -> Any:
    if not isinstance(json, Mapping):
        raise TypeError(f"{json!r} is no object.")
    return json


def _list(json: Any) -> Any:
    if not isinstance(json, list):
        raise TypeError(f"{json!r} is no list.")
    return json
