"""`@config` classes."""

from __future__ import annotations

from typing import Any

import pytest

from usl_core.errors import ParseError, TypeError_
from usl_core.frontend.parser import parse_config, write_only
from usl_core.ir.config import ConfigField
from usl_core.ir.types import BOOL, F32, I32, INDEX, SIZE


def test_fields_keep_their_order_and_types() -> None:
    class Accel:
        """Docstrings are fine."""

        rows: size  # type: ignore[name-defined]  # noqa: F821
        base: index  # type: ignore[name-defined]  # noqa: F821
        src: stride  # type: ignore[name-defined]  # noqa: F821
        on: bool
        scale: f32  # type: ignore[name-defined]  # noqa: F821
        shift: i32  # type: ignore[name-defined]  # noqa: F821

    config = parse_config(Accel)
    assert config.name == "Accel"
    assert {name: field.type for name, field in config.fields.items()} == {
        "rows": SIZE,
        "base": INDEX,
        "src": INDEX,
        "on": BOOL,
        "scale": F32,
        "shift": I32,
    }
    assert list(config.fields) == ["rows", "base", "src", "on", "scale", "shift"]
    assert all(field.readable for field in config.fields.values())


def test_a_write_only_field_is_not_readable() -> None:
    class Accel:
        mode: write_only[index]  # type: ignore[valid-type, name-defined]  # noqa: F821

    assert parse_config(Accel).fields["mode"] == ConfigField("mode", INDEX, readable=False)


def test_evaluated_annotations_mean_the_same() -> None:
    cls = type("Accel", (), {"__annotations__": {"scale": F32, "on": bool, "mode": write_only[INDEX]}})
    fields = parse_config(cls).fields
    assert (fields["scale"].type, fields["on"].type) == (F32, BOOL)
    assert fields["mode"] == ConfigField("mode", INDEX, readable=False)


def test_an_unknown_type_is_refused_at_its_field() -> None:
    class Accel:
        scale: f23  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(TypeError_, match="unknown type f23; did you mean f32") as caught:
        parse_config(Accel)
    assert caught.value.span is not None
    assert (caught.value.span.file, caught.value.span.column) == (__file__, 9)


def test_a_field_of_reals_is_refused() -> None:
    class Accel:
        scale: R  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(TypeError_, match="field scale cannot have type R"):
        parse_config(Accel)


def test_a_class_with_methods_or_values_is_refused() -> None:
    class Method:
        rows: index  # type: ignore[name-defined]  # noqa: F821

        def clear(self) -> None: ...

    class Value:
        rows: index = 3  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(ParseError, match="annotated fields only, such as clear: index"):
        parse_config(Method)
    with pytest.raises(ParseError, match="annotated fields only, such as rows: index"):
        parse_config(Value)


def test_a_class_without_fields_is_refused() -> None:
    class Empty: ...

    with pytest.raises(ParseError, match="configuration Empty has no fields"):
        parse_config(Empty)


@pytest.mark.parametrize("first", ["", "from __future__ import annotations"])
def test_quoted_types_mean_the_same(first: str) -> None:
    names: dict[str, Any] = {"write_only": write_only, "__name__": __name__}
    exec(f"{first}\nclass C:\n  a: 'index'\n  b: write_only['f32']\n  c: 'write_only[i32]'\n  d: 'stride'", names)
    assert list(parse_config(names["C"]).fields.values()) == [
        ConfigField("a", INDEX),
        ConfigField("b", F32, readable=False),
        ConfigField("c", I32, readable=False),
        ConfigField("d", INDEX),
    ]
