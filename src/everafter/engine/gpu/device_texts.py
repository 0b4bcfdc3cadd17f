"""The functions of the machine that kernels call, as LLVM IR, and where a GPU enters kernels.

    peek(address)                  the word there, as others have left it
    peek_half(address)             the number of four bytes there
    differing(address, own)        the bits in which two words there differ from two of one's own, as one word
    bring_pair(address, own)       copy two words from there to where only this thread looks
    write_pair(address, own)       … and back
    take(address, amount)          add to the word there; what it was
    least(address, value)          make the word there no more than the value; what it was
    swap_if(address, old, new)     write the word there if it is the old one; what it was
    publish(0)                     a thread that reads what is written after this can read what was before
    keep(address, number)          write a number of four bytes
    expand_row(row, out, control)  the model's successors of a row
    initial_row(out, control)      its first row
    block_meets(0)                 wait for the threads of the same block
    lanes(0)                       how many threads take each step together
    is_first(worker)               whether this thread is the first of its block
    blocks(workers)                how many blocks there are
    relax(0)                       wait a moment

Addresses are numbers; those of what is shared are of the memory of the whole machine, which a GPU distinguishes from
that of a thread. Two words begin at an address that is a multiple of 16, and a GPU reads them at once: each step on
shared memory costs it as much as one of 32 bytes. The text is the same for the processor and for a GPU, but for this
and the last five: a thread of the processor is a block by itself. Threads that take each step together have numbers
that are far apart, and so do threads of one block.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from everafter.engine.gpu.device_words import ROOMS

ENTRIES: Final = ("start", "search", "refill")
CYCLE_ENTRIES: Final = ("sort_rows", "visit")
"""Those that a search for cycles needs, too."""
_ENTRY: Final = "i64 %job, i64 %worker, i64 %workers, i64 %control, i64 %out"

_SHARED: Final = """
declare i64 @expand(ptr, ptr, ptr)
declare i64 @initial(ptr, ptr)

define i64 @peek(i64 %address) alwaysinline {
  %place = inttoptr i64 %address to ptr addrspace(1)
  %value = load atomic i64, ptr addrspace(1) %place syncscope("device") monotonic, align 8
  ret i64 %value
}

define i64 @peek_half(i64 %address) alwaysinline {
  %place = inttoptr i64 %address to ptr addrspace(1)
  %narrow = load atomic i32, ptr addrspace(1) %place syncscope("device") monotonic, align 4
  %value = zext i32 %narrow to i64
  ret i64 %value
}

define i64 @differing(i64 %address, i64 %own) alwaysinline {
  %pair = call { i64, i64 } @peek_pair(i64 %address)
  %first = extractvalue { i64, i64 } %pair, 0
  %second = extractvalue { i64, i64 } %pair, 1
  %place = inttoptr i64 %own to ptr
  %place_behind = getelementptr i64, ptr %place, i64 1
  %own_first = load i64, ptr %place, align 8
  %own_second = load i64, ptr %place_behind, align 8
  %one = xor i64 %first, %own_first
  %other = xor i64 %second, %own_second
  %both = or i64 %one, %other
  ret i64 %both
}

define i64 @bring_pair(i64 %address, i64 %own) alwaysinline {
  %pair = call { i64, i64 } @peek_pair(i64 %address)
  %first = extractvalue { i64, i64 } %pair, 0
  %second = extractvalue { i64, i64 } %pair, 1
  %place = inttoptr i64 %own to ptr
  %place_behind = getelementptr i64, ptr %place, i64 1
  store i64 %first, ptr %place, align 8
  store i64 %second, ptr %place_behind, align 8
  ret i64 0
}

define i64 @write_pair(i64 %address, i64 %own) alwaysinline {
  %place = inttoptr i64 %own to ptr
  %pair = load <2 x i64>, ptr %place, align 8
  %shared = inttoptr i64 %address to ptr addrspace(1)
  store <2 x i64> %pair, ptr addrspace(1) %shared, align 16
  ret i64 0
}

define i64 @take(i64 %address, i64 %amount) alwaysinline {
  %place = inttoptr i64 %address to ptr addrspace(1)
  %value = atomicrmw add ptr addrspace(1) %place, i64 %amount syncscope("device") monotonic, align 8
  ret i64 %value
}

define i64 @least(i64 %address, i64 %bound) alwaysinline {
  %place = inttoptr i64 %address to ptr addrspace(1)
  %value = atomicrmw min ptr addrspace(1) %place, i64 %bound syncscope("device") monotonic, align 8
  ret i64 %value
}

define i64 @swap_if(i64 %address, i64 %old, i64 %new) alwaysinline {
  %place = inttoptr i64 %address to ptr addrspace(1)
  %both = cmpxchg ptr addrspace(1) %place, i64 %old, i64 %new syncscope("device") monotonic monotonic, align 8
  %value = extractvalue { i64, i1 } %both, 0
  ret i64 %value
}

define i64 @publish(i64 %nothing) alwaysinline {
  fence syncscope("device") acq_rel
  ret i64 0
}

define i64 @keep(i64 %address, i64 %number) alwaysinline {
  %place = inttoptr i64 %address to ptr addrspace(1)
  %narrow = trunc i64 %number to i32
  store i32 %narrow, ptr addrspace(1) %place, align 4
  ret i64 0
}

