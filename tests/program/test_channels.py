"""What a program says of its channels and of the variables that it writes."""

from __future__ import annotations

from tests.program.reachable import program_of

from everafter.program.channel_types import created_by

TEXT = """typedef Line { byte name; chan ends[2] = [1] of { byte } };
chan one = [3] of { byte, chan }; chan many[2] = [0] of { byte }; chan none; Line lines[2]; byte a[3], b, c, d, read;
active proctype P() {
    chan own = [2] of { bit }; Line line;
    a[read] = read; one?b, none; d_step { c = read; lines[0].name = 1 }; one?_, eval(own); one?[d, own]
}"""


def test_channels_are_created_in_the_order_of_declaration() -> None:
    program = program_of(TEXT)
    capacities = [program.channels[kind].capacity for kind in program.created]
    assert capacities == [3, 0, 0, 1, 1, 1, 1]
    assert [program.channels[kind].capacity for kind in program.processes[0].created] == [2, 1, 1]
    assert [shape.capacity for shape in created_by(program.initial)] == capacities


def test_a_variable_is_assigned_by_itself_by_a_receive_and_inside_a_d_step() -> None:
    names = {variable.name for variable in program_of(TEXT).assigned}
    assert names == {"a", "b", "none", "c", "lines"}
