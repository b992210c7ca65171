"""A player as a program: it reads and writes JSON lines, and needs nothing but Python.

    perudo match "cmd:python examples/bot.py" probabilistic random
    python examples/bot.py http://127.0.0.1:8000 TOKEN     # online, with perudo installed

It raises on the face with the largest expected surplus of dice, and doubts a bid above its
expectation. docs/protocol.md describes every message; bot.js is the same player in JavaScript. If
the program fails, its last lines on standard error are shown.
"""

import json
import sys
from typing import Any


def spare(question: dict[str, Any], bid: str) -> int:
    """Return six times the expected surplus of dice over a bid: own dice, and a share of others."""
    quantity, face = (int(number) for number in bid.split("x"))
    faces = {face, question["wild"] or face}  # a wild die counts as every face
    held = sum(int(die) in faces for die in question["dice"])
    unseen: int = sum(question["counts"]) - len(question["dice"])
    return 6 * held + len(faces) * unseen - 6 * quantity


def choose(question: dict[str, Any]) -> str:
    """Choose a legal action."""
    legal = question["legal"]
    bids: list[str] = [action for action in legal if "x" in action]
    if "dudo" in legal and spare(question, question["bid"]) < 0:
        return "dudo"
    if bids:
        return max(bids, key=lambda bid: spare(question, bid))
    return next(word for word in ("decline", "dudo", "doubt") if word in legal)


if len(sys.argv) == 3:  # online: queue for two-player games, and accept challenges
    import asyncio

    from perudo.client import play

    asyncio.run(play(sys.argv[1], sys.argv[2], choose, queue={"players": 2, "rated": True}))

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":  # hello, result, end and future messages need no answer
        answer = {"type": "action", "id": message["id"], "action": choose(message)}
        print(json.dumps(answer), flush=True)
