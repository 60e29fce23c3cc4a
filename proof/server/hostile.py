"""What hostile clients do to a server, and that it goes on: many connections, slow ones, heads and bodies without end, tricks with
paths, pages of other sites, guessed tokens; then recorded requests, mutated, for as long as is wanted.

    python3 hostile.py MANICULE SERVER [--seconds N] [--connections N] [--only NAMES]

Needs nothing but Python's library. Ends with 1 where the server has died, answers 500, takes more memory than it may, or where an
update of a page of another site has been done.
"""

import argparse
import base64
import json
import pathlib
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

HOST = "127.0.0.1"
# More than the server may hold for all calls (512 MiB), its program and its buffers.
MEMORY_MIB = 900
TOKEN = "a-token-that-nobody-guesses"


class Server:
    """A server that is started, asked and ended."""

    def __init__(self, program, folder, *words):
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port = free.getsockname()[1]
        command = [program, "--listen", str(self.port), "--memory", "512M", "--timeout", "20", "--grace", "1", *words]
        self.said = open(folder / f"said-{self.port}", "w+b")
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=self.said, stderr=self.said)
        for _ in range(500):
            if self.process.poll() is not None:
                self.fail("it has not begun")
            try:
                if self.get("/healthz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.02)
        self.fail("it doesn't answer")

    def connect(self, timeout=30):
        return socket.create_connection((HOST, self.port), timeout)

    def send(self, request, timeout=30):
        """Status and body of the answer to a request, byte for byte; 0 where the connection is closed without one."""
        with self.connect(timeout) as stream:
            try:
                stream.sendall(request)
            except OSError:
                pass
            answer = b""
            try:
                while part := stream.recv(1 << 16):
                    answer += part
            except OSError:
                pass
        head, _, body = answer.partition(b"\r\n\r\n")
        words = head.split(b" ", 2)
        return (int(words[1]) if len(words) > 1 and words[1].isdigit() else 0), body

    def ask(self, method, target, headers=(), body=b""):
        head = f"{method} {target} HTTP/1.1\r\nConnection: close\r\n"
        if not any(name.lower() == "host" for name, _ in headers):
            head += f"Host: localhost:{self.port}\r\n"
        if body or method in ("POST", "PUT"):
            head += f"Content-Length: {len(body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
        return self.send(head.encode("utf-8", "surrogateescape") + body)

    def get(self, target, headers=()):
        return self.ask("GET", target, headers)

    def memory_mib(self, line="VmHWM"):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split(f"{line}:")[1].split()[0]) / 1024

    def check(self, what):
        """It is there, and has taken no more memory than it may."""
        if self.process.poll() is not None:
            self.fail(f"{what}: it has ended with {self.process.returncode}")
        # A moment in which those that were refused leave.
        for _ in range(100):
            try:
                if self.get("/healthz")[0] == 200:
                    break
            except OSError:
                pass
            time.sleep(0.1)
        else:
            self.fail(f"{what}: it doesn't answer any more")
        memory = self.memory_mib()
        if memory > MEMORY_MIB:
            self.fail(f"{what}: it has taken {memory:.0f} MiB")
        print(f"{what}: it goes on, {memory:.0f} MiB at most", flush=True)

    def fail(self, text):
        self.process.kill()
        self.said.seek(0)
        said = self.said.read()[-2000:].decode(errors="replace")
        raise SystemExit(f"{text}\n{said}")

    def end(self):
        """Asks it to end, and waits."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        if code != 0:
            self.fail(f"asked to end, it ended with {code}")


def connections(server, count):
    """More connections than it takes: some with half a head, some with half a body, some silent."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 100), hard))
    begins = [b"", b"GET /healthz HTTP/1.1\r\nHost: loc", b"POST /update HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nINS"]
    held = []
    try:
        for at in range(count):
            try:
                stream = server.connect(5)
                stream.setblocking(False)
                held.append(stream)
                stream.send(begins[at % len(begins)])
            except OSError:
                pass
        refused = 0
        for stream in held:
            try:
                refused += stream.recv(12)[9:12] in (b"503", b"")
            except OSError as error:
                refused += not isinstance(error, BlockingIOError)
        print(f"{len(held)} connections at a time, {refused} of them refused at once")
        if server.process.poll() is not None:
            server.fail("it has died of connections")
    finally:
        for stream in held:
            stream.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def measureless(server):
    """Heads and bodies without end."""
    for name, request in {
        "a head of 8 MB": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * (8 << 20) + b"\r\n\r\n",
        "100,000 headers": b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"X-%d: 1\r\n" % at for at in range(100_000)) + b"\r\n",
        "a target of 8 MB": b"GET /" + b"x" * (8 << 20) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "a Content-Length of 2^64": b"POST /update HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18446744073709551616\r\n\r\nx",
        "two lengths": b"POST /update HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "a length and chunks": b"POST /update HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        "no Host": b"GET /healthz HTTP/1.1\r\n\r\n",
        "no HTTP": b"\x00\x01\x02\x03\r\n\r\n",
    }.items():
        status, _ = server.send(request)
        if status == 200 or status >= 500:
            server.fail(f"{name}: {status}")
    for kind in ("application/sparql-update", "application/x-www-form-urlencoded", "application/json", "application/x-protobuf"):
        for target in ("/update", "/query", "/store?default", "/api/search", "/api/v1/read", "/api/v1/query", "/mcp", "/ui/find"):
            head = f"POST {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
            chunk = b"100000\r\n" + b"a" * 0x100000 + b"\r\n"
            with server.connect() as stream:
                try:
                    stream.sendall(head.encode())
                    for _ in range(200):
                        stream.sendall(chunk)
                except OSError:
                    continue
                server.fail(f"{target} takes 200 MB of {kind}")


