"""A model while it is being read: what the parser adds to, and freezes when the text has ended."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from everafter.promela.macros import Macro
from everafter.promela.model import Expression, Reference, Sequence, Struct, Variable
from everafter.promela.units import Formula, ModelTree, Needs, Proctype, Promise, Role
from everafter.record import dataclass, field
from everafter.source import Place, Source


@dataclass(eq=False, slots=True)
class ProctypeDraft:
    """A proctype of which the body may still be read."""

    name: str
    role: Role
    place: Place
    parameters: tuple[Variable, ...] = ()
    variables: list[Variable] = field(default_factory=list)
    body: Sequence = ()
    instances: int = 0
    priority: int = 1
    provided: Expression | None = None
    deterministic: bool = False
    exclusive: list[tuple[Promise, Reference]] = field(default_factory=list)

    def frozen(self) -> Proctype:
        """The proctype as it has been read."""
        return Proctype(
            name=self.name,
            role=self.role,
            place=self.place,
            parameters=self.parameters,
            variables=tuple(self.variables),
            body=self.body,
            instances=self.instances,
            priority=self.priority,
            provided=self.provided,
            deterministic=self.deterministic,
            exclusive=tuple(self.exclusive),
        )


@dataclass(eq=False, slots=True)
class ModelDraft:
    """A model of which the units before this place are known."""

    source: Source
    macros: Mapping[str, Macro]
    digest: str = ""
    mtypes: dict[str, dict[str, int]] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    proctypes: list[ProctypeDraft] = field(default_factory=list)
    formulas: list[Formula] = field(default_factory=list)

    def proctype(self, name: str) -> ProctypeDraft | None:
        """The proctype of that name, if it is known already."""
        return next((item for item in self.proctypes if item.name == name), None)

    def frozen(self, needs: Needs) -> ModelTree:
        """The whole model. Nothing can be changed in it."""
        mtypes = {subtype: MappingProxyType(dict(numbers)) for subtype, numbers in self.mtypes.items()}
        return ModelTree(
            source=self.source,
            mtypes=MappingProxyType(mtypes),
            structs=MappingProxyType(dict(self.structs)),
            variables=tuple(self.variables),
            proctypes=tuple(item.frozen() for item in self.proctypes),
            formulas=tuple(self.formulas),
            macros=MappingProxyType(dict(self.macros)),
            needs=needs,
            digest=self.digest,
        )
