"""`memgit mcp` over the official Python SDK: the protocol around the table of tools.

All work is done by one thread, one call after another: the repository is opened once, and no two writes of this
server meet. The protocol is https://modelcontextprotocol.io/specification.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import signal
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from memgit import __version__
from memgit.app.read.engines import ahead
from memgit.errors import MemgitError, Refused
from memgit.mcp import reading
from memgit.mcp.desk import Caller, Desk, Tool
from memgit.mcp.mnema import BY_SET
from memgit.mcp.tools import check

T = TypeVar("T")

ABOUT = (
    "The user's knowledge repository: Markdown records in git. Call context_bootstrap at the start, recall at each turn, "
    "and ask the user before you record what was learned. Search before you record; update rather than duplicate."
)
SLICE = 0.05
"""Seconds of work ahead that a call may have to wait for."""
MAX_BODY = 8 * 1024 * 1024
"""Bytes of one request over HTTP."""


class Cancelled(Exception):
    """The client has given a call up."""


class Served:
    """One server: its tools, the desk they work at, and the thread that does the work."""

    def __init__(
        self,
        folder: str,
        env: Mapping[str, str],
        tools: str,
        actor: str | None = None,
        run: str | None = None,
    ) -> None:
        self._tools: dict[str, Tool] = {tool.name: tool for tool in BY_SET[tools]}
        self._actor, self._run = actor, run or secrets.token_hex(4)
        self._given_run = run is not None
        self._thread = ThreadPoolExecutor(1, "memgit")
        self._closing = self._idling = False
        self._desk = self._thread.submit(Desk, folder, env).result()
        self.server: Server[Any] = Server(
            "memgit",
            version=__version__,
            title="memgit",
            instructions=ABOUT,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    def close(self) -> None:
        """Waits for what is being done, then lets go of the repository."""
        self._closing = True
        self._thread.submit(self._desk.close).result()
        self._thread.shutdown(wait=True)

    async def stdio(self) -> None:
        """Serves one client on standard input and output until it ends them or a signal comes."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end)
        async with stdio_server() as (read, write):
            await self.server.run(read, write, self.server.create_initialization_options())

    def _end(self) -> None:
        """Ends the process at a signal, after what is being done; the thread that waits for input would hold it."""
        self.close()
        os._exit(0)

    async def _work(self, ctx: Any, work: Callable[[Desk], T]) -> T:
        """What `work` gives, done by the one thread for the client of a request. A call that is cancelled before
        its turn is not done; one that is under way stops at its next step, before it commits anything.
        """
        loop = asyncio.get_running_loop()
        gone = Event()
        steps = 0

        def progress(message: str) -> None:
            nonlocal steps
            if gone.is_set():
                raise Cancelled
            steps += 1
            asyncio.run_coroutine_threadsafe(ctx.session.report_progress(steps, message=message), loop)

        caller = Caller(self._actor or _client(ctx), self._run_of(ctx), progress)

        def done() -> T:
            if gone.is_set():
                raise Cancelled
            self._desk.caller = caller
            try:
                return work(self._desk)
            finally:
                self._idle()

        future = self._thread.submit(done)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            gone.set()
            raise

    def _idle(self) -> None:
        """Has the thread work ahead for the search engine, in slices between calls."""
        if not (self._idling or self._closing):
            self._idling = True
            self._thread.submit(self._work_ahead)

    def _work_ahead(self) -> None:
        self._idling = False
        if not self._closing and ahead(self._desk.workspace, SLICE):
            self._idle()

    def _run_of(self, ctx: Any) -> str:
        """The run of a request: this process, or the session of a client over HTTP."""
        session = "" if ctx.request is None else ctx.request.headers.get("mcp-session-id", "")
        return self._run if self._given_run or not session else session[:8]

    async def _list_tools(self, ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[described(tool) for tool in self._tools.values()])

    async def _call_tool(self, ctx: Any, params: Any) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"there is no tool {params.name!r}")
        given = params.arguments or {}

        def work(desk: Desk) -> Mapping[str, Any]:
            check(tool, given)
            return tool.call(desk, given)

        try:
            answer = dict(await self._work(ctx, work))
            return result(answer, said=answer.pop("text") if tool.speaks else None)
        except MemgitError as error:
            return result(error_json(error), failed=True)
        except (OSError, RecursionError) as error:
            return result(error_json(Refused(str(error) or type(error).__name__)), failed=True)

    async def _list_resources(self, ctx: Any, params: Any) -> types.ListResourcesResult:
        cursor = params.cursor if params is not None else None
        if cursor and not cursor.isdigit():
            raise MCPError(code=types.INVALID_PARAMS, message=f"{cursor!r} is not a cursor of this list")
        found, after = await self._work(ctx, partial(reading.listed, start=int(cursor or 0)))
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=one.uri, name=one.name, description=one.about, mime_type="text/markdown")
                for one in found
            ],
            next_cursor=None if after is None else str(after),
        )

    async def _list_templates(self, ctx: Any, params: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=f"{reading.SCHEME}{{+address}}",
            name="record",
            description="A record by its address or id",
            mime_type="text/markdown",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def _read_resource(self, ctx: Any, params: Any) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            text = await self._work(ctx, partial(reading.content, uri=uri))
        except MemgitError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data=error_json(error)) from None
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)]
        )

    async def _list_prompts(self, ctx: Any, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=one.name,
                    description=one.about,
                    arguments=[
                        types.PromptArgument(
                            name=one.argument[0], description=one.argument[1], required=False
                        )
                    ],
                )
                for one in reading.PROMPTS
            ]
        )

    async def _get_prompt(self, ctx: Any, params: Any) -> types.GetPromptResult:
        given = " ".join(str(value) for value in (params.arguments or {}).values())
        try:
            text = reading.prompted(params.name, given)
        except MemgitError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data=error_json(error)) from None
        return types.GetPromptResult(
            messages=[types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))]
        )


