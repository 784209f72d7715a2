"""Looping over a set of cards: ``for card in cards(mask)``, in Python and in compiled code.

A generator would do for both, but numba cannot load a kernel from its cache that holds one. So the
compiler is shown a type of its own to loop over: what is left of the mask, in a register.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.core.imputils import RefType, iternext_impl
from numba.extending import lower_builtin, models, register_model, type_callable

#: numba makes its types at run time, so that type checkers do not know them.
types: Any = numba_types


def cards(mask: Any) -> Iterator[int]:
    """Go through a set, from its lowest member to its highest.

    In compiled code the loop is a register and two instructions a card, as if it were written out.

    Parameters
    ----------
    mask : uint64 or int
        A set of cards, or of calls.

    Yields
    ------
    int64

    Examples
    --------
    >>> [card for card in cards(0b1011 << 2)]
    [2, 3, 5]
    """
    left = int(mask)
    while left:
        yield (left & -left).bit_length() - 1
        left &= left - 1


class _Cards(types.SimpleIterableType):
    """A set that is looped over."""

    def __init__(self) -> None:
        super().__init__("cards", _iterator)


class _CardsIterator(types.SimpleIteratorType):
    """The members that are left."""

    def __init__(self) -> None:
        super().__init__("cards_iterator", types.int64)


_iterator = _CardsIterator()
_iterable = _Cards()


@register_model(_Cards)
class _CardsModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64))


@register_model(_CardsIterator)
class _CardsIteratorModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [("left", types.EphemeralPointer(types.uint64))])


@type_callable(cards)
def _type_cards(_: Any) -> Any:
    def typed(mask: Any) -> Any:
        return _iterable(types.uint64) if isinstance(mask, types.Integer) else None

    return typed


@lower_builtin(cards, types.uint64)
def _lower_cards(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return arguments[0]


@lower_builtin("getiter", _Cards)
def _begin(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    iterator = cgutils.create_struct_proxy(signature.return_type)(context, builder)
    iterator.left = cgutils.alloca_once_value(builder, arguments[0])
    return iterator._getvalue()


@lower_builtin("iternext", _CardsIterator)
@iternext_impl(RefType.UNTRACKED)
def _step(context: Any, builder: Any, signature: Any, arguments: Any, result: Any) -> None:
    iterator = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
    word = ir.IntType(64)
    left = builder.load(iterator.left)
    more = builder.icmp_unsigned("!=", left, ir.Constant(word, 0))
    result.set_valid(more)
    with builder.if_then(more):
        result.yield_(builder.cttz(left, ir.Constant(ir.IntType(1), 1)))
        rest = builder.and_(left, builder.sub(left, ir.Constant(word, 1)))
        builder.store(rest, iterator.left)
