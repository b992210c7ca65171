"""HTTP: rules, opponents and tables."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from perudo.agents.registry import AGENTS
from perudo.server.ai.catalogue import LEVELS, largest, offered, parameters_of, work_parameters
from perudo.server.hosted import HOSTING, parsed
from perudo.server.http.auth import ServerHere, Visitor
from perudo.server.wire.bodies import (
    AgentChoice,
    Agents,
    Levels,
    RuleBook,
    Status,
    TableAnswer,
    TableList,
    TableName,
)
from perudo.server.wire.table_options import TableOptions

router = APIRouter(prefix="/api", tags=["tables"])


@router.get("/rules")
async def rules() -> RuleBook:
    """Return the presets with summaries, and every option with its values."""
    game = HOSTING.game
    options = {name: game.setting_options(parsed(name)) for name in game.presets}
    usual = options[game.presets[0]]
    return {
        "presets": [
            {
                "name": name,
                "summary": HOSTING.summary(name),
                "max_players": HOSTING.max_players(parsed(name)),
                "options": values,
                "differs": [option for option in values if values[option] != usual[option]],
            }
            for name, values in options.items()
        ],
        "options": {name: list(values) for name, values in HOSTING.options.items()},
    }


@router.get("/levels")
async def levels() -> Levels:
    """Return the AI levels that players choose from, weakest first."""
    return {
        "levels": [
            {"name": name, "agent": level.agent, "summary": level.summary}
            for name, level in LEVELS.items()
        ]
    }


@router.get("/agents")
async def agents(server: ServerHere) -> Agents:
    """Return the built-in AIs, by level and, for experts, by name with parameters."""
    most_work = server.settings.ai_work
    found = [_agent(name) for name in offered()]
    return {**await levels(), "agents": found, "most_work": most_work}


def _agent(name: str) -> AgentChoice:
    agent = AGENTS[name]()
    return {
        "name": name,
        "idea": agent.idea,
        "source": agent.source,
        "work": work_parameters(agent),
        "parameters": [
            {
                "name": option.name,
                "default": getattr(agent, option.name),
                "lowest": option.metadata.get("range", (None,))[0],
                "highest": largest(agent, option.name),
                "values": option.metadata.get("values"),
            }
            for option in parameters_of(agent)
        ],
    }


@router.get("/tables")
async def tables(
    server: ServerHere,
    status: Annotated[list[Status] | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> TableList:
    """List public tables that wait for players, and games to watch."""
    return {"tables": await server.lobby.listing(status or ("waiting", "playing"), limit)}


@router.post("/tables", status_code=201)
async def new_table(body: TableOptions, person: Visitor, server: ServerHere) -> TableName:
    """Create a table; take a seat with ``sit`` over the WebSocket."""
    return {"table": await server.lobby.create(person, body)}


@router.get("/tables/{table}")
async def one_table(table: str, server: ServerHere) -> TableAnswer:
    """Return a table without its game; a private table's id works as its link."""
    return {"info": await server.lobby.info(table)}
