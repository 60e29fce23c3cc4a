#!/usr/bin/env python3
"""Real clients of Prometheus' HTTP API before the server, beside a Prometheus over the same blocks.

usage: check.py SERVER PROMETHEUS PROMTOOL BLOCKS...      each of BLOCKS a folder of blocks

SERVER is manicule-server; PROMETHEUS and PROMTOOL are built by proof/bench/peers/series/build. For
each folder three servers run: SERVER, a Prometheus over a copy of the blocks, and a Prometheus
without any that reads from SERVER by remote_read. Compared are

  PromQL (rates, sums, quantiles, joins, subqueries, native histograms) of the two Prometheus:
  every value, digit for digit
  promtool's queries, series and labels of SERVER and the Prometheus over the blocks
  prometheus-api-client's methods of both, if it is installed (pip install prometheus-api-client)

Ends with 1 if anything differs, and says what. Where the Prometheus over the blocks itself ends with
a Go runtime error (3.15.0 does of ranges within deleted times) nothing is compared: that is counted
apart. Standard library only.
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

HALF_HOUR = 1800
# Of each metric M that a folder has.
QUERIES = [
    "{M}",
    "rate({M}[5m])",
    "increase({M}[30m])",
    "sum(rate({M}[10m]))",
    "sum by (job) ({M})",
    "count({M})",
    "topk(2, {M})",
    "avg_over_time({M}[20m])",
    "max_over_time({M}[20m:1m])",
    "changes({M}[30m])",
    "{M} offset 10m",
    "-{M} / 2 + {M} ^ 2",
    "absent({M})",
    "histogram_quantile(0.9, rate({M}[10m]))",
    "histogram_quantile(0.5, {M})",
    "histogram_count({M}) + histogram_sum({M})",
    "label_replace({M}, \"x\", \"$1\", \"job\", \"(.*)\")",
    "{M} and on (job) {M}",
]


def port():
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        return own.getsockname()[1]


def started(command, url):
    """The process of a server, once it is ready."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=pipe, text=True)
    for _ in range(600):
        if process.poll() is not None:
            sys.exit("%s ended: %s" % (command[0], process.stderr.read()[-2000:]))
        try:
            urllib.request.urlopen(url + "/-/ready", timeout=5).read()
            return process
        except OSError:
            time.sleep(0.1)
    sys.exit("%s is not ready after a minute" % command[0])


def prometheus(program, folder, data, config):
    """A Prometheus over a data folder, which it changes: no block is merged or removed."""
    address = "127.0.0.1:%d" % port()
    path = os.path.join(folder, "%s.yml" % address.replace(":", "-"))
    with open(path, "w") as file:
        file.write(config)
    flags = [
        "--config.file=" + path,
        "--storage.tsdb.path=" + data,
        "--web.listen-address=" + address,
        "--storage.tsdb.retention.time=100y",
        "--storage.tsdb.min-block-duration=2h",
        "--storage.tsdb.max-block-duration=2h",
        "--log.level=error",
    ]
    return started([program] + flags, "http://" + address), "http://" + address


def asked(url, path, params):
    """The answer to a request: its status and data, series sorted."""
    target = url + path + "?" + urllib.parse.urlencode(params, doseq=True)
    try:
        with urllib.request.urlopen(target, timeout=120) as answer:
            status, text = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    answer = json.loads(text)
    data = answer.get("data") or {}
    if "runtime error" in answer.get("error", ""):
        return status, answer["error"]
    if isinstance(data, dict) and isinstance(data.get("result"), list):
        if data["resultType"] in ("vector", "matrix"):
            data["result"].sort(key=lambda series: json.dumps(series["metric"], sort_keys=True))
    return status, data


class Judge:
    def __init__(self):
        self.same = self.differ = self.broken = 0

    def check(self, what, got, wanted):
        if got == wanted:
            self.same += 1
            return
        if isinstance(wanted, tuple) and "runtime error" in str(wanted[1]):
            self.broken += 1
            print("%s: Prometheus itself has a defect: %s" % (what, wanted[1]))
            return
        self.differ += 1
        print("%s:\n  got    %s\n  wanted %s" % (what, str(got)[:600], str(wanted)[:600]))


