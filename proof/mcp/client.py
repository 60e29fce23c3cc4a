"""The Python SDK as a client of `manicule mcp`: each tool over an example of each kind, pages, progress, a call cancelled.

    client.py MODE TRANSCRIPT MANICULE FOLDER

MODE is `auto` (2026-07-28) or `legacy` (2025-11-25). The SDK compares each structured result with the tool's schema. Ends with 1 on a
difference.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters

HERE = Path(__file__).parent
MODE, TRANSCRIPT, MANICULE, FOLDER = sys.argv[1:]
REVISION = {"auto": "2026-07-28", "legacy": "2025-11-25"}[MODE]
SLOW = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?a ?b ?c } GRAPH ?h { ?d ?e ?f } FILTER(?c != ?f) }"


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got!r}, expected {want!r}")


def at(value, pointer):
    for part in pointer.split("/")[1:]:
        value = value[int(part) if isinstance(value, list) else part]
    return value


async def roots(_):
    return types.ListRootsResult(roots=[types.Root(uri=Path(FOLDER).absolute().as_uri())])


async def ask(client, question):
    result = await client.call_tool(question["tool"], question["arguments"])
    text = result.content[0].text
    if "wrong" in question:
        check(f"{question} is an error", result.is_error, True)
        if question["wrong"] not in text:
            sys.exit(f"{question}: {text}")
        return
    check(f"{question}: {text}", bool(result.is_error), False)
    check(f"{question}: text", json.loads(text), result.structured_content)
    for pointer, want in question["wanted"].items():
        check(f"{question} {pointer}", at(result.structured_content, pointer), want)


async def pages(client, tool, arguments, items):
    """All items of all pages."""
    found, cursor, count = [], None, 0
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        result = await client.call_tool(tool, arguments | more)
        check("a page", bool(result.is_error), False)
        found += result.structured_content[items]
        count += 1
        cursor = result.structured_content["next"]
        if cursor is None:
            return found, count


async def main():
    words = [str(HERE / "tee.py"), TRANSCRIPT, MANICULE, "mcp", "--no-index"]
    server = StdioServerParameters(
        command=sys.executable, args=words, cwd=FOLDER, env=dict(os.environ) | {"RESTIC_PASSWORD": "manicule-golden"}
    )
    async with Client(server, mode=MODE, list_roots_callback=roots) as client:
        check("revision", client.protocol_version, REVISION)
        tools = (await client.list_tools()).tools
        names = [tool.name for tool in tools]
        check("tools", names, ["find", "inspect", "verify", "series", "rows", "code", "graph", "blobs"])
        check("read-only", {tool.annotations.read_only_hint for tool in tools}, {True})
        for question in json.loads((HERE / "questions.json").read_text()):
            await ask(client, question)

        samples, count = await pages(client, "series", {"table": "samples", "paths": ["block"], "limit": 5}, "rows")
        check("samples, pages", (len(samples), count), (12, 3))
        files, count = await pages(client, "find", {"text": "config", "paths": ["src"], "budget": 900}, "files")
        check("files, each once", len({file["path"] for file in files}), len(files))
        check("several pages", count > 1, True)

        told = []

        async def progress(done, _all, _message):
            told.append(done)

        await client.call_tool("verify", {"paths": ["block", "store"]}, progress_callback=progress)
        check("progress rises", told == sorted(set(told)) and len(told) > 0, True)

        # Given up after a second: the SDK says so, and the server answers others meanwhile.
        slow = {"table": "solutions", "paths": ["store"], "query": SLOW}
        with anyio.move_on_after(1) as scope:
            await client.call_tool("graph", slow)
        check("the slow call is cancelled", scope.cancelled_caught, True)
        await ask(client, {"tool": "series", "arguments": {"table": "blocks", "paths": ["block"]}, "wanted": {"/complete": True}})


asyncio.run(main())
print(f"python {REVISION}: done")
