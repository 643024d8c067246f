"""Boxes among the keyword arguments of users' primitives."""

import numpy as onp
import pytest

X = onp.array([1.0, 2.0, 3.0])


def positional(lib):
    """With a parameter that has a position but no rule."""

    def weigh(x, scale=1.0):
        return lib.np.sum(x) * scale**2

    return weigh


def keyword_only(lib):
    def weigh(x, *, scale=1.0):
        return lib.np.sum(x) * scale**2

    return weigh


def any_keyword(lib):
    def weigh(x, **options):
        return lib.np.sum(x) * options["scale"] ** 2

    return weigh


FORMS = [positional, keyword_only, any_keyword]


@pytest.fixture(params=FORMS, ids=lambda form: form.__name__)
def weigh(lib, request):
    extend = lib.module("extend")
    made = extend.primitive(request.param(lib))
    extend.defvjp(made, lambda ans, x, scale=1.0, **_: lambda g: g * scale**2 * onp.ones_like(x))
    extend.defjvp(made, lambda t, ans, x, scale=1.0, **_: lib.np.sum(t) * scale**2)
    return made


def test_without_a_rule_the_function_itself_is_traced(lib, weigh):
    """As long as its positional arguments are plain."""
    assert lib.ag.grad(lambda s: weigh(X, scale=s))(3.0) == 36.0
    assert lib.ag.grad(lib.ag.grad(lambda s: weigh(X, scale=s)))(3.0) == 12.0
    assert lib.ag.make_jvp(lambda s: weigh(X, scale=s))(3.0)(0.5) == (54.0, 18.0)
    # the derivative in the positional argument is the rule's
    onp.testing.assert_array_equal(lib.ag.grad(lambda x: weigh(x, scale=3.0))(X), [9.0] * 3)


def test_without_any_rule(lib):
    for form in FORMS:
        made = lib.module("extend").primitive(form(lib))
        assert lib.ag.grad(lambda s, made=made: made(X, scale=s))(3.0) == 36.0


@pytest.mark.ours_only("a box comes back as the gradient")
def test_beside_a_traced_position_it_is_an_error(lib, weigh):
    with pytest.raises(NotImplementedError, match="weigh"):
        lib.ag.grad(lambda s: weigh(X * s, scale=s))(3.0)


@pytest.mark.ours_only("the function is traced, whatever its rules")
def test_a_rule_for_the_parameter_is_used(lib):
    extend = lib.module("extend")
    scale_by = extend.primitive(lambda x, scale=1.0: onp.sum(x) * float(scale))  # can't be traced
    extend.defvjp(scale_by, None, lambda ans, x, scale=1.0: lambda g: g * onp.sum(x))
    extend.defjvp(scale_by, None, lambda t, ans, x, scale=1.0: t * onp.sum(x))
    assert lib.ag.grad(lambda s: scale_by(X, scale=s))(3.0) == 6.0
    assert lib.ag.make_jvp(lambda s: scale_by(X, scale=s))(3.0)(2.0) == (18.0, 12.0)
    assert lib.ag.grad(lambda s: scale_by(scale=s, x=X))(3.0) == 6.0


@pytest.mark.ours_only("not seen by the rule")
def test_a_rule_for_all_arguments_is_used(lib):
    """One that doesn't tell which arguments it is about."""
    extend = lib.module("extend")
    scale_by = extend.primitive(lambda x, scale=1.0: onp.sum(x) * float(scale))
    extend.defvjp_argnums(
        scale_by, lambda argnums, ans, args, kwargs: lambda g: [g * onp.sum(args[0]) for _ in argnums]
    )
    assert lib.ag.grad(lambda s: scale_by(X, scale=s))(3.0) == 6.0


def test_checkpoint_of_keywords(lib):
    run = lib.ag.checkpoint(positional(lib))
    assert lib.ag.grad(lambda s: run(X, scale=s))(3.0) == 36.0


def test_keywords_without_boxes_are_passed_on_as_given(lib):
    """Neither left out nor filled in, to the function, to rules and to nodes."""
    extend, tracer = lib.module("extend"), lib.module("tracer")
    seen = []

    class Recorder(tracer.Node):
        def __init__(self, value, fun, args, kwargs, parent_argnums, parents):
            seen.append((fun.__name__, len(args), sorted(kwargs)))

        def initialize_root(self):
            pass

    np = lib.np
    tracer.trace(Recorder.new_root(), lambda x: np.sum(np.sum(np.max(x, 0), axis=0, keepdims=True)), X[None])
    assert seen == [("max", 2, []), ("sum", 1, ["axis", "keepdims"]), ("sum", 1, [])]
    seen.clear()
    tracer.trace(Recorder.new_root(), lambda x: np.mean(x, axis=0), X)
    assert seen == [("mean", 1, ["axis"])]
    echo = extend.primitive(lambda x, **options: seen.append(options) or x)
    extend.defvjp(echo, lambda ans, x, **options: seen.append(options) or (lambda g: g))
    lib.ag.grad(lambda x: echo(x, a=1))(2.0)
    assert seen[1:] == [{"a": 1}, {"a": 1}]
