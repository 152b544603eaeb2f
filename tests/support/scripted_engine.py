"""A fake GTP engine that answers from a script; run as a program, or begun by `scripted`.

Its one argument is JSON: from a command (without its id) to what it writes, with `{id}` in place
of the id; or to a list of such, one for each time. Commands not in the script, or no more, succeed
with no text. Words in capitals stand for misbehaviour: `DIE n` exits with code n, `HANG` neither
answers nor reads any more, `CHILD` does so with a child that holds the pipes too and whose process
id goes to stderr, `FLOOD` writes a megabyte to stderr before its answer, `SLEEP s` waits for so
many seconds before it.
"""

import json
import subprocess
import sys
import time

FOREVER = 1000.0
Script = dict[str, str | list[str]]


def scripted(script: Script) -> list[str]:
    """The command line of an engine with this script."""
    return [sys.executable, __file__, json.dumps(script)]


def main() -> None:
    """Answer until `quit` or the end of input."""
    script = json.loads(sys.argv[1])
    for line in sys.stdin:
        command_id, _, command = line.strip().partition(" ")
        if not command_id.isdigit():
            command_id, command = "", line.strip()
        answer = misbehave(next_answer(script, command))
        print(answer.replace("{id}", command_id), end="", flush=True)
        if command == "quit":
            return


def next_answer(script: Script, command: str) -> str:
    """What to write now; lists in `script` get shorter."""
    answer = script.get(command, "={id}\n\n")
    if isinstance(answer, list):
        return answer.pop(0) if answer else "={id}\n\n"
    return answer


def misbehave(answer: str) -> str:
    """Do what a word in capitals at the beginning says; returns what is left to write."""
    word, _, rest = answer.partition(" ")
    if word == "DIE":
        print("last words", file=sys.stderr, flush=True)
        sys.exit(int(rest))
    if word == "SLEEP":
        seconds, _, rest = rest.partition(" ")
        time.sleep(float(seconds))
        return rest
    if word == "FLOOD":
        sys.stderr.write(("x" * 999 + "\n") * 1000)
        return rest
    if word == "CHILD":
        child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({FOREVER})"])
        print(child.pid, file=sys.stderr, flush=True)
    if word in ("HANG", "CHILD"):
        time.sleep(FOREVER)
    return answer


if __name__ == "__main__":
    main()
