"""What may happen around a call: signals, forks, threads, a full disk, damaged files."""

import http.server
import multiprocessing
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

import pyarrow
import pytest

import manicule

#: Number of interrupts of a run; by hand there may be more.
INTERRUPTS = int(os.environ.get("MANICULE_INTERRUPTS", 1000))


class Interrupted(Exception):
    """What the handler of these tests raises: a test may catch it, where it leaves KeyboardInterrupt."""


def interrupted_by(seconds, call):
    """Runs a call with a signal that comes meanwhile; whether it has ended it."""

    def handler(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, handler)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            call()
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    except Interrupted:
        # Also where it comes between the call and the end of the timer.
        return True


def large_tree(place):
    """A tree that takes a while to search."""
    text = "".join(f"line {number} of a text that nobody looks for\n" for number in range(2000))
    for folder in range(40):
        (place / str(folder)).mkdir(parents=True)
        for number in range(25):
            (place / str(folder) / f"{number}.txt").write_text(text)
    return place


def test_random_interrupts_end_calls_and_leave_the_next_one_right(tmp_path):
    tree = large_tree(tmp_path / "tree")
    calls = [
        lambda: list(manicule.find("nobody .* for$", tree, no_ignore=True)),
        lambda: manicule.series("series/blocks/mixed").samples().to_arrow(),
        lambda: manicule.rows("sstables/me/multi").cells().to_dicts(),
        lambda: manicule.verify("unused/repo"),
        lambda: manicule.Graph("shop").solutions("SELECT * { ?a ?b ?c . ?d ?e ?c }").to_arrow(),
    ]
    want = manicule.rows("sstables/me/multi").rows().to_dicts()
    dice = random.Random(1)
    ended = 0
    for number in range(INTERRUPTS):
        call = calls[number % len(calls)]
        try:
            ended += interrupted_by(dice.choice([1e-4, 1e-3, 5e-3, 2e-2]) * (0.5 + dice.random()), call)
        except (manicule.StoppedError, pyarrow.ArrowException):
            # It was in another library, which has no place for an exception of Python's.
            ended += 1
        if number % 50 == 0:
            assert manicule.rows("sstables/me/multi").rows().to_dicts() == want
    assert ended > INTERRUPTS // 20, ended


CTRL_C = """
import manicule, os, signal, sys, threading, time
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    while True:
        {call}
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 5)
print(manicule.files("tree").to_arrow().num_rows)
"""


@pytest.mark.parametrize(
    "call",
    [
        "list(manicule.find('nobody .* (a|b|c)+x$', sys.argv[1], no_ignore=True))",
        "manicule.Graph('shop').solutions('SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }').to_arrow()",
        "manicule.Graph('shop').solutions('SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }').to_polars()",
        "manicule.verify('shop')",
    ],
)
def test_ctrl_c_is_a_keyboard_interrupt(call, tmp_path):
    tree = large_tree(tmp_path / "tree")
    run = subprocess.run([sys.executable, "-c", CTRL_C.format(call=call), str(tree)], capture_output=True, text=True, timeout=60)
    assert run.stdout == "interrupted True\n3\n", run.stderr


def in_child(_):
    rows = manicule.rows("sstables/me/multi").rows().to_dicts()
    hits = list(manicule.find("api", "tree"))
    return len(rows), len(hits), manicule.verify("shop")[0]["finding_count"]


def test_children_of_a_fork_read_as_their_parent_does():
    want = in_child(None)
    # Threads of the parent's calls are there, some waiting and one at work.
    half = iter(manicule.Graph("shop").solutions("SELECT * { ?a ?b ?c . ?d ?e ?f }"))
    next(half)
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert pool.map_async(in_child, range(12)).get(timeout=60) == [want] * 12
    assert in_child(None) == want and next(half)


