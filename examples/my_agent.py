"""Your own player: a class with one method. Copy this file and change it.

    perudo match examples/my_agent.py:Careful probabilistic random
    perudo match examples/my_agent.py:Careful:courage=0.6 examples/my_agent.py:Careful

``observation`` holds what your seat may know: your dice ``observation.hand(observation.viewer)``,
and ``bid``, ``history``, ``dice_counts``, ``wild_face``, ``rules``, ``legal_actions``, ``outcome``
(of the last round). Keep memories in ``memory`` and draw random numbers from ``stream``; then the
same seed plays the same games.
"""

from dataclasses import dataclass
from typing import Any

from perudo import Bid, PerudoState


@dataclass
class Careful:
    """Makes the bid that is likeliest to hold, and calls when even that bid is too unlikely."""

    courage: float = 0.5
    """Least probability at which a bid is made."""

    def decide(self, observation: PerudoState, memory: Any, stream: Any) -> Any:
        """Return one of ``observation.legal_actions``, or text such as "3x5" or "dudo"."""
        legal = observation.legal_actions
        if "decline" in legal:  # the question is about calza out of turn
            return "decline"
        chances = {bid: observation.chance(bid) or 0.0 for bid in legal if isinstance(bid, Bid)}
        best = max(chances, key=chances.__getitem__, default=None)
        calls = [word for word in ("dudo", "doubt") if word in legal]
        if best is None or (calls and chances[best] < self.courage):
            return calls[0]
        return best
