"""number_of_half, rebuild_half, number_row, rebuild: made of proofs/store/tree.vpr by proofs/runnable.py."""
# of 4d8dc4fcacf26c604305aed976277a7f4036a6129b9b117c92498ab593441734
# mypy: ignore-errors

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proofs.execution import changed, divided, dropped, element, remainder, span, taken


@dataclass(frozen=True)
class Program:
    anything: Callable[[str], Any]
    words_of: Callable[..., Any]

    def number_of_half(self, words: Any, nodes: Any) -> Any:
        number = self.anything("number_of_half.number")
        leaves = divided((len(words) + 1), 2)
        inner = divided((leaves + 1), 3)
        heap = self.zeros(((4 * inner) + 1))
        nodes2 = nodes
        leaf = 0
        while (leaf < leaves):
            number, nodes2 = self.number_of(self.leaf_of(element(words, (2 * leaf)), (element(words, ((2 * leaf) + 1)) if (((2 * leaf) + 1) < len(words)) else 0)), nodes2)
            heap = changed(heap, (inner + leaf), number)
            leaf = (leaf + 1)
        position = inner
        while (position > 0):
            position = (position - 1)
            number, nodes2 = self.number_of(self.node_of(element(heap, ((4 * position) + 1)), element(heap, ((4 * position) + 2)), element(heap, ((4 * position) + 3)), element(heap, ((4 * position) + 4))), nodes2)
            heap = changed(heap, position, number)
        return heap, nodes2

    def rebuild_half(self, top: Any, leaves: Any, nodes: Any, words: Any, heap: Any) -> Any:
        inner = divided((leaves + 1), 3)
        heap2 = self.zeros(((4 * inner) + 1))
        heap2 = changed(heap2, 0, top)
        position = 0
        while (position < inner):
            node = element(nodes, element(heap2, position))
            heap2 = changed(heap2, ((4 * position) + 1), self.number_in(node, 0))
            heap2 = changed(heap2, ((4 * position) + 2), self.number_in(node, 1))
            heap2 = changed(heap2, ((4 * position) + 3), self.number_in(node, 2))
            heap2 = changed(heap2, ((4 * position) + 4), self.number_in(node, 3))
            position = (position + 1)
        words2 = ()
        leaf = 0
        while (leaf < leaves):
            node = element(nodes, element(heap2, (inner + leaf)))
            words2 = ((words2 + (self.low_of(node),)) + (self.high_of(node),))
            leaf = (leaf + 1)
        return words2, heap2

    def number_row(self, row: Any, mask: Any, nodes: Any, headers: Any) -> Any:
        left, right = self.split(row, mask)
        nodes2 = nodes
        heap_left = (0,)
        heap_right = (0,)
        if (len(left) > 0):
            heap_left, nodes2 = self.number_of_half(left, nodes)
        if (len(right) > 0):
            between = nodes2
            heap_right, nodes2 = self.number_of_half(right, nodes2)
        header, headers2 = self.number_of(element(row, 0), headers)
        return left, right, heap_left, heap_right, header, nodes2, headers2

    def rebuild(self, left_top: Any, right_top: Any, header: Any, mask: Any, nodes: Any, headers: Any, row: Any, left: Any, right: Any, heap_left: Any, heap_right: Any) -> Any:
        numbers = self.anything("rebuild.numbers")
        words = self.words_of(element(headers, header))
        lefts_in = self.lefts(mask, words)
        ones = ()
        twos = ()
        if (lefts_in > 0):
            ones, numbers = self.rebuild_half(left_top, divided((lefts_in + 1), 2), nodes, left, heap_left)
        if (((words - 1) - lefts_in) > 0):
            twos, numbers = self.rebuild_half(right_top, divided((words - lefts_in), 2), nodes, right, heap_right)
        row2 = (element(headers, header),)
        while (len(row2) < words):
            i = len(row2)
            if element(mask, i):
                row2 = (row2 + (element(ones, self.lefts(mask, i)),))
            else:
                row2 = (row2 + (element(twos, ((i - 1) - self.lefts(mask, i))),))
        return row2

    def zeros(self, size: Any) -> Any:
        list = ()
        while (len(list) < size):
            list = (list + (0,))
        return list

    def number_of(self, value: Any, nodes: Any) -> Any:
        number = 1
        nodes2 = nodes
        while ((number < len(nodes)) and (element(nodes, number) != value)):
            number = (number + 1)
        if (number == len(nodes)):
            nodes2 = (nodes + (value,))
        return number, nodes2

    def leaf_of(self, low: Any, high: Any) -> Any:
        return (low + (18446744073709551616 * high))

    def node_of(self, a: Any, b: Any, c: Any, d: Any) -> Any:
        return (((a + (4294967296 * b)) + (18446744073709551616 * c)) + ((18446744073709551616 * 4294967296) * d))

    def number_in(self, node: Any, which: Any) -> Any:
        return (remainder(node, 4294967296) if (which == 0) else (remainder(divided(node, 4294967296), 4294967296) if (which == 1) else (remainder(divided(node, 18446744073709551616), 4294967296) if (which == 2) else divided(node, (18446744073709551616 * 4294967296)))))

    def low_of(self, node: Any) -> Any:
        return remainder(node, 18446744073709551616)

    def high_of(self, node: Any) -> Any:
        return divided(node, 18446744073709551616)

    def split(self, row: Any, mask: Any) -> Any:
        left = ()
        right = ()
        i = 1
        while (i < len(row)):
            ones = left
            twos = right
            if element(mask, i):
                left = (ones + (element(row, i),))
            else:
                right = (twos + (element(row, i),))
            i = (i + 1)
        return left, right

    def lefts(self, mask: Any, i: Any) -> Any:
        return (0 if (i == 1) else (self.lefts(mask, (i - 1)) + (1 if element(mask, (i - 1)) else 0)))