class Served(http.server.SimpleHTTPRequestHandler):
    """Files of the current folder, and ranges of them."""

    def do_GET(self):
        path = pathlib.Path(self.translate_path(self.path))
        if not path.is_file():
            return self.send_error(404)
        held, asked = path.read_bytes(), self.headers.get("Range")
        start, end = 0, len(held) - 1
        if asked:
            first, last = asked.removeprefix("bytes=").split("-")
            start, end = int(first), min(int(last or end), end)
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{end}/{len(held)}")
        self.send_header("Content-Length", str(end + 1 - start))
        self.send_header("ETag", f'"{len(held)}"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(held[start : end + 1])

    do_HEAD = do_GET

    def do_PROPFIND(self):
        """A listing of WebDAV: the folder and what is in it."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = pathlib.Path(self.translate_path(self.path))
        if not path.exists():
            return self.send_error(404)
        root, listed = pathlib.Path(self.translate_path("/")), [path, *(path.iterdir() if path.is_dir() else [])]
        responses = "".join(
            f"<D:response><D:href>/{own.relative_to(root)}</D:href><D:propstat><D:status>HTTP/1.1 200 OK</D:status><D:prop>"
            f"<D:getlastmodified>{self.date_time_string(own.stat().st_mtime)}</D:getlastmodified>"
            f"<D:getcontentlength>{own.stat().st_size}</D:getcontentlength>"
            f"<D:getetag>\"{own.stat().st_size}\"</D:getetag>"
            f"<D:resourcetype>{'<D:collection/>' if own.is_dir() else ''}</D:resourcetype></D:prop></D:propstat></D:response>"
            for own in listed
        )
        text = f'<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">{responses}</D:multistatus>'.encode()
        self.send_response(207)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def documents_at(address):
    return manicule.code(address).documents(columns=["path", "size"]).to_dicts()


def test_children_of_a_fork_ask_addresses_as_their_parent_does(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Served)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    [shard] = pathlib.Path("shards/shards/ctags").glob("*.zoekt")
    address = f"http://127.0.0.1:{server.server_port}/{shard}"
    want = documents_at(shard)
    # The parent has asked: its threads of requests don't come along.
    assert documents_at(address) == want != []
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(documents_at, [address] * 4).get(timeout=60) == [want] * 4
    assert documents_at(address) == want
    server.shutdown()


def test_ten_threads_read_at_once():
    tables = [
        manicule.series("series/blocks/mixed").samples(),
        manicule.rows("sstables/me/multi").cells(),
        manicule.Graph("shop").quads(),
        manicule.code("shards/shards/git-ctags").lines("la"),
        manicule.blobs("restic/repo").files(),
    ]
    want = [len(table.to_dicts()) for table in tables]
    wrong = []

    def read(number):
        for turn in range(5):
            at = (number + turn) % len(tables)
            got = len(tables[at].to_dicts()) if turn % 2 else tables[at].to_arrow().num_rows
            if got != want[at]:
                wrong.append((number, turn, got))

    threads = [threading.Thread(target=read, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert wrong == []


def test_the_lock_of_python_is_free_while_a_call_goes_on(tmp_path):
    tree = large_tree(tmp_path / "tree")
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    before, start = counted[0], time.monotonic()
    list(manicule.find("nobody .* (a|b|c)+x$", tree, no_ignore=True))
    took, turns = time.monotonic() - start, counted[0] - before
    over.set()
    thread.join()
    assert turns > took / 0.02, (took, turns)


def test_limits_are_of_all_calls_together():
    code = (
        "import manicule\n"
        "manicule.limit(memory=1 << 20, threads=1)\n"
        "try:\n"
        "    manicule.Graph('shop').solutions('SELECT (GROUP_CONCAT(STR(?c)) AS ?n) { ?a ?b ?c . ?d ?e ?f }', memory=1 << 20).to_arrow()\n"
        "except (manicule.TooMuchError, manicule.BusyError) as error:\n"
        "    print(type(error).__name__)\n"
        "manicule.limit()\n"
        "print(manicule.Graph('shop').quads().to_arrow().num_rows > 0)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() in (["TooMuchError", "True"], ["BusyError", "True"]), run.stderr


def test_a_full_disk_is_an_exception_and_leaves_nothing(tmp_path):
    code = (
        "import manicule, resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    manicule.command('series', 'merge', '-o', 'full', 'series/blocks/api', 'series/blocks/mixed')\n"
        "except manicule.FailedError as error:\n"
        "    print('failed')\n"
        "print(manicule.series('series/blocks/api').labels().to_arrow().num_rows > 0)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["failed", "True"], run.stderr
    assert not os.path.exists("full") or os.listdir("full") == []


def test_damaged_files_are_exceptions(tmp_path):
    dice = random.Random(7)
    tried = wrong = 0
    for name, read in [
        ("series/blocks/mixed", lambda path: manicule.series(path).samples().to_arrow()),
        ("sstables/me/multi", lambda path: manicule.rows(path).cells().to_dicts()),
        ("shards/shards/ctags", lambda path: manicule.code(path).documents().to_polars()),
        ("shop", lambda path: manicule.Graph(path).quads().to_arrow()),
        ("restic/repo", lambda path: manicule.blobs(path).files().to_arrow()),
    ]:
        files = [path for path in pathlib.Path(name).rglob("*") if path.is_file() and path.stat().st_size]
        for number in range(60):
            place = tmp_path / "damaged"
            shutil.copytree(name, place)
            path = place / dice.choice(files).relative_to(name)
            os.chmod(path, 0o644)
            held = bytearray(path.read_bytes())
            held[dice.randrange(len(held))] ^= 1 << dice.randrange(8)
            path.write_bytes(held[: dice.randrange(len(held) + 1)] if number % 4 == 0 else held)
            tried += 1
            try:
                read(place)
            except manicule.Error:
                wrong += 1
            except (OverflowError, UnicodeDecodeError):
                # A value that is whole, and none of Python's.
                wrong += 1
            shutil.rmtree(place)
    assert tried == 300 and wrong > 50, wrong
    assert manicule.series("series/blocks/mixed").samples().to_arrow().num_rows > 0


def test_nothing_is_held_by_readings_that_are_given_up():
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(200):
        half = iter(manicule.Graph("shop").quads())
        next(half)
        del half
        stream = manicule.series("series/blocks/mixed").samples().to_reader()
        stream.read_next_batch()
        del stream
    # Threads end at the next batch, beside this one.
    for _ in range(100):
        if len(os.listdir("/proc/self/fd")) <= before + 10:
            break
        time.sleep(0.05)
    assert len(os.listdir("/proc/self/fd")) <= before + 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2 << 20