def described(tool: Tool) -> types.Tool:
    """A tool as clients see it."""
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.reads,
        destructive_hint=tool.destroys,
        idempotent_hint=tool.repeats or tool.reads,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=hints,
    )


def result(value: dict[str, Any], *, said: str | None = None, failed: bool = False) -> types.CallToolResult:
    """A structured result; its text is `said`, else the same as JSON, for clients that read no structure. An error is
    text alone: some clients hold every structure to the output schema, that of an error too.
    """
    shown = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
    text = shown if said is None else said.encode("utf-8", "replace").decode()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=None if failed else json.loads(shown),
        is_error=failed,
    )


def error_json(error: MemgitError) -> dict[str, Any]:
    """An error as a client reads it: `{code, message, path, line, hint}`; the code is the name of its kind."""
    return error.as_json(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).lower())


def _client(ctx: Any) -> str:
    """The name of the client, as an actor is written."""
    params = ctx.session.client_params
    name = params.client_info.name if params is not None else "mcp"
    return re.sub(r"[^\w.@+-]+", "-", name).strip("-")[:60] or "mcp"


def serve_stdio(served: Served) -> None:
    """Serves standard input and output; returns at its end."""
    try:
        asyncio.run(served.stdio())
    finally:
        served.close()


def serve_http(served: Served, port: int, token: str) -> None:
    """Serves streamable HTTP at `/mcp` on loopback, to clients that send the token as a bearer; until a signal."""
    import uvicorn

    app = served.server.streamable_http_app(max_request_body_size=MAX_BODY)
    config = uvicorn.Config(
        guarded(app, token), host="127.0.0.1", port=port, log_level="warning", log_config=None
    )
    server = uvicorn.Server(config)
    sys.stderr.write(f"memgit: serving http://127.0.0.1:{port}/mcp\n")
    sys.stderr.flush()
    try:
        server.run()
    finally:
        served.close()


def guarded(app: Any, token: str) -> Any:
    """An ASGI application behind a bearer token."""
    wanted = f"Bearer {token}".encode()

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        given = (
            dict(scope.get("headers") or ()).get(b"authorization", b"") if scope["type"] == "http" else wanted
        )
        if secrets.compare_digest(given, wanted):
            await app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send(
            {"type": "http.response.body", "body": b"memgit: send the token as Authorization: Bearer\n"}
        )

    return guard
