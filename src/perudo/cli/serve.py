"""``perudo serve``: its flags, each with a variable of the environment."""

from __future__ import annotations

from typing import Annotated

import typer

Text = str | None


def serve(
    database: Annotated[
        str,
        typer.Option(
            envvar="PERUDO_DATABASE",
            help="sqlite:///file, or postgresql://user:password@host/name.",
        ),
    ] = "sqlite:///perudo.db",
    redis: Annotated[
        Text,
        typer.Option(
            envvar="PERUDO_REDIS",
            help="redis://host:6379/0, through which several processes on one PostgreSQL database "
            "reach each other; give it to each of them.",
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            envvar="PERUDO_WORKERS",
            help="Processes that serve on this machine; more than one needs --redis.",
            min=1,
            max=64,
        ),
    ] = 1,
    host: Annotated[
        str, typer.Option(envvar="PERUDO_HOST", help="The address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(envvar="PERUDO_PORT", help="The port to listen on.", min=1, max=65535)
    ] = 8000,
    lan: Annotated[
        bool,
        typer.Option(
            "--lan",
            envvar="PERUDO_LAN",
            help="Listen on all interfaces and print the address with a code to scan.",
        ),
    ] = False,
    origins: Annotated[
        str,
        typer.Option(
            envvar="PERUDO_ORIGINS",
            help="Web origins that may use the service, separated by commas: https://dice.example.",
        ),
    ] = "",
    trusted_proxies: Annotated[
        str,
        typer.Option(
            envvar="PERUDO_TRUSTED_PROXIES",
            help="Addresses of reverse proxies whose X-Forwarded headers are believed.",
        ),
    ] = "",
    secure_cookies: Annotated[
        bool,
        typer.Option(
            envvar="PERUDO_SECURE_COOKIES", help="Session cookies travel over https only."
        ),
    ] = False,
    registration: Annotated[
        bool,
        typer.Option(envvar="PERUDO_REGISTRATION", help="Whether new accounts can be made."),
    ] = True,
    metrics_token: Annotated[
        Text,
        typer.Option(
            envvar="PERUDO_METRICS_TOKEN",
            help="Bearer token that opens /metrics to other machines; without it only this one.",
        ),
    ] = None,
    ai_processes: Annotated[
        int | None,
        typer.Option(
            "--ai-processes",
            "--thinkers",  # its name in 0.1.0
            envvar=["PERUDO_AI_PROCESSES", "PERUDO_THINKERS"],
            help="AI processes of each worker; by default as many as cores in all.",
            min=1,
            max=64,
        ),
    ] = None,
    think_seconds: Annotated[
        float,
        typer.Option(
            envvar="PERUDO_THINK_SECONDS",
            help="An AI that thinks longer is replaced by a plain move.",
            min=0.1,
            max=30.0,
        ),
    ] = 5.0,
    ai_memory_mb: Annotated[
        int,
        typer.Option(
            "--ai-memory-mb",
            "--thinker-memory-mb",  # its name in 0.1.0
            envvar=["PERUDO_AI_MEMORY_MB", "PERUDO_THINKER_MEMORY_MB"],
            help="Memory of an AI process.",
            min=256,
        ),
    ] = 2048,
    pace_seconds: Annotated[
        float,
        typer.Option(
            envvar="PERUDO_PACE_SECONDS",
            help="AIs and bots wait so long before they answer at a table with a person.",
            min=0.0,
            max=10.0,
        ),
    ] = 1.5,
    reveal_seconds: Annotated[
        float,
        typer.Option(
            envvar="PERUDO_REVEAL_SECONDS",
            help="How long a settled round can be looked at before AIs go on.",
            min=0.0,
            max=30.0,
        ),
    ] = 3.0,
    calza_seconds: Annotated[
        float,
        typer.Option(
            envvar="PERUDO_CALZA_SECONDS",
            help="How long calza can be claimed out of turn after a bid.",
            min=0.1,
            max=15.0,
        ),
    ] = 3.0,
    absence_seconds: Annotated[
        float,
        typer.Option(
            envvar="PERUDO_ABSENCE_SECONDS",
            help="After so long an AI plays for somebody who is away, at public tables.",
            min=1.0,
        ),
    ] = 30.0,
    private_absence_seconds: Annotated[
        float,
        typer.Option(
            envvar="PERUDO_PRIVATE_ABSENCE_SECONDS", help="The same at private tables.", min=1.0
        ),
    ] = 180.0,
    stand_in: Annotated[
        str, typer.Option(envvar="PERUDO_STAND_IN", help="The AI that plays for those away.")
    ] = "observer",
    tables_per_person: Annotated[
        int,
        typer.Option(
            envvar="PERUDO_TABLES_PER_PERSON", help="Tables that one person may have open.", min=1
        ),
    ] = 20,
    ai_games_per_day: Annotated[
        int,
        typer.Option(
            envvar="PERUDO_AI_GAMES_PER_DAY",
            help="Games between AIs alone that one visitor may have in a day.",
            min=0,
        ),
    ] = 2000,
    address_messages: Annotated[
        int,
        typer.Option(
            envvar="PERUDO_ADDRESS_MESSAGES",
            help="WebSocket messages in 20 seconds from one address.",
            min=1,
        ),
    ] = 600,
    address_requests: Annotated[
        int,
        typer.Option(
            envvar="PERUDO_ADDRESS_REQUESTS",
            help="HTTP requests in a minute from one address.",
            min=1,
        ),
    ] = 300,
    retention_days: Annotated[
        int,
        typer.Option(
            envvar="PERUDO_RETENTION_DAYS",
            help="Casual games and idle guests older than this are deleted; 0: never.",
            min=0,
        ),
    ] = 0,
    log_level: Annotated[
        str, typer.Option(envvar="PERUDO_LOG_LEVEL", help="debug, info, warning or error.")
    ] = "info",
) -> None:
    """Host games for people, bots and AIs, in the browser and over a documented protocol."""
    import os

    from perudo.server.settings import Settings

    settings = Settings(
        database=database,
        redis=redis,
        workers=workers,
        host=host,
        port=port,
        lan=lan,
        origins=_list(origins),
        trusted_proxies=_list(trusted_proxies),
        secure_cookies=secure_cookies,
        registration=registration,
        metrics_token=metrics_token,
        ai_processes=ai_processes or max(2, (os.cpu_count() or 2) // workers),
        think_seconds=think_seconds,
        ai_memory_mb=ai_memory_mb,
        pace_seconds=pace_seconds,
        reveal_seconds=reveal_seconds,
        calza_seconds=calza_seconds,
        absence_seconds=absence_seconds,
        private_absence_seconds=private_absence_seconds,
        stand_in=stand_in,
        tables_per_person=tables_per_person,
        ai_games_per_day=ai_games_per_day,
        address_messages=address_messages,
        address_requests=address_requests,
        retention_days=retention_days,
    )
    from perudo.server.process.run import run

    raise typer.Exit(run(settings, log_level))


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip().rstrip("/") for part in text.split(",") if part.strip())
