"""An immutable sequence that grows cheaply: each longer one shares its items with the shorter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, SupportsIndex, TypeVar, overload

Item = TypeVar("Item")


class Trail(Sequence[Item], Generic[Item]):
    """The first items of a list that others may have made longer since.

    A tuple would be copied with every event of a game, and the garbage collector would visit every
    copy. Two trails that go on differently from the same point do not see each other's items.

    >>> one = Trail("ab")
    >>> longer, other = one.plus("c"), one.plus("d")
    >>> list(one), list(longer), list(other)
    (['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'd'])
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._items = list(items)
        self._length = len(self._items)

    def plus(self, item: Item) -> Trail[Item]:
        """Return a trail with one more item."""
        longer: Trail[Item] = Trail()
        is_newest = len(self._items) == self._length
        longer._items = self._items if is_newest else self._items[: self._length]
        longer._items.append(item)
        longer._length = self._length + 1
        return longer

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: SupportsIndex) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return self._items[: self._length][place]
        return self._items[range(self._length)[place]]

    def __iter__(self) -> Iterator[Item]:
        return islice(self._items, self._length)

    def __reversed__(self) -> Iterator[Item]:
        return (self._items[place] for place in range(self._length - 1, -1, -1))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trail) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"Trail({list(self)!r})"
