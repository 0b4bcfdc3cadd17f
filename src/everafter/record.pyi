from dataclasses import asdict as asdict
from dataclasses import dataclass as dataclass
from dataclasses import field as field
from dataclasses import fields as fields
from dataclasses import is_dataclass as is_dataclass
from dataclasses import replace as replace

def complete(kind: type) -> None: ...
