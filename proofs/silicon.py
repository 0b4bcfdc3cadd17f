"""Silicon, asked about one Viper program after the other in one process, for `proofs.viper`.

This text runs in Nagini's environment, which can talk to Java, and nowhere else. `python silicon.py ARCHIVE QUESTIONS`
reads a list of questions from a file in JSON, each a name and the arguments of a command line of Silicon, and prints a
line of JSON for each, as soon as it is answered. Each question is for a Silicon and a Z3 of its own, which is told word
for word what it would be told if it were the only one. What they share is Java, which takes seconds to start and to
learn where the time goes.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

jpype: Any = import_module("jpype")

JAVA = ("-Xss64m", "-Xmx4g", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1")
"""One processor: to collect garbage in parallel costs more than it saves."""
SUCCESS = "viper.silver.verifier.Success$"
"""The answer that there is no fault."""
MOMENT = 0.01
"""Seconds between looks at whether a program has ended."""


def processor() -> float:
    """Seconds of processor time up to now, with those of programs that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def caught() -> Any:
    """Catch what Java prints from now on."""
    buffer = jpype.JClass("java.io.ByteArrayOutputStream")()
    stream = jpype.JClass("java.io.PrintStream")(buffer, True)
    system = jpype.JClass("java.lang.System")
    system.setOut(stream)
    system.setErr(stream)
    return buffer


def begin_anew() -> None:
    """Make Silicon forget the only thing it remembers of earlier programs: how many quantifiers it has numbered."""
    for kind in ("Forall", "Quantification"):
        numbers = jpype.JClass(f"viper.silicon.state.terms.{kind}$").class_.getDeclaredField("qidCounter")
        numbers.setAccessible(True)
        numbers.get(None).set(0)


def verify(arguments: list[str]) -> tuple[bool, bool]:
    """Whether a new Silicon can read the program, and whether it finds it without fault. It prints what it finds."""
    given = jpype.JClass("scala.jdk.javaapi.CollectionConverters").asScala(jpype.java.util.ArrayList(arguments)).toSeq()
    begin_anew()
    silicon = jpype.JClass("viper.silicon.SiliconRunnerInstance")()
    try:
        silicon.execute(given, jpype.JPackage("scala").Option.empty())
        verification = getattr(jpype.JClass("viper.silver.frontend.DefaultStates$"), "MODULE$").Verification()
        read = int(silicon.state().id()) >= int(verification.id())
        return read, read and str(silicon.result().getClass().getName()) == SUCCESS
    finally:
        if silicon.verifier() is not None:
            silicon.verifier().stop()


def await_children() -> None:
    """Wait until the programs that were started have ended: only then the time they took is known."""
    myself = jpype.JClass("java.lang.ProcessHandle").current()
    while myself.children().count():
        time.sleep(MOMENT)


def main(archive: str, questions: list[tuple[str, list[str]]]) -> None:
    """Answer each question, in order."""
    jpype.startJVM(*JAVA, classpath=[archive])
    buffer = caught()
    begin, spent = time.monotonic(), 0.0
    for name, arguments in questions:
        buffer.reset()
        problem = ""
        try:
            read, verified = verify(arguments)
        except jpype.JException as exception:
            read, verified, problem = False, False, str(exception)
        await_children()
        seconds, used = time.monotonic() - begin, processor()
        begin, spent, used = time.monotonic(), used, used - spent
        said = f"{buffer.toString()}{problem}"
        answer = {"asked": name, "read": read, "verified": verified, "said": said}
        print(json.dumps({**answer, "seconds": seconds, "processor": used}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], json.loads(Path(sys.argv[2]).read_text()))
