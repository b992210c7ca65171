"""A player as a program: reads JSON lines, writes JSON lines, needs nothing but Python.

    perudo match "cmd:python examples/bot.py" probabilistic random
    python examples/bot.py http://127.0.0.1:8000 TOKEN     plays online, with perudo installed

It raises on the face of which it expects most dice to spare, and doubts a bid that is higher than
it expects. docs/protocol.md has every message; bot.js beside this is the same player in another
language. What it prints to standard error is shown if it fails.
"""

import json
import sys
from typing import Any


def spare(question: dict[str, Any], bid: str) -> int:
    """Six times the dice expected beyond a bid: own ones, and a share of those unseen."""
    quantity, face = (int(number) for number in bid.split("x"))
    faces = {face, question["wild"] or face}  # a wild die counts for every face
    held = sum(int(die) in faces for die in question["dice"])
    unseen: int = sum(question["counts"]) - len(question["dice"])
    return 6 * held + len(faces) * unseen - 6 * quantity


def choose(question: dict[str, Any]) -> str:
    """One of the legal actions."""
    legal = question["legal"]
    bids: list[str] = [action for action in legal if "x" in action]
    if "dudo" in legal and spare(question, question["bid"]) < 0:
        return "dudo"
    if bids:
        return max(bids, key=lambda bid: spare(question, bid))
    return next(word for word in ("decline", "dudo", "doubt") if word in legal)


if len(sys.argv) == 3:  # online: wait in the queue for games of two, and take challenges
    import asyncio

    from perudo.client import play

    asyncio.run(play(sys.argv[1], sys.argv[2], choose, queue={"players": 2, "rated": True}))

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":  # hello, result, end, and what may come later: no answer
        answer = {"type": "action", "id": message["id"], "action": choose(message)}
        print(json.dumps(answer), flush=True)
