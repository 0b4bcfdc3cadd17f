"""LLVM IR text to machine code of this processor, and machine code into this process.

    code = compile_text(text)            # bytes of an object file; `text` is LLVM IR with opaque pointers
    loaded = Loaded(code)
    address = loaded.address("expand")   # an int, to be called through ctypes or handed to other machine code

The addresses are valid until `loaded.close()` or until `loaded` is collected, so keep it as long as they are used.
The functions of the C library (memcpy, memset, madvise …) are found by their names. A name that neither the code nor
the C library has ends the process when it is loaded: LLVM offers no softer failure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Any, Final

from everafter.deadline import LLVM

LEVELS = range(4)
_GPU_TRIPLE = "nvptx64-nvidia-cuda"
_GENERAL = ("x86_64-unknown-linux-gnu", "x86-64-v3")
"""For what text is optimised that is not for this processor alone: what is worth while there, not what is possible."""
WAIT: Final = "pause"
"""The instruction of a processor that waits in a loop, as texts have it."""
_WAITING = {"x86_64": WAIT, "aarch64": "yield", "arm64": "yield"}
"""The same in the words of each processor; others have none."""


def _llvm() -> Any:
    """llvmlite, imported when it is first needed: a check on the reference never needs it."""
    from llvmlite import binding  # noqa: PLC0415

    return binding


def llvm_version() -> str:
    """Return the version of LLVM that makes the code."""
    return ".".join(map(str, _llvm().llvm_version_info))


@cache
def processor() -> tuple[str, str]:
    """Return the name and the features of this processor, as LLVM writes them: code is made for exactly these."""
    features = _llvm().get_host_cpu_features()
    return _llvm().get_host_cpu_name(), features.flatten()


def compile_text(text: str, level: int = 1) -> bytes:
    """Translate LLVM IR `text` to object code for this processor, optimised by `level`.

    Level 0 translates as quickly as it can, 1 optimises lightly, 2 and 3 take their time. Raises ValueError, with
    LLVM's words, when the text is not well formed.
    """
    if level not in LEVELS:
        raise ValueError(f"the level of optimisation is one of 0 … 3, not {level}")
    with LLVM:
        machine = target_machine(level)
        return bytes(machine.emit_object(optimised(text, machine, level)))


def optimised(text: str, machine: Any, level: int) -> Any:
    """Return the module of which code is made: `text`, verified, and optimised for `machine` unless `level` is 0."""
    module = _parsed(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    if level:
        _optimise(module, machine, level)
    return module


def generally_optimised(text: str) -> str:
    """Return the LLVM IR `text` optimised as far as that is the same for all processors. `finished` takes it."""
    with LLVM:
        _initialise_all()
        triple, name = _GENERAL
        machine = _llvm().Target.from_triple(triple).create_target_machine(cpu=name, opt=3)
        return str(optimised(text, machine, 3))


def finished(text: str) -> bytes:
    """Translate the LLVM IR `text`, which is optimised already, to object code for this processor."""
    with LLVM:
        machine = target_machine(3)
        module = _parsed(text)
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        return bytes(machine.emit_object(module))


def linked(texts: Iterable[str], entries: Collection[str]) -> str:
    """Return one text of several `texts`, each of which may call what another defines.

    Only the functions named by `entries` can be called from outside. Raises ValueError as `compile_text`.
    """
    with LLVM:
        first, *others = map(_parsed, texts)
        for other in others:
            first.link_in(other)
        for each in first.functions:
            if not each.is_declaration and each.name not in entries:
                each.linkage = "internal"
        return str(first)


def ptx_of(text: str, target: str) -> bytes:
    """Translate LLVM IR `text` to PTX, which the driver of a GPU takes, for GPUs of a kind, `target`, as sm_90."""
    with LLVM:
        _initialise_all()
        machine = _llvm().Target.from_triple(_GPU_TRIPLE).create_target_machine(cpu=target, opt=3)
        module = _parsed(text)
        module.triple = _GPU_TRIPLE
        module.data_layout = str(machine.target_data)
        _optimise(module, machine, 3)
        return bytes(machine.emit_assembly(module).encode())


class Loaded:
    """Object code loaded into this process."""

    def __init__(self, code: bytes) -> None:
        with LLVM:
            self._engine = _llvm().create_mcjit_compiler(_parsed(""), target_machine(0))
            self._engine.add_object_file(_llvm().object_file.ObjectFileRef.from_data(code))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return the address of the function `name`; raise LookupError if the code has none."""
        with LLVM:
            address = int(self._engine.get_function_address(name))
        if not address:
            raise LookupError(f"the code has no function {name!r}")
        return address

    def close(self) -> None:
        """Give the memory back; its addresses are no longer valid."""
        with LLVM:
            self._engine.close()


def target_machine(level: int) -> Any:
    """Return what LLVM needs to make code for this process, optimised by `level`.

    Addresses are written in full: it is not promised that the sections, or the C library, lie close to each other.
    """
    _initialise()
    name, features = processor()
    target = _llvm().Target.from_triple(_llvm().get_process_triple())
    return target.create_target_machine(cpu=name, features=features, opt=level, codemodel="jitdefault", jit=True)


def _parsed(text: str) -> Any:
    """The module that the text describes, verified."""
    _initialise()
    if (waiting := _WAITING.get(_llvm().get_process_triple().partition("-")[0], "")) != WAIT:
        text = text.replace(f'sideeffect "{WAIT}"', f'sideeffect "{waiting}"')
    try:
        module = _llvm().parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    return module


def _optimise(module: Any, machine: Any, level: int) -> None:
    """Run LLVM's own pipeline of this level; branches and scattered words gain nothing from vectors."""
    options = _llvm().create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = False
    options.slp_vectorization = False
    builder = _llvm().create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


@cache
def _initialise() -> None:
    """Make LLVM ready for this processor."""
    _llvm().initialize_native_target()
    _llvm().initialize_native_asmprinter()
    _llvm().initialize_native_asmparser()


@cache
def _initialise_all() -> None:
    """Make LLVM ready for every kind of processor it knows."""
    _llvm().initialize_all_targets()
    _llvm().initialize_all_asmprinters()
