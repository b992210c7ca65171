"""The rule sets that people, papers and platforms play by (docs/rules.md, part 9)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from perudo.games.perudo.rules import MAX_PLAYERS, Rules


@dataclass(frozen=True)
class Preset:
    """A named set of rules."""

    rules: Rules
    summary: str


_OFFICIAL = Rules()

_COMMON = Rules(
    max_players=MAX_PLAYERS,
    ace_rank="not_biddable",
    ace_opening="no",
    palafico="off",
    calza=False,
    enable_pass=False,
    start_mode="random",
)

_UK = replace(_OFFICIAL, enable_pass=False, calza_who="any_but_next")

PRESETS: dict[str, Preset] = {
    "official": Preset(_OFFICIAL, "the full game: palafico, calza by anybody, passing"),
    "s0_sim": Preset(
        replace(
            _OFFICIAL,
            enable_pass=False,
            calza_who="turn_only",
            calza_two_players=True,
            start_mode="random",
        ),
        "the full game as the Perudo thesis simulated it: no passing, calza on your turn",
    ),
    "common": Preset(_COMMON, "just bids on 2-6 and dudo, ones wild; up to ten players"),
    "common_aces": Preset(
        replace(_COMMON, ace_rank="above_double", ace_exit_plus_one=False),
        "common, with bids on ones at half the quantity and back at double",
    ),
    "common_palafico": Preset(
        replace(
            _COMMON,
            palafico="automatic",
            palafico_aces_wild=True,
            palafico_face_change="nobody",
            two_player_palafico="full",
        ),
        "common, with a palafico round that fixes the face; ones stay wild",
    ),
    "perudish2": Preset(
        replace(_COMMON, max_players=2, single_round=True),
        "two players, single hands of five dice, ones wild",
    ),
    "perudish_n": Preset(replace(_COMMON, max_players=6), "perudish for two to six players"),
    "uk": Preset(_UK, "the British booklet: calza by the others, no passing"),
    "asmodee": Preset(
        replace(
            _UK,
            raise_rule="one_of_two",
            palafico_face_change="nobody",
            start_mode="random",
        ),
        "a raise changes the quantity or the face; palafico faces stay fixed",
    ),
    "wikipedia": Preset(
        replace(_UK, calza_who="turn_only", calza_reward="void", palafico_face_change="one_die"),
        "calza on your turn voids the round; one die may change the palafico face",
    ),
    "dudo_ai": Preset(
        replace(
            _OFFICIAL,
            max_players=2,
            ace_rank="lowest",
            ace_opening="yes",
            palafico="off",
            calza=False,
            enable_pass=False,
        ),
        "two players; ones are the lowest face, wild for the others",
    ),
    "openspiel": Preset(
        replace(
            _OFFICIAL,
            max_players=2,
            single_round=True,
            start_mode="fixed",
            wild="highest",
            ace_rank="lowest",
            ace_opening="yes",
            palafico="off",
            calza=False,
            enable_pass=False,
        ),
        "OpenSpiel's liars_dice: two players, one round, sixes wild",
    ),
}
