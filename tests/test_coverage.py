"""Every public name of NumPy is classified, and each differentiable one is right in every column."""

import ast
import inspect
import types
from pathlib import Path

import numpy as onp
import pytest

from autograd_fast import _coverage
from autograd_fast._coverage.measure import is_zero, measured
from autograd_fast._coverage.namespaces import PROBES, lookup, unclassified
from autograd_fast._coverage.numpy_others import REASONS, ZERO


def present(names):
    return [name for name in names if lookup(name) is not None]


def test_no_public_name_of_numpy_is_unclassified():
    assert unclassified() == []


def test_a_name_has_one_class():
    assert not set(PROBES) & set(ZERO)
    assert not set(PROBES) & set(REASONS)
    assert not set(ZERO) & set(REASONS)


@pytest.mark.parametrize("name", present(PROBES))
def test_derivative(name):
    result = _coverage.result_of(name, PROBES[name])
    assert result.right, result


def parameters_of(function):
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError:  # NumPy before 2.4 gives its C functions no signature
        return []


def by_keyword(expression):
    """The expression with the arguments of NumPy's functions named, None if there is none to name."""
    tree, named = ast.parse(expression, mode="eval"), False
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
        text = ast.unparse(call.func)
        function = eval(text, {"np": onp}) if text.startswith("np.") else None
        if isinstance(function, (types.FunctionType, type(onp.sum))):
            parameters = parameters_of(function)[: len(call.args)]
            if call.args and parameters and all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters):
                pairs = zip(parameters, call.args, strict=False)
                call.keywords += [ast.keyword(p.name, value) for p, value in pairs]
                call.args, named = [], True
    return ast.unparse(tree) if named else None


KEYWORDS = {name: by_keyword(PROBES[name]) for name in present(PROBES) if not name.startswith("np.unique_")}


@pytest.mark.parametrize("name", [name for name, expression in KEYWORDS.items() if expression])
def test_operands_by_keyword(name):
    result = measured(KEYWORDS[name], real_only=True, double_only=True)
    assert result.right, (KEYWORDS[name], result)


@pytest.mark.parametrize("name", present(ZERO))
def test_zero_derivative(name):
    assert is_zero(ZERO[name]) == "yes"


def test_the_command_prints_the_table_with_the_totals_last(capsys):
    assert _coverage.main(["creation"]) == 0
    *lines, unknown = capsys.readouterr().out.splitlines()
    assert any(line.startswith("| `np.linspace` | yes | yes | yes | yes | yes |") for line in lines)
    assert any(line.startswith("- differentiable: 8; VJP 8, JVP 8") for line in lines)
    assert unknown == "- not classified: 0"


def test_a_wrong_derivative_is_seen(monkeypatch, capsys):
    monkeypatch.setitem(_coverage.CHAPTERS, "creation", {"np.full": "np.full(2, float(x))"})
    assert _coverage.main(["creation"]) == 1
    assert "- wrong: 1: np.full" in capsys.readouterr().out


def test_the_page_in_docs_has_every_name():
    page = (Path(__file__).parents[1] / "docs" / "coverage.md").read_text()
    if f"NumPy {onp.__version__.rpartition('.')[0]}." not in page:
        pytest.skip("made with another NumPy")
    assert [name for name in {**PROBES, **ZERO} if lookup(name) is not None and f"`{name}`" not in page] == []


def test_an_unknown_chapter_is_refused(capsys):
    with pytest.raises(SystemExit):
        _coverage.main(["nonsense"])
    assert "no chapter is called nonsense" in capsys.readouterr().err


def test_a_new_name_is_seen(monkeypatch):
    monkeypatch.setattr(onp, "brand_new", lambda x: x, raising=False)
    assert unclassified() == ["np.brand_new"]
