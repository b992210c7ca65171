"""The command line: arguments only, the work is elsewhere."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.exceptions import TyperException

from perudo import __version__
from perudo.cli.admin import admin
from perudo.cli.serve import serve

if TYPE_CHECKING:
    from perudo.games.game import Game

INTERPRETED_COMMANDS = ("position", "rules", "verify")
"""They look at a few positions: loading the compiler would take longer than the whole answer."""

app = typer.Typer(
    name="perudo",
    help="Play, host and study Perudo (Liar's Dice, Dudo) and other games of hidden information.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

RulesOption = Annotated[
    str | None,
    typer.Option("--rules", help="Preset, with options after a colon: official:calza=no."),
]
ChangeOption = Annotated[
    list[str] | None, typer.Option("--option", help="name=value; may be given several times.")
]
GameOption = Annotated[str, typer.Option("--game", help="perudo, king_up or rock_paper_scissors.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed gives the same games.")]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", help="Cores to use; all of them.", min=1, max=256)
]
EngineOption = Annotated[str, typer.Option("--engine", help="processes or dask.")]
AddressOption = Annotated[
    str, typer.Option("--address", help="A Dask scheduler's: tcp://host:8786.")
]
TimeoutOption = Annotated[
    float, typer.Option("--timeout", help="Seconds that a decision may take.", min=0.01)
]


def main() -> None:
    """Run a command; what is wrong with its input is said in one line, with exit code 2."""
    if len(sys.argv) > 1 and sys.argv[1] in INTERPRETED_COMMANDS:
        os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
    try:
        code = app(standalone_mode=False)
    except TyperException as error:
        _fail(error.format_message())
    except (typer.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except ValueError as error:
        from perudo.games.errors import PerudoError

        if not isinstance(error, PerudoError):
            raise
        _fail(str(error))
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    print(f"perudo: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)


def _setting(game: Game, rules: str | None, changes: list[str] | None) -> Any:
    """The rules asked for: a preset, options after its colon, options given singly."""
    text = rules or game.presets[0]
    if changes:
        text += ("," if ":" in text else ":") + ",".join(changes)
    return game.setting(text)


@app.callback(invoke_without_command=True)
def front(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Play, host and study Perudo (Liar's Dice, Dudo) and other games of hidden information."""
    if version:
        print(f"perudo {__version__}")
        raise typer.Exit


app.command()(serve)
app.add_typer(admin)


@app.command()
def play(
    rules: RulesOption = None,
    option: ChangeOption = None,
    against: Annotated[
        str, typer.Option("--against", help="The other players, separated by commas.")
    ] = "random,random",
    game: GameOption = "perudo",
    seed: Annotated[int | None, typer.Option("--seed", help="Makes it repeatable.")] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Sentences, no pictures.")] = False,
    save: Annotated[
        Path | None, typer.Option("--save", help="Keep the record of the match in this file.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Your name in the record.")] = "you",
    server: Annotated[
        str | None, typer.Option("--server", help="Play online: http://host:8000, or a link.")
    ] = None,
    table: Annotated[
        str | None, typer.Option("--table", help="With --server: a table's id, or its link.")
    ] = None,
) -> None:
    """Play a game in the terminal against chosen agents."""
    from perudo.agents.registry import split_agents
    from perudo.games import game_named
    from perudo.terminal.start import start

    chosen = game_named(game)
    setting = _setting(chosen, rules, option)
    if server is not None:
        from perudo.terminal.online import start_online

        others = split_agents(against)
        called = None if name == "you" else name
        raise typer.Exit(start_online(server, table, str(setting), others, called))
    raise typer.Exit(start(chosen, setting, split_agents(against), seed, plain, save, name))


