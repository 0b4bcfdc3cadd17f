"""slot_of, packed, write_root: made of proofs/store/packing.vpr by proofs/runnable.py."""
# of a109e1e8d7a9129d95132223a40ddac62c65fa5820b16bd8d5241d4fc6769074
# mypy: ignore-errors

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proofs.execution import changed, divided, dropped, element, remainder, span, taken


@dataclass(frozen=True)
class Program:
    anything: Callable[[str], Any]

    def slot_of(self, number: Any, tag: Any, bits: Any) -> Any:
        slot = (number + (self.power(bits) * tag))
        return slot

    def packed(self, left: Any, right: Any, header: Any, lefts: Any, rights: Any, headers: Any) -> Any:
        root = ((left + (self.power(lefts) * right)) + (self.power((lefts + rights)) * header))
        return root

    def write_root(self, root: Any, left: Any, right: Any, header: Any, lefts: Any, rights: Any, headers: Any) -> Any:
        size = self.power(lefts)
        root2 = self.write_part(root, 0, left)
        root2 = self.write_part(root2, lefts, right)
        root2 = self.write_part(root2, (lefts + rights), header)
        return root2

    def power(self, bits: Any) -> Any:
        return (1 if (bits == 0) else (2 * self.power((bits - 1))))

    def write_part(self, root: Any, first: Any, value: Any) -> Any:
        root2 = (remainder(root, self.power(first)) + (self.power(first) * value))
        return root2
