"""The alternating bit protocol: packets and answers may be lost, and every number arrives once and in order.

The sender repeats a packet until its bit is answered; the receiver takes only packets with the bit that it waits for.
"""

from typing import Annotated, NamedTuple

from everafter import model as m

Number = Annotated[int, m.Int[0, 2]]


class Packet(NamedTuple):
    """What is sent."""

    bit: bool
    number: Number


class AlternatingBit(m.Model):
    """expect: holds safety."""

    LOOKS_AT_BIT = True

    packets = m.Channel[Packet, 1](lossy=True)
    answers = m.Channel[bool, 1](lossy=True)

    @m.process
    def sender(self) -> None:
        for number in range(3):
            while True:
                self.packets.send(Packet(number % 2 == 1, number))
                if m.either(not self.answers.empty()):
                    answered = self.answers.receive()
                    if answered == (number % 2 == 1):
                        break
                elif m.either():
                    pass  # no answer came in time

    @m.process
    def receiver(self) -> None:
        expected = m.Int[0, 3](0)
        while True:
            m.end()
            packet = self.packets.receive()
            if packet.bit == (expected % 2 == 1) or not self.LOOKS_AT_BIT:
                assert packet.number == expected
                expected += 1
            self.answers.send(packet.bit)


class WithoutBit(AlternatingBit):
    """expect: violated safety."""

    LOOKS_AT_BIT = False
