"""`usl_core.records.dataclass` makes what the standard library's does."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import typing
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, replace
from typing import Any, ClassVar

import pytest

from usl_core import records

OF: dict[str, Callable[..., Any]] = {"here": records.dataclass, "standard": dataclasses.dataclass}


def family(dataclass: Callable[..., Any]) -> dict[str, type]:
    """Classes with each thing that a class may have, made by one decorator."""

    @dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, kw_only=True)
    class Base:
        span: int = field(default=7, repr=False)
        memo: list[int] | None = field(default=None, init=False, repr=False)

    @dataclass(frozen=True, slots=True, eq=False)
    class Identical(Base):
        name: str
        parts: tuple[int, ...] = ()

    @dataclass(frozen=True, slots=True)
    class Value:
        kind: ClassVar[str] = "value"
        number: int
        note: str = field(default="", compare=False)
        log: list[str] = field(default_factory=list, hash=False)

        def twice(self) -> int:
            return 2 * self.number

    @dataclass(frozen=True, slots=True)
    class OwnMethods:
        number: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, OwnMethods) and self.number % 10 == other.number % 10

        def __hash__(self) -> int:
            return self.number % 10

        def __repr__(self) -> str:
            return f"<{self.number}>"

    @dataclass(frozen=True, slots=True)
    class Checked:
        number: int
        made: list[int] = field(default_factory=list, init=False, hash=False)

        def __post_init__(self) -> None:
            if self.number < 0:
                raise ValueError(self.number)

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    return {each.__name__: each for each in (Base, Identical, Value, OwnMethods, Checked, Empty)}


HERE, STANDARD = (family(OF[name]) for name in ("here", "standard"))
CALLS = [
    ("Base", (), {}),
    ("Base", (), {"span": 1}),
    ("Identical", ("a",), {}),
    ("Identical", ("a", (1, 2)), {"span": 3}),
    ("Value", (1,), {}),
    ("Value", (1, "x"), {"log": ["y"]}),
    ("OwnMethods", (21,), {}),
    ("Checked", (3,), {}),
    ("Empty", (), {}),
]


@pytest.mark.parametrize(("name", "args", "named"), CALLS)
def test_instances_have_the_fields_and_the_text_of_the_standard_ones(name: str, args: Any, named: Any) -> None:
    ours, theirs = (classes[name](*args, **named) for classes in (HERE, STANDARD))
    assert repr(ours) == repr(theirs)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert not hasattr(ours, "__dict__") and type(ours).__match_args__ == type(theirs).__match_args__
    assert type(ours).__slots__ == type(theirs).__slots__
    assert parameters(type(ours)) == parameters(type(theirs))


def parameters(cls: type) -> list[object]:
    signature = inspect.signature(cls)
    return [(p.name, p.kind, p.annotation, p.default is p.empty) for p in signature.parameters.values()]


@pytest.mark.parametrize(("name", "args", "named"), [*CALLS, ("Value", (2,), {}), ("OwnMethods", (31,), {})])
@pytest.mark.parametrize("other", CALLS)
def test_instances_are_equal_and_hash_where_the_standard_ones_are(name: str, args: Any, named: Any, other: Any) -> None:
    one, two = ((classes[name](*args, **named), classes[other[0]](*other[1], **other[2])) for classes in (HERE, STANDARD))
    assert (one[0] == one[1]) == (two[0] == two[1])
    assert (hash(one[0]) == hash(one[1])) == (hash(two[0]) == hash(two[1]))


@pytest.mark.parametrize("wrong", [((), {}), ((1, "a", [], 2), {}), ((), {"other": 1}), ((1,), {"number": 2})])
def test_wrong_calls_are_refused_in_the_same_words(wrong: tuple[Any, Any]) -> None:
    said = []
    for classes in (HERE, STANDARD):
        with pytest.raises(TypeError) as caught:
            classes["Value"](*wrong[0], **wrong[1])
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["number", "log"])
def test_fields_can_be_neither_assigned_nor_deleted(name: str) -> None:
    for value in (classes["Value"](1) for classes in (HERE, STANDARD)):
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(value, name, 2)
        with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
            delattr(value, name)


def test_there_are_no_other_attributes_but_in_a_plain_subclass() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'more'"):
        HERE["Value"](1).more = 2
    sub = type("Sub", (HERE["Value"],), {})(1)
    sub.more = 2
    with pytest.raises(FrozenInstanceError):
        sub.number = 3
    del sub.more
    assert not hasattr(sub, "more") and sub == sub


def test_copies_and_replaced_ones_are_as_the_standard_ones() -> None:
    for classes in (HERE, STANDARD):
        value = classes["Value"](1, "x", ["y"])
        assert copy.copy(value) == copy.deepcopy(value) == value == replace(value, note="z")
        assert copy.copy(value).log is value.log and copy.deepcopy(value).log is not value.log
        assert replace(value, number=4).twice() == 8
        with pytest.raises(ValueError, match="-1"):
            replace(classes["Checked"](1), number=-1)
        assert classes["Value"](1).log is not classes["Value"](1).log


@records.dataclass(frozen=True, slots=True)
class Pickled:
    number: int
    text: str = "a"


def test_instances_pickle() -> None:
    assert pickle.loads(pickle.dumps(Pickled(1, "b"))) == Pickled(1, "b")
    assert typing.get_type_hints(Pickled.__init__) == {"number": int, "text": str, "return": type(None)}


def test_classes_that_change_are_the_standard_librarys() -> None:
    @records.dataclass
    class Changes:
        number: int = 0

    changing = Changes()
    changing.number = 2
    assert changing == Changes(2)
