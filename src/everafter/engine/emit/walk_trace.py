"""The trace of a walk: for each step who takes it, and all that is needed to say in words what it changes.

trace(record, before, row, label)   write the entry of a step: its record, the rows before and after it, its label

An entry is a word, how many bytes follow; the label; and each part of the row that has changed: its name, and its bytes
as they are now, filled up to whole words with zeros. A part is a cell, or a whole channel, named by where in the row it
begins, and from bit 32 on by how many bytes it has. TABLE, which the caller makes, has 32 bits for each byte of a row:
the number of its part, or 0 if no text tells of it. PARTS has two words for each number: its name, and in which
generation it was traced last. Where parts with the bit RENAMING have changed, RENAMED is not 0.
"""

from __future__ import annotations

from everafter.engine.emit.step_log import ENTRY, WalkWord
from everafter.engine.emit.writer import EIGHT, signed
from everafter.program.layout import WORD

SIZE_SHIFT = 32
"""The bit of a name from which on the size of its part stands."""
PLACES = (1 << SIZE_SHIFT) - 1
"""The bits of a name that tell where its part begins."""
RENAMING = 1 << 63

TRACE = f"""
declare i64 @llvm.cttz.i64(i64, i1)

define internal void @trace(ptr align 8 %record, ptr align 8 %before, ptr align 8 %row, i64 %label) {{
entry:
  %r = load ptr, ptr @run, !align {EIGHT}
  %generation_place = getelementptr i8, ptr %r, i64 {WalkWord.GENERATION.value}
  %generation = load i64, ptr %generation_place, align 8
  %table_place = getelementptr i8, ptr %r, i64 {WalkWord.TABLE.value}
  %table = load ptr, ptr %table_place, align 8
  %parts_place = getelementptr i8, ptr %r, i64 {WalkWord.PARTS.value}
  %parts = load ptr, ptr %parts_place, align 8
  %renamed_place = getelementptr i8, ptr %r, i64 {WalkWord.RENAMED.value}
  %trace_place = getelementptr i8, ptr %r, i64 {WalkWord.TRACE.value}
  %begin = load ptr, ptr %trace_place, !align {EIGHT}
  %label_place = getelementptr i8, ptr %begin, i64 {WORD}
  store i64 %label, ptr %label_place, align 8
  %first = getelementptr i8, ptr %begin, i64 {2 * WORD}
  %size = load i64, ptr %record, align 8
  %changes = getelementptr i8, ptr %record, i64 {WORD}
  %changes_end = getelementptr i8, ptr %changes, i64 %size
  br label %word
word:
  %change = phi ptr [ %changes, %entry ], [ %following, %next ]
  %out = phi ptr [ %first, %entry ], [ %out_now, %next ]
  %renamed = phi i64 [ 0, %entry ], [ %renamed_now, %next ]
  %last = icmp eq ptr %change, %changes_end
  br i1 %last, label %done, label %compare
compare:
  %at = load i64, ptr %change, align 8
  %old_place = getelementptr i8, ptr %before, i64 %at
  %old = load i64, ptr %old_place, align 8
  %new_place = getelementptr i8, ptr %row, i64 %at
  %new = load i64, ptr %new_place, align 8
  %difference = xor i64 %old, %new
  br label %byte
byte:
  %out_now = phi ptr [ %out, %compare ], [ %out_then, %cleared ]
  %renamed_now = phi i64 [ %renamed, %compare ], [ %renamed_then, %cleared ]
  %rest = phi i64 [ %difference, %compare ], [ %left, %cleared ]
  %same = icmp eq i64 %rest, 0
  br i1 %same, label %next, label %look
look:
  %zeros = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %number = lshr i64 %zeros, 3
  %behind_byte = add i64 %number, 1
  %byte_at = add i64 %at, %number
  %slot = getelementptr i32, ptr %table, i64 %byte_at
  %short = load i32, ptr %slot, align 4
  %index = zext i32 %short to i64
  %untold = icmp eq i64 %index, 0
  br i1 %untold, label %cleared, label %part
part:
  %offset = shl i64 %index, 4
  %its = getelementptr i8, ptr %parts, i64 %offset
  %name = load i64, ptr %its, align 8
  %start = and i64 %name, {PLACES}
  %unflagged = and i64 %name, {RENAMING - 1}
  %bytes = lshr i64 %unflagged, {SIZE_SHIFT}
  %flag = and i64 %name, {signed(RENAMING)}
  %renamed_part = or i64 %renamed_now, %flag
  %end = add i64 %start, %bytes
  %behind_part = sub i64 %end, %at
  %stamp_place = getelementptr i8, ptr %its, i64 {WORD}
  %stamp = load i64, ptr %stamp_place, align 8
  %known = icmp eq i64 %stamp, %generation
  br i1 %known, label %cleared, label %write
write:
  store i64 %generation, ptr %stamp_place, align 8
  store i64 %name, ptr %out_now, align 8
  %data = getelementptr i8, ptr %out_now, i64 {WORD}
  %more = add i64 %bytes, {WORD - 1}
  %whole = and i64 %more, {-WORD}
  %behind_data = getelementptr i8, ptr %data, i64 %whole
  %tail = getelementptr i8, ptr %behind_data, i64 {-WORD}
  store i64 0, ptr %tail, align 8
  %from = getelementptr i8, ptr %row, i64 %start
  call void @llvm.memcpy.p0.p0.i64(ptr %data, ptr %from, i64 %bytes, i1 false)
  br label %cleared
cleared:
  %out_then = phi ptr [ %out_now, %look ], [ %out_now, %part ], [ %behind_data, %write ]
  %renamed_then = phi i64 [ %renamed_now, %look ], [ %renamed_part, %part ], [ %renamed_part, %write ]
  %behind = phi i64 [ %behind_byte, %look ], [ %behind_part, %part ], [ %behind_part, %write ]
  %is_last = icmp uge i64 %behind, {WORD}
  %wide = shl i64 %behind, 3
  %bits = and i64 %wide, 63
  %shifted = lshr i64 %rest, %bits
  %above = shl i64 %shifted, %bits
  %left = select i1 %is_last, i64 0, i64 %above
  br label %byte
next:
  %following = getelementptr i8, ptr %change, i64 {ENTRY}
  br label %word
done:
  store ptr %out, ptr %trace_place, align 8
  store i64 %renamed, ptr %renamed_place, align 8
  %from_word = ptrtoint ptr %begin to i64
  %to_word = ptrtoint ptr %out to i64
  %all = sub i64 %to_word, %from_word
  %entry_size = add i64 %all, {-WORD}
  store i64 %entry_size, ptr %begin, align 8
  ret void
}}
"""