def promql(judge, reader, peer, times, metrics):
    """The same PromQL of a Prometheus that reads from the server, and of one over the blocks."""
    first, last = times
    moments = [first + (last - first) * part // 4 for part in range(5)]
    step = max(15, (last - first) // 97)
    steps = {"start": first - HALF_HOUR, "end": last + HALF_HOUR, "step": step}
    answered = 0
    for metric in metrics:
        selector = "{__name__=%s}" % json.dumps(metric, ensure_ascii=False)
        for query in (form.replace("{M}", selector) for form in QUERIES):
            for moment in moments:
                params = {"query": query, "time": moment}
                own = asked(reader, "/api/v1/query", params)
                judge.check("%s at %d" % (query, moment), own, asked(peer, "/api/v1/query", params))
                answered += own[0] == 200 and bool(own[1].get("result"))
            params = {"query": query, **steps}
            own = asked(reader, "/api/v1/query_range", params)
            judge.check("%s, range" % query, own, asked(peer, "/api/v1/query_range", params))
    for path, params in [("/api/v1/series", {"match[]": "{__name__=~\".+\"}"})]:
        params = {**params, "start": first, "end": last}
        key = lambda labels: json.dumps(labels, sort_keys=True)
        own, other = asked(reader, path, params), asked(peer, path, params)
        judge.check(path, (own[0], sorted(own[1], key=key)), (other[0], sorted(other[1], key=key)))
    if answered == 0:
        judge.check("answers that are not empty", answered, "some")


def promtool(judge, program, server, peer, times, metrics):
    first, last = times
    middle = (first + last) // 2
    for metric in metrics:
        selector = "{__name__=%s}" % json.dumps(metric, ensure_ascii=False)
        span = ["--start=%d" % first, "--end=%d" % last]
        for command in (
            ["query", "instant", "--time=%d" % middle, "URL", selector],
            ["query", "instant", "--time=%d" % middle, "-o", "json", "URL", selector],
            ["query", "instant", "--time=%d" % middle, "URL", selector + "[10m]"],
            ["query", "range", *span, "--step=60s", "URL", selector],
            ["query", "series", "--match=" + selector, *span, "URL"],
            ["query", "labels", "--match=" + selector, *span, "URL", "__name__"],
        ):
            texts = []
            for url in (server, peer):
                full = [program] + [url if word == "URL" else word for word in command]
                done = subprocess.run(full, capture_output=True, text=True)
                text = done.stdout
                if "json" in command:
                    key = lambda series: json.dumps(series["metric"], sort_keys=True)
                    text = sorted(json.loads(text or "[]"), key=key)
                else:
                    text = sorted(text.splitlines())
                texts.append((done.returncode, text, done.stderr if done.returncode else ""))
            judge.check("promtool " + " ".join(command), *texts)
    for what in ("healthy", "ready"):
        done = subprocess.run([program, "check", what, "--url=" + server], capture_output=True)
        judge.check("promtool check " + what, done.returncode, 0)


def tried(call, client):
    """What a call returns, or its error."""
    try:
        return call(client)
    except Exception as error:
        return "%s: %s" % (type(error).__name__, error)


def api_client(judge, server, peer, times, metrics):
    try:
        from prometheus_api_client import PrometheusConnect
    except ImportError:
        print("left out: prometheus-api-client is not installed")
        return
    from datetime import datetime, timezone

    first, last = (datetime.fromtimestamp(time, timezone.utc) for time in times)
    own, other = PrometheusConnect(url=server), PrometheusConnect(url=peer)
    key = lambda series: json.dumps(series.get("metric", series), sort_keys=True)
    for what, call in [
        ("all_metrics", lambda client: client.all_metrics()),
        ("get_label_names", lambda client: client.get_label_names()),
        ("get_label_values", lambda client: client.get_label_values("job")),
        ("get_targets", lambda client: client.get_targets()),
        ("get_metric_metadata", lambda client: client.get_metric_metadata(metrics[0])),
    ]:
        judge.check("prometheus-api-client " + what, tried(call, own), tried(call, other))
    for metric in (metric for metric in metrics if metric.replace("_", "a").isalnum()):
        params = {"time": str(int(last.timestamp()))}
        for what, call in [
            ("get_current_metric_value", lambda c: c.get_current_metric_value(metric, None, params)),
            ("get_metric_range_data", lambda c: c.get_metric_range_data(metric, None, first, last)),
            ("custom_query_range", lambda c: c.custom_query_range(metric, first, last, "60")),
            ("get_series", lambda c: c.get_series(first, last, params={"match[]": metric})),
        ]:
            got, wanted = (tried(lambda c: sorted(call(c), key=key), c) for c in (own, other))
            judge.check("prometheus-api-client %s of %s" % (what, metric), got, wanted)


def times_of(blocks):
    metas = []
    for name in os.listdir(blocks):
        path = os.path.join(blocks, name, "meta.json")
        if os.path.exists(path):
            with open(path) as file:
                metas.append(json.load(file))
    return min(m["minTime"] for m in metas) // 1000, max(m["maxTime"] for m in metas) // 1000


def check(judge, programs, blocks):
    server_program, prometheus_program, promtool_program = programs
    processes = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            address = "127.0.0.1:%d" % port()
            server = "http://" + address
            processes.append(started([server_program, "--listen", address, blocks], server))
            copy = os.path.join(folder, "blocks")
            shutil.copytree(blocks, copy)
            process, peer = prometheus(prometheus_program, folder, copy, "")
            processes.append(process)
            reads = "remote_read: [{url: \"%s/api/v1/read\", read_recent: true}]\n" % server
            process, reader = prometheus(
                prometheus_program, folder, os.path.join(folder, "none"), reads
            )
            processes.append(process)
            times = times_of(blocks)
            metrics = asked(peer, "/api/v1/label/__name__/values", {})[1]
            promql(judge, reader, peer, times, metrics)
            promtool(judge, promtool_program, server, peer, times, metrics)
            api_client(judge, server, peer, times, metrics)
        finally:
            for process in processes:
                process.terminate()
                process.wait()


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    judge = Judge()
    for blocks in sys.argv[4:]:
        before = judge.same
        check(judge, sys.argv[1:4], blocks)
        print("%s: %d the same" % (blocks, judge.same - before))
    counts = (judge.same, judge.differ, judge.broken)
    print("%d the same, %d differ, %d that Prometheus fails at" % counts)
    return judge.differ > 0


if __name__ == "__main__":
    sys.exit(main())
