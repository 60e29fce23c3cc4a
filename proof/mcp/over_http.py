"""The Python SDK as a client of `manicule serve` at /mcp, over Streamable HTTP: tools, a call of each kind, progress, what is refused.

    http.py MODE PROGRAM FOLDER

MODE is as of client.py, PROGRAM is manicule-server. Ends with 1 on a difference.
"""

import asyncio
import socket
import subprocess
import sys
import time

from mcp import Client

MODE, PROGRAM, FOLDER = sys.argv[1:]
REVISION = {"auto": "2026-07-28", "legacy": "2025-11-25"}[MODE]


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got!r}, expected {want!r}")


def free_port():
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        return own.getsockname()[1]


def wait_for(port):
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit("the server doesn't listen")


async def main(port):
    async with Client(f"http://127.0.0.1:{port}/mcp", mode=MODE) as client:
        check("revision", client.protocol_version, REVISION)
        check("tools", len((await client.list_tools()).tools), 8)

        async def ask(tool, arguments, **more):
            result = await client.call_tool(tool, arguments, **more)
            check(f"{tool} {arguments}: {result.content[0].text}", bool(result.is_error), False)
            return result.structured_content

        found = await ask("find", {"text": "parse_config"})
        check("the best file", found["files"][0]["path"], "notes/config.rs")
        samples = await ask("series", {"table": "samples", "limit": 5})
        check("samples", len(samples["rows"]), 5)
        rest = await ask("series", {"table": "samples", "limit": 5, "cursor": samples["next"]})
        check("the next page", len(rest["rows"]), 5)
        told = []

        async def progress(done, _all, _message):
            told.append(done)

        verified = await ask("verify", {"paths": ["metrics"]}, progress_callback=progress)
        check("verified", (verified["ok"], len(told) > 0), (True, True))
        refused = await client.call_tool("inspect", {"paths": [FOLDER]})
        check("a path is refused", bool(refused.is_error), True)


port = free_port()
words = ["--listen", f"127.0.0.1:{port}", f"metrics={FOLDER}/block", f"notes={FOLDER}/src"]
server = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    wait_for(port)
    asyncio.run(main(port))
finally:
    server.terminate()
    server.wait()
print(f"python {REVISION} over HTTP: done")
