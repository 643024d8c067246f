"""The rules of the hot elementwise primitives in C, where a cotangent, tangent or saved value is a box.

What a rule's map in Python would do, without its calls: each product or quotient goes the short way of the
operators, so that the operations are recorded and derivatives of every order follow.
"""

from autograd_fast._core cimport set_boxed_pull
from autograd_fast._kernels cimport (
    ADD, COS, DIVIDE, EXP, EXPM1, LOG, LOG1P, MULTIPLY, NEGATIVE, POWER, SIN, SQRT, SQUARE, SUBTRACT,
    TANH,
)
from autograd_fast._ops cimport apply1, apply2
from autograd_fast._primitive cimport Primitive
from autograd_fast._tracer cimport BoxBase, is_box

cdef Primitive add, subtract, multiply, divide, negative, power, sine, cosine


def set_pull_namespace(module):
    """Tell the rules the traced namespace."""
    global add, subtract, multiply, divide, negative, power, sine, cosine
    add, subtract, multiply, divide = module.add, module.subtract, module.multiply, module.divide
    negative, power, sine, cosine = module.negative, module.power, module.sin, module.cos


cdef object pull_boxed(int kernel, int argnum, object g, object x, object y, object ans):
    """The cotangent of an operand, or the tangent of the result along it; None if the map in Python has to.

    The square is shortened to 2x only where no third derivative can be asked for: that of x**2 is a zero that
    still depends on x.
    """
    cdef double exponent
    if kernel == ADD:
        return g
    if kernel == MULTIPLY:
        return apply2(multiply, g, y if argnum == 0 else x)
    if kernel == SUBTRACT:
        return g if argnum == 0 else apply1(negative, g)
    if kernel == DIVIDE:
        if argnum == 0:
            return apply2(divide, g, y)
        return apply2(multiply, apply1(negative, g), apply2(divide, ans, y))
    if kernel == NEGATIVE:
        return apply1(negative, g)
    if kernel == EXP:
        return apply2(multiply, g, ans)
    if kernel == LOG:
        return apply2(divide, g, x)
    if kernel == LOG1P:
        return apply2(divide, g, apply2(add, 1, x))
    if kernel == EXPM1:
        return apply2(multiply, g, apply2(add, ans, 1))
    if kernel == SQRT:
        return apply2(divide, apply2(multiply, 0.5, g), apply2(add, ans, 0.0))  # no -0.0
    if kernel == SQUARE:
        return apply2(multiply, g, apply2(multiply, 2, x))
    if kernel == SIN:
        return apply2(multiply, g, apply1(cosine, x))
    if kernel == COS:
        return apply2(multiply, apply1(negative, g), apply1(sine, x))
    if kernel == TANH:
        return apply2(multiply, g, apply2(subtract, 1, apply2(multiply, ans, ans)))
    if kernel == POWER and argnum == 0 and (type(y) is int or type(y) is float):
        exponent = y
        if exponent == 0:
            return None
        if exponent == 2 and not (is_box(x) and is_box((<BoxBase> x)._value)):
            return apply2(multiply, g, apply2(multiply, 2.0, x))
        return apply2(multiply, g, apply2(multiply, y, apply2(power, x, exponent - 1)))
    return None


set_boxed_pull(pull_boxed)