@app.command()
def match(
    agents: Annotated[
        list[str],
        typer.Argument(
            help="Two or more: observer, dumb:prob=0.4, my_agent.py:Mine, 'cmd:node bot.js'."
        ),
    ],
    games: Annotated[int, typer.Option("--games", help="How many games or rounds.", min=1)] = 1000,
    rules: RulesOption = None,
    option: ChangeOption = None,
    dice: Annotated[
        str | None, typer.Option("--dice", help="Dice each, or by seat: 2 or 2,1.")
    ] = None,
    mode: Annotated[
        str, typer.Option("--mode", help="games, or rounds: each from the starting dice.")
    ] = "games",
    seating: Annotated[str, typer.Option("--seating", help="shuffled or fixed.")] = "shuffled",
    seed: SeedOption = 1,
    workers: WorkersOption = None,
    series: Annotated[
        int, typer.Option("--series", help="Games after which memories begin anew.", min=1)
    ] = 1000,
    game: GameOption = "perudo",
    timeout: TimeoutOption = 30.0,
    by_seat: Annotated[bool, typer.Option("--by-seat", help="Win rates by seat too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Let agents play many games against each other and compare them."""
    from perudo.cli.match import run_match
    from perudo.games import game_named
    from perudo.lab.contest import Contest
    from perudo.lab.solve.counting import dice_by_seat
    from perudo.terminal.entrants import entrants

    chosen = game_named(game)
    setting = _setting(chosen, rules, option)
    contest = Contest(
        game=chosen,
        setting=setting,
        agents=entrants(agents, timeout),
        games=games,
        seed=seed,
        mode=mode,
        seating=seating,
        dice=dice_by_seat(dice, len(agents)),
        series=series,
    )
    raise typer.Exit(run_match(contest, workers, timeout, as_json, by_seat))


@app.command()
def tournament(
    agents: Annotated[list[str], typer.Argument(help="Two or more, named as in perudo match.")],
    players: Annotated[
        int | None, typer.Option("--players", help="Seats at each table; 4, or 2 with --sprt.")
    ] = None,
    games: Annotated[int, typer.Option("--games", help="How many, at most.", min=1)] = 10_000,
    rules: RulesOption = None,
    option: ChangeOption = None,
    seed: SeedOption = 1,
    series: Annotated[
        int | None,
        typer.Option(
            "--series", help="Deals in a block: 1, or 20 if an agent remembers.", min=1, max=10_000
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Keep the games in this directory; go on with those there."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write a page of tables and plots.")
    ] = None,
    sprt: Annotated[
        bool, typer.Option("--sprt", help="Test whether the first is better; stop when known.")
    ] = False,
    elo0: Annotated[float, typer.Option("--elo0", help="Not better: by so much or less.")] = 0.0,
    elo1: Annotated[float, typer.Option("--elo1", help="Better: by so much or more.")] = 20.0,
    alpha: Annotated[float, typer.Option("--alpha", help="Chance of a wrong 'better'.")] = 0.025,
    beta: Annotated[float, typer.Option("--beta", help="Chance of a wrong 'not better'.")] = 0.025,
    workers: WorkersOption = None,
    engine: EngineOption = "processes",
    address: AddressOption = "",
    game: GameOption = "perudo",
    timeout: TimeoutOption = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Rate agents: all meet at tables, seats rotated, with the same dice. Can be interrupted."""
    from perudo.cli.tournament import Wish, entered, run_tournament
    from perudo.games import game_named
    from perudo.lab.tournament.sprt import Hypotheses

    chosen = game_named(game)
    test = Hypotheses(elo0, elo1, alpha, beta) if sprt else None
    wish = Wish(games, timeout, engine, workers, address, out, report, as_json, test)
    setting = _setting(chosen, rules, option)
    entry = entered(agents, chosen, setting, players, seed, series, wish)
    raise typer.Exit(run_tournament(*entry, wish))


@app.command()
def ladder(
    players: Annotated[
        str, typer.Option("--players", help="Table sizes, each rated apart: 2,4,6.")
    ] = "2,4,6",
    games: Annotated[
        int | None,
        typer.Option("--games", help="Of each agent at each size; 1000, quick 100.", min=1),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer games, wider intervals.")] = False,
    rules: RulesOption = None,
    option: ChangeOption = None,
    seed: SeedOption = 1,
    workers: WorkersOption = None,
    levels: Annotated[
        bool, typer.Option("--levels", help="Play nothing: choose levels by the ladder there is.")
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Keep ladder and levels, in the source's directory.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Rate all agents at several table sizes, and choose levels for people. Can be interrupted."""
    from perudo.cli import ladder as ladder_view
    from perudo.games.perudo import PERUDO

    if levels:
        raise typer.Exit(ladder_view.choose_levels(write, as_json))
    order = ladder_view.Order(
        players=ladder_view.sizes(players),
        games=ladder_view.games_each(games, quick),
        rules=_setting(PERUDO, rules, option),
        seed=seed,
        workers=workers,
        write=write,
        as_json=as_json,
    )
    raise typer.Exit(ladder_view.run_ladder(order))


@app.command("agents")
def list_agents(
    name: Annotated[str | None, typer.Argument(help="Show one, with its parameters.")] = None,
    time: Annotated[
        bool, typer.Option("--time", help="Measure the time that each takes to decide.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """The agents, with their ideas, sources and parameters."""
    from perudo.agents.registry import agent_named
    from perudo.cli import match as match_view

    if name is not None:
        agent_named(name)  # says what there is, if not this
    if as_json:
        print(json.dumps(match_view.agents_data(name, time)))
    else:
        match_view.show_agents(name, time)


@app.command()
def rules(
    preset: Annotated[str | None, typer.Argument(help="Show only this one, with options.")] = None,
    as_json: JsonOption = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The table of docs/rules.md.")
    ] = False,
) -> None:
    """Presets and their options."""
    from perudo.cli import rules as rulebook

    if markdown:
        print(rulebook.markdown_table())
    elif as_json:
        print(json.dumps(rulebook.data(preset)))
    else:
        rulebook.show(preset)


@app.command()
def position(
    notation: Annotated[
        str, typer.Argument(help="'official 11246/???/? B 3x4', see docs/rules.md.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Show a position with its legal actions and their exact odds."""
    from perudo.cli import position as position_view

    if as_json:
        print(json.dumps(position_view.data(notation)))
    else:
        position_view.show(notation)


@app.command()
def perft(
    rules: RulesOption = None,
    option: ChangeOption = None,
    players: Annotated[int | None, typer.Option("--players", help="How many.")] = None,
    dice: Annotated[
        str | None, typer.Option("--dice", help="Dice each, or by seat: 2 or 2,1.")
    ] = None,
    game: GameOption = "perudo",
    as_json: JsonOption = False,
) -> None:
    """Count one round's tree, for checking rules."""
    from perudo.games import game_named
    from perudo.lab.solve.counting import count_tree

    chosen = game_named(game)
    counted = count_tree(chosen, _setting(chosen, rules, option), players, dice)
    if as_json:
        print(json.dumps(counted))
    else:
        for key, value in counted.items():
            print(
                f"{key.replace('_', ' '):18} {value:,}"
                if isinstance(value, int)
                else f"{key.replace('_', ' '):18} {value}"
            )


@app.command()
def reproduce(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Experiments, patterns such as 'RO-*', or all."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer games, wider intervals.")] = False,
    seed: SeedOption = 1,
    add: Annotated[
        list[str] | None,
        typer.Option("--add", help="Seat this agent too where possible: my_agent.py:Mine."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Write results.md, figures (PNG, SVG) and data here; 'all': docs."
        ),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option("--records", help="Records of games with people, for 5.5 and S3-h."),
    ] = None,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rerun the papers' experiments; without IDs, list them."""
    from perudo.cli import reproduce as reproduce_view
    from perudo.lab.experiments.experiment import Conditions

    if not ids:
        reproduce_view.list_experiments(as_json)
        return
    conditions = Conditions(quick=quick, seed=seed, workers=workers, records=records)
    raise typer.Exit(reproduce_view.reproduce(ids, conditions, add or [], out, as_json))


@app.command()
def solve(
    rules: RulesOption = None,
    option: ChangeOption = None,
    dice: Annotated[str, typer.Option("--dice", help="Dice of each player: 2,1.")] = "1,1",
    target: Annotated[
        float, typer.Option("--target", help="Stop at this exploitability.", min=1e-12)
    ] = 1e-3,
    variant: Annotated[
        str, typer.Option("--variant", help="cfr, cfr+ or dcfr; mccfr for any number of players.")
    ] = "dcfr",
    memory: Annotated[
        int | None,
        typer.Option("--memory", help="For large rounds: remember the last K moves.", min=1),
    ] = None,
    iterations: Annotated[
        int,
        typer.Option("--iterations", help="With --memory or mccfr: deals to learn from.", min=1),
    ] = 100_000,
    bound_rounds: Annotated[
        int,
        typer.Option(
            "--bound-rounds", help="With --memory or mccfr: rounds for a lower bound.", min=0
        ),
    ] = 500,
    precision: Annotated[int, typer.Option("--precision", help="Bits of a number: 32 or 64.")] = 64,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Stop after so long at the latest.", min=0.1)
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Keep the strategy in this file.")
    ] = None,
    game: GameOption = "perudo",
    as_json: JsonOption = False,
) -> None:
    """Solve a round between two players, the first of whom opens, to a given exploitability.

    Larger rounds are learnt instead: --memory K, or --variant mccfr for more players.
    """
    from perudo.cli.solve import run_learn, run_solve
    from perudo.games import game_named
    from perudo.lab.solve.counting import dice_by_seat
    from perudo.lab.solve.solving import start_of

    chosen = game_named(game)
    setting = _setting(chosen, rules, option)
    counts = dice_by_seat(dice, 2) if chosen.name == "perudo" else None
    if memory is not None or variant == "mccfr":
        start = start_of(chosen, setting, counts)
        sampled = variant == "mccfr"
        raise typer.Exit(
            run_learn(start, memory, sampled, iterations, seconds, bound_rounds, save, as_json)
        )
    raise typer.Exit(
        run_solve(chosen, setting, counts, target, variant, precision, seconds, save, as_json)
    )


@app.command()
def exploitability(
    agent: Annotated[str, typer.Argument(help="As in perudo match.")],
    rules: RulesOption = None,
    option: ChangeOption = None,
    dice: Annotated[str, typer.Option("--dice", help="Dice of each player: 2,1.")] = "1,1",
    method: Annotated[
        str, typer.Option("--method", help="exact, local, trained, or auto: what is possible.")
    ] = "auto",
    rounds: Annotated[
        int, typer.Option("--rounds", help="For a lower bound: rounds in each seat.", min=2)
    ] = 2_000,
    game: GameOption = "perudo",
    seed: Annotated[int, typer.Option("--seed", help="For a lower bound: its luck.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """What somebody who knew an agent could win from it in one round, on average over the seats.

    Exactly in small rounds of two, if the agent states its chances; elsewhere a lower bound: what
    an answer to the agent, found by search or learnt, did win.
    """
    from perudo.cli.solve import show
    from perudo.games import game_named
    from perudo.lab.solve.counting import dice_by_seat
    from perudo.lab.solve.exploitability import measure
    from perudo.lab.solve.lower_bound import Effort
    from perudo.lab.solve.solving import start_of
    from perudo.terminal.entrants import entrant

    chosen = game_named(game)
    setting = _setting(chosen, rules, option)
    counts = dice_by_seat(dice, 2) if chosen.name == "perudo" else None
    player = entrant(agent)
    try:
        effort = Effort(rounds=rounds, seed=seed)
        found = measure(player, start_of(chosen, setting, counts), method, effort)
    finally:
        player.close()
    if as_json:
        print(json.dumps(found))
    else:
        show(found)


@app.command()
def train(
    agent: Annotated[str, typer.Argument(help="champion: the only one that is trained.")],
    out: Annotated[
        Path,
        typer.Option("--out", help="A directory for what was learnt; goes on with what is there."),
    ] = Path("champion"),
    part: Annotated[
        str, typer.Option("--part", help="many: tables of three and more; two; or both.")
    ] = "both",
    quick: Annotated[
        bool, typer.Option("--quick", help="Minutes instead of hours, to see that it works.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="The same seed learns the same.")] = 1,
    workers: WorkersOption = None,
    engine: EngineOption = "processes",
    address: AddressOption = "",
) -> None:
    """Make anew what the champion has learnt. Can be interrupted, and goes on where it was."""
    from perudo.cli.train import run_train

    if agent != "champion":
        _fail(f"{agent} is not trained; champion is")
    raise typer.Exit(run_train(out, part, quick, seed, workers, engine, address))


@app.command("review")
def review_game(
    record: Annotated[str, typer.Argument(help="A record or transcript; - reads it from stdin.")],
    player: Annotated[
        list[str] | None, typer.Option("--player", help="Only this player: a name or a seat.")
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", help="Tell what this agent would have done; champion."),
    ] = None,
    model: Annotated[
        str,
        typer.Option("--model", help="Who judges costs; others than champion play on everywhere."),
    ] = "champion",
    samples: Annotated[
        int, typer.Option("--samples", help="Deals for each decision; 0: no costs.", min=0)
    ] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same costs.")] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object for each decision.")
    ] = False,
) -> None:
    """Review a finished game: what each decision was worth, as the player could know it."""
    from perudo.cli.review import run_review

    raise typer.Exit(run_review(record, player or [], agent or [], model, samples, seed, as_json))


@app.command()
def verify(
    record: Annotated[Path, typer.Argument(help="A file that --save wrote.")],
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Accept a match that was left early.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Replay a record, check every event, and print the match."""
    from perudo.fair_dice import check_dice, has_fair_dice
    from perudo.record import MatchRecord

    match = MatchRecord.load(record, unfinished=unfinished)
    dice = check_dice(match) if has_fair_dice(match) else None
    if as_json:
        print(json.dumps({"events": len(match.events), "finished": match.finished, "dice": dice}))
    else:
        print(match.transcript())
        print(f"{len(match.events)} events replay exactly")
        if dice is not None:
            print(f"{dice['hands']} hands in {dice['rounds']} rounds follow from {dice['anchor']}")


@app.command()
def bench(
    as_json: JsonOption = False,
    seconds: Annotated[float, typer.Option("--seconds", help="Time for each row.", min=0.1)] = 2.0,
    section: Annotated[
        list[str] | None,
        typer.Option(
            "--section",
            help="Only this: rounds, environments, matches, rollouts, decisions, searching or "
            "solving; may be repeated.",
        ),
    ] = None,
) -> None:
    """Measure speed on one core, beside OpenSpiel in the same run where it is installed."""
    from perudo.lab.bench import rates as benchmark

    rows = benchmark.run(seconds, section or list(benchmark.SECTIONS))
    if as_json:
        print(json.dumps(rows))
    else:
        benchmark.show(rows)


@app.command()
def warm(
    as_json: JsonOption = False,
    workers: Annotated[int, typer.Option("--workers", help="Processes.", min=1, max=64)] = 2,
) -> None:
    """Compile what playing and matches need now, so that nobody waits for it later."""
    from perudo.lab.warm import warm as compile_all

    report = (
        (lambda line: None) if as_json else (lambda line: print(f"compiled {line}", flush=True))
    )
    seconds = compile_all(workers, report)
    if as_json:
        print(json.dumps({"seconds": round(seconds, 2)}))
    else:
        print(f"all kernels are ready ({seconds:.0f} s)")