def paths(server):
    """Tricks with paths: nothing outside of what is served."""
    for trick in (
        "/../../../../etc/passwd", "/at/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2fetc%2fpasswd",
        "//etc/passwd", "/at/repo/data/../config", "/at/repo/data/..%2f..%2f..%2fetc%2fpasswd", "/at/repo/keys/%2e%2e%2fconfig",
        "/data/%00", "/keys/..", "/at/store/store/../../../etc/passwd", "/assets/../../etc/passwd", "/ui/table/../../etc", "/.git/config",
        "/at/%73tore/query", "/at/STORE/query", "/at//query", "/at/repo/snapshots/" + "a" * 100_000, "/\\..\\..\\etc\\passwd",
    ):
        status, body = server.get(trick)
        if b"root:" in body or status >= 500:
            server.fail(f"{trick[:80]}: {status}")


def other_sites(server):
    """What a page of another site has a browser send; and a name that was bound to loopback later."""
    update = b"INSERT DATA { <http://evil/> <http://evil/> <http://evil/> }"
    form = b"update=INSERT+DATA+%7B+%3Chttp%3A%2F%2Fevil%2F%3E+%3Chttp%3A%2F%2Fevil%2F%3E+%3Chttp%3A%2F%2Fevil%2F%3E+%7D"
    kinds = [("Content-Type", "application/sparql-update")], [("Content-Type", "application/x-www-form-urlencoded")]
    for headers in (
        [("Origin", "http://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "navigate")], [("Host", "evil.example")], [("Host", f"evil.example:{server.port}")],
        [("Host", "localhost.evil.example")], [("Origin", f"http://localhost:{server.port}.evil.example")],
    ):
        for kind, body in zip(kinds, (update, form)):
            status, _ = server.ask("POST", "/update", [*headers, *kind], body)
            if status // 100 != 4:
                server.fail(f"an update of a page with {headers} is answered with {status}")
    status, body = server.ask("POST", "/query", [("Content-Type", "application/sparql-query"), ("Accept", "text/csv")], b"ASK { <http://evil/> ?p ?o }")
    if status != 200 or b"true" in body:
        server.fail(f"a page of another site has written: {status} {body!r}")


def guesses(program, folder):
    """A token, guessed."""
    (folder / "token").write_text(TOKEN + "\n")
    server = Server(program, folder, "--token-file", "token", "--read-only", "store")
    words = ["", "Bearer", "Bearer ", "Bearer x", "Bearer " + TOKEN[:-1], "Bearer " + TOKEN + "x", "Bearer " + TOKEN.upper(), "Basic !", "Basic Og==", "Digest x"]
    words += ["Basic " + base64.b64encode(pair).decode() for pair in (b"", b":", b"user", b"user:x", TOKEN.encode() + b":", b":" + TOKEN[1:].encode())]
    for word in words:
        status, _ = server.get("/query?query=ASK%7B%7D", [("Authorization", word)])
        if status != 401:
            server.fail(f"Authorization: {word}: {status}")
    if server.get("/query?query=ASK%7B%7D", [("Authorization", "Bearer " + TOKEN)])[0] != 200:
        server.fail("the token is not taken")
    server.end()
    print(f"{len(words)} guessed tokens: refused", flush=True)


def slow_readers(server, count=50):
    """Clients that ask for much and read nothing."""
    query = b"SELECT * { ?a ?b ?c . ?d ?e ?f }"
    head = f"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\nContent-Length: {len(query)}\r\n\r\n"
    held = []
    for _ in range(count):
        stream = server.connect()
        stream.sendall(head.encode() + query)
        held.append(stream)
    time.sleep(3)
    begun = time.monotonic()
    status, _ = server.ask("POST", "/query", [("Content-Type", "application/sparql-query")], b"ASK {}")
    took = time.monotonic() - begun
    if status != 200 or took > 18:
        server.fail(f"beside {count} clients that read nothing a question is answered with {status} after {took:.1f} s")
    for stream in held:
        stream.close()
    print(f"beside {count} clients that read nothing a question took {took:.2f} s")


# Requests as clients send them, by protocol; mutated below.
SEEDS = {
    "sparql": [
        ("GET", "/query?query=SELECT%20*%20%7B%20%3Fs%20%3Fp%20%3Fo%20%7D&default-graph-uri=http%3A%2F%2Fa%2F", [("Accept", "application/sparql-results+xml;q=0.9,*/*")], b""),
        ("POST", "/query", [("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")], b"query=ASK+%7B+GRAPH+%3Fg+%7B+%3Fs+%3Fp+%3Fo+%7D+%7D&named-graph-uri=http%3A%2F%2Fa"),
        ("POST", "/update", [("Content-Type", "application/sparql-update")], b"PREFIX a: <http://a/> WITH <http://g> DELETE { ?s a:p ?o } INSERT { ?s a:q ?o } WHERE { ?s a:p ?o }"),
        ("PUT", "/store?graph=http%3A%2F%2Fg%2F1", [("Content-Type", "text/turtle")], b"@prefix a: <http://a/> . a:s a:p 1, \"x\"@en, [ a:q () ] ."),
        ("GET", "/store?default", [("Accept", "application/rdf+xml")], b""),
        ("POST", "/store", [("Content-Type", "multipart/form-data; boundary=b")], b"--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.ttl\"\r\nContent-Type: text/turtle\r\n\r\n<http://a> <http://b> 1 .\r\n--b--\r\n"),
        ("DELETE", "/store?graph=http%3A%2F%2Fg%2F1", [], b""),
    ],
    "prometheus": [
        ("GET", "/api/v1/label/job/values?match[]=up%7Bjob%3D~%22a.*%22%7D&start=0&end=1700000000.5&limit=2", [], b""),
        ("POST", "/api/v1/query_range", [("Content-Type", "application/x-www-form-urlencoded")], b"query=up%7Bjob%21%3D%22a%22%7D%20offset%205m&start=1700000000&end=1700003600&step=15s"),
        ("GET", "/api/v1/query?query=up%5B5m%5D%20%40%201700000000&time=2023-11-14T22:13:20Z&timeout=1s", [("Accept-Encoding", "gzip")], b""),
        ("GET", "/api/v1/series?match[]=%7B__name__%3D~%22.%2B%22%7D", [], b""),
        ("POST", "/api/v1/read", [("Content-Encoding", "snappy"), ("Content-Type", "application/x-protobuf"), ("X-Prometheus-Remote-Read-Version", "0.1.0")], bytes.fromhex("1a640a18080010808080f8bc311a0a0800120b") + b"\x02up" * 4),
        ("GET", "/api/v1/status/tsdb?limit=5", [], b""),
    ],
    "zoekt": [
        ("POST", "/api/search", [("Content-Type", "application/json")], b'{"Q":"fn main lang:rust -file:test","RepoIDs":[1],"Opts":{"NumContextLines":2,"ChunkMatches":true,"MaxDocDisplayCount":3,"MaxWallTime":1000000}}'),
        ("POST", "/api/search", [], b'{"Q":"(foo or r:bar) sym:baz case:yes \\"a b\\"","Opts":{"Whole":true,"UseBM25Scoring":true}}'),
        ("POST", "/api/list", [], b'{"Q":"r:core","Opts":{"Field":2}}'),
    ],
    "restic": [
        ("HEAD", "/config", [], b""),
        ("GET", "/keys/", [("Accept", "application/vnd.x.restic.rest.v2")], b""),
        ("GET", "/data/" + "0" * 64, [("Range", "bytes=0-99")], b""),
        ("POST", "/locks/" + "a" * 64, [], b"lock"),
        ("DELETE", "/locks/" + "a" * 64, [], b""),
        ("GET", "/snapshots/", [("Accept", "application/vnd.x.restic.rest.v1")], b""),
    ],
    "mcp": [
        ("POST", "/mcp", [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")], b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'),
        ("POST", "/mcp", [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")], b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find","arguments":{"text":"fn main","budget":2000}}}'),
        ("POST", "/mcp", [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")], b'{"jsonrpc":"2.0","id":3,"method":"tools/list"}'),
    ],
    "page": [
        ("GET", "/ui/places", [], b""),
        ("GET", "/ui/find?text=lamp&limit=5", [], b""),
        ("GET", "/", [], b""),
    ],
}


def mutated(seed, chance):
    """A request that is nearly the one that was given."""
    method, target, headers, body = seed

    def bytes_of(own):
        own = bytearray(own)
        for _ in range(chance.randint(0, 3)):
            at = chance.randint(0, len(own))
            what = chance.randint(0, 4)
            if what == 0 and own:
                own[at % len(own)] = chance.randint(0, 255)
            elif what == 1:
                del own[at : at + chance.randint(1, 9)]
            elif what == 2:
                own[at:at] = own[at : at + chance.randint(1, 40)] * chance.randint(1, 30)
            elif what == 3:
                own[at:at] = chance.choice([b"%00", b"%", b"%ff", b"\xff\xfe", b"{", b"}" * 40, b"(" * 2000, b"9" * 30, b"\\", b'"', b"&", b"=", b"-1", b"1e999", b"NaN", b"*"])
            else:
                own[at:at] = bytes(chance.randint(0, 255) for _ in range(chance.randint(1, 8)))
        return bytes(own)

    def text_of(own):
        # What no client can send on a line is escaped: heads that are none are tried above.
        return "".join(chr(byte) if 33 <= byte < 127 else f"%{byte:02x}" for byte in bytes_of(own.encode()))

    if chance.random() < 0.5:
        target = "/" + text_of(target[1:]).lstrip("/")
    if chance.random() < 0.3:
        headers = [(name, text_of(value)) if chance.random() < 0.5 else (name, value) for name, value in headers]
    if chance.random() < 0.1:
        headers = headers + [(chance.choice(["Accept", "Range", "Content-Type", "Content-Encoding", "If-None-Match", "Accept-Encoding"]), text_of(chance.choice(["*/*", "bytes=5-", "text/html;q=2", "gzip, x;q=", "a/b; c=\"d"])))]
    if chance.random() < 0.05:
        method = chance.choice(["PATCH", "OPTIONS", "PROPFIND", "HEAD", "PUT", "DELETE"])
    return method, target, headers, bytes_of(body) if body and chance.random() < 0.8 else body


def fuzz(server, name, seconds, seed):
    """Mutated requests of a protocol for a time."""
    chance, count, statuses = random.Random(seed), 0, {}
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        request = mutated(chance.choice(SEEDS[name]), chance)
        try:
            status, body = server.ask(*request)
        except OSError as error:
            server.fail(f"{name}, seed {seed}, request {count}: {error}: {request}")
        count += 1
        statuses[status] = statuses.get(status, 0) + 1
        if status in (500, 502) or b"defect" in body:
            server.fail(f"{name}, seed {seed}, request {count}: {status} {body[:500]!r}: {request}")
    print(f"{name}: {count} mutated requests, answers {dict(sorted(statuses.items()))}")


def main():
    words = argparse.ArgumentParser()
    words.add_argument("manicule", type=lambda path: str(pathlib.Path(path).absolute()))
    words.add_argument("server", type=lambda path: str(pathlib.Path(path).absolute()))
    words.add_argument("--seconds", type=float, default=5, help="time of each protocol's mutated requests")
    words.add_argument("--connections", type=int, default=10_000)
    words.add_argument("--only", default="", help="protocols, with commas between them")
    words.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    asked = words.parse_args()
    golden = pathlib.Path(__file__).absolute().parent.parent / "golden"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        places = make(asked.manicule, folder, golden)
        server = Server(asked.server, folder, *places)
        if not asked.only:
            connections(server, asked.connections)
            server.check("connections")
            for part in (measureless, paths, other_sites, slow_readers):
                part(server)
                server.check(part.__name__.replace("_", " "))
            guesses(asked.server, folder)
        for name in asked.only.split(",") if asked.only else SEEDS:
            fuzz(server, name, asked.seconds, asked.seed)
            server.check(name)
        server.end()
    print("green")


def make(manicule, folder, golden):
    """A place of each kind."""
    lines = "".join(f'<http://a/s{at}> <http://a/p> "{at}" .\n' for at in range(1000))
    (folder / "a.nt").write_text(lines)
    (folder / "a.om").write_text("# TYPE up gauge\n" + "".join(f'up{{job="j{at}"}} {at} 1700000000\n' for at in range(500)) + "# EOF\n")
    run = lambda *command: subprocess.run([manicule, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    run("graph", "load", "store", "a.nt")
    run("series", "build", "-o", "data", "a.om")
    run("code", "index", "-index", "shards", str(golden.parent / "server"))
    (folder / "repo").mkdir()
    archive = subprocess.run(["zstd", "-qdc", str(golden / "blobs/v2.tar.zst")], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", str(folder / "repo")], input=archive, check=True)
    return ["store", "data", "shards", "repo=" + str(next((folder / "repo").glob("**/config")).parent)]


if __name__ == "__main__":
    sys.exit(main())