define i64 @expand_row(i64 %row, i64 %out, i64 %control) alwaysinline {
  %from = inttoptr i64 %row to ptr
  %to = inttoptr i64 %out to ptr
  %block = inttoptr i64 %control to ptr
  %count = call i64 @expand(ptr %from, ptr %to, ptr %block)
  ret i64 %count
}

define i64 @initial_row(i64 %out, i64 %control) alwaysinline {
  %to = inttoptr i64 %out to ptr
  %block = inttoptr i64 %control to ptr
  %count = call i64 @initial(ptr %to, ptr %block)
  ret i64 %count
}
"""

_PROCESSOR: Final = """
define { i64, i64 } @peek_pair(i64 %address) alwaysinline {
  %behind = add i64 %address, 8
  %first = call i64 @peek(i64 %address)
  %second = call i64 @peek(i64 %behind)
  %one = insertvalue { i64, i64 } poison, i64 %first, 0
  %both = insertvalue { i64, i64 } %one, i64 %second, 1
  ret { i64, i64 } %both
}

define i64 @block_meets(i64 %nothing) alwaysinline {
  ret i64 0
}

define i64 @lanes(i64 %nothing) alwaysinline {
  ret i64 1
}

define i64 @is_first(i64 %worker) alwaysinline {
  ret i64 1
}

define i64 @blocks(i64 %workers) alwaysinline {
  ret i64 %workers
}
"""
_YIELDING: Final = """
declare i32 @sched_yield()

define i64 @relax(i64 %nothing) alwaysinline {
  %ignored = call i32 @sched_yield()
  ret i64 0
}
"""
_PATIENT: Final = """
define i64 @relax(i64 %nothing) alwaysinline {
  ret i64 0
}
"""

_GPU: Final = """
declare void @llvm.nvvm.barrier.sync(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define { i64, i64 } @peek_pair(i64 %address) alwaysinline {
  %both = call { i64, i64 } asm sideeffect "ld.relaxed.gpu.global.v2.b64 {$0, $1}, [$2];", "=l,=l,l"(i64 %address)
  ret { i64, i64 } %both
}

define i64 @block_meets(i64 %nothing) alwaysinline convergent {
  call void @llvm.nvvm.barrier.sync(i32 0) ; not the aligned one: threads of a warp may come one by one
  ret i64 0
}

define i64 @lanes(i64 %nothing) alwaysinline {
  ret i64 32
}

define i64 @is_first(i64 %worker) alwaysinline {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %thread, 0
  %number = zext i1 %first to i64
  ret i64 %number
}

define i64 @blocks(i64 %workers) alwaysinline {
  %count = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %number = zext i32 %count to i64
  ret i64 %number
}

define i64 @relax(i64 %nothing) alwaysinline {
  ret i64 0
}
"""


def processor_text() -> str:
    """Return the functions of this processor that kernels call."""
    return _SHARED + _PROCESSOR + (_YIELDING if os.name == "posix" else _PATIENT)


_OWN_ROOM: Final = """
  %out = alloca [{out} x i8], align 16
  %out_address = ptrtoint ptr %out to i64"""
_ROOM_APART: Final = """
  %rooms_place = inttoptr i64 %job to ptr
  %rooms_word = getelementptr i64, ptr %rooms_place, i64 {rooms}
  %rooms = load i64, ptr %rooms_word, align 8
  %room = mul i64 %worker, {out}
  %out_address = add i64 %rooms, %room"""


def gpu_text(entries: Iterable[str], control: int, out: int, cleared: Iterable[tuple[int, int]], apart: bool) -> str:
    """Return the functions of a GPU that kernels call, and `entries`, with room for each thread.

    That is a control block of `control` bytes, of which the parts `cleared`, each an offset and a size, are zero at
    first, and `out` bytes for successors. These are in the thread's own memory, in which a word of one thread lies
    beside that of the next; or, if `apart`, in one piece.
    """
    room = (_ROOM_APART if apart else _OWN_ROOM).format(out=out, rooms=ROOMS)
    return _SHARED + _GPU + "".join(_gpu_entry(name, control, room, cleared) for name in entries)


def _gpu_entry(name: str, control: int, room: str, cleared: Iterable[tuple[int, int]]) -> str:
    clearing = "".join(
        f"""
  %part{offset} = getelementptr i8, ptr %control, i64 {offset}
  call void @llvm.memset.p0.i64(ptr align 8 %part{offset}, i8 0, i64 {size}, i1 false)"""
        for offset, size in cleared
    )
    return f"""
declare i64 @{name}({_ENTRY})

define ptx_kernel void @{name}_kernel(i64 %job) {{
  %control = alloca [{control} x i8], align 16
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %all = mul i32 %blocks, %size
  %workers = zext i32 %all to i64
  %lane = and i32 %thread, 31
  %group = lshr i32 %thread, 5
  %groups = lshr i32 %all, 5
  %lane_first = mul i32 %lane, %groups
  %group_first = mul i32 %group, %blocks
  %in_lane = add i32 %group_first, %block
  %number = add i32 %lane_first, %in_lane
  %worker = zext i32 %number to i64{room}{clearing}
  %block_address = ptrtoint ptr %control to i64
  %status = call i64 @{name}(i64 %job, i64 %worker, i64 %workers, i64 %block_address, i64 %out_address)
  ret void
}}
"""
