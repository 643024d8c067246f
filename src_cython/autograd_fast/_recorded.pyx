"""Recorded operations as Python sees them: what the modes ask of nodes."""

from autograd_fast._core cimport CLOSURE, GENERAL, VJPNode
from autograd_fast._tables cimport Table
from autograd_fast._primitive cimport Node, Primitive


def record(Node like not None, Primitive prim not None, value, tuple args, kwargs, argnums, tuple parents):
    """The node that the class of the node `like` makes of an operation."""
    return like.record(prim, value, args, kwargs, argnums, parents)


def number(Node node not None):
    """The number of a node, unique in the process."""
    return node.seq


def has_table(node):
    """Whether a node holds a built-in rule and what that needs, and no closure."""
    return type(node) is VJPNode and (<VJPNode> node).kind != CLOSURE and (<VJPNode> node).rule is not None


def function_of(node):
    """The primitive that a node of reverse mode recorded, None if that is not known."""
    if not isinstance(node, VJPNode):
        return None
    if has_table(node):
        return (<Table> (<VJPNode> node).rule).prim
    return (<VJPNode> node).s2 if isinstance((<VJPNode> node).s2, Primitive) else None


def saved(node):
    """What a node of reverse mode keeps for its rule."""
    if has_table(node):
        return (<VJPNode> node).s0, (<VJPNode> node).s1, (<VJPNode> node).s2
    return ((<VJPNode> node).s0,) if isinstance(node, VJPNode) else ()


def argnums_of(VJPNode node not None):
    """The arguments that the parents of a node with a built-in rule stand for."""
    return tuple([node.argnum(k) for k in range(node.n_parents())])


def is_joint(VJPNode node not None):
    """Whether one rule gives the cotangents of all parents of a node with a built-in rule at once."""
    cdef Table table = node.rule
    return node.kind == GENERAL and table.variadic is not None and table.variadic.joint


def contribution(VJPNode node not None, Py_ssize_t k, g):
    """The cotangent that a built-in rule gives to parent `k`."""
    return node.contribution(k, g)


def fitted(node, list pairs):
    """The parents of a node and their cotangents, brought to the operands if a user's rule made them."""
    if type(node) is not VJPNode or (<VJPNode> node).kind != CLOSURE or (<VJPNode> node).s1 is None:
        return pairs
    return (<VJPNode> node).fitted(pairs)
