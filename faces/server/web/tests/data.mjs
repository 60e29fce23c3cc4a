// What the tests serve: golden files, unpacked, and blocks and a store that the program makes of
// metrics and quads that are the same each time.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const GOLDEN = join(dirname(fileURLToPath(import.meta.url)), "../../../../proof/golden");
const PASSWORD = "manicule-golden";

function unpack(kind, name, into) {
  mkdirSync(into, { recursive: true });
  const archive = join(GOLDEN, kind, `${name}.tar.zst`);
  execFileSync("bash", ["-c", 'zstd -dcq "$1" | tar -xf - -C "$2"', "unpack", archive, into]);
}

/** A golden repository, with a key that opens at once. */
function repository(name, into) {
  unpack("blobs", name, into);
  unpack("blobs", "cheap-keys", join(into, "cheap"));
  const keys = join(into, "repo/keys");
  rmSync(keys, { recursive: true });
  cpSync(join(into, "cheap", name), keys, { recursive: true });
  return join(into, "repo");
}

/** Numbers that look like chance, and are the same each time. */
function chance(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const START = Date.UTC(2026, 2, 1) / 1000;
const HOUR = 3600;
const PATHS = ["/", "/cart", "/checkout", "/login", "/search", "/lamps", "/orders", "/healthz"];

const named = (job, count) =>
  Array.from({ length: count }, (_, at) => ({ job, instance: `${job}-${at}.shop.internal:9100` }));
const API = named("api", 5);
const WEB = named("web", 4);
const DB = named("db", 3);
const CACHE = named("cache", 2);
const ALL = [...API, ...WEB, ...DB, ...CACHE];

/** Requests by path; in the second two hours somebody has put the user's number into it. */
function requests(random) {
  const series = [];
  for (const own of [...API, ...WEB]) {
    for (const path of PATHS) {
      for (const method of path === "/checkout" || path === "/login" ? ["POST"] : ["GET", "HEAD"]) {
        for (const code of ["200", "404", "500"]) {
          const rate = 1 + 20 * random();
          series.push({ labels: { ...own, method, path, code }, value: (at) => at * rate });
        }
      }
    }
  }
  for (let user = 0; user < 700; user += 1) {
    const labels = {
      ...API[user % 5],
      method: "GET",
      path: `/users/${1000 + user * 37}`,
      code: "200",
    };
    series.push({
      labels,
      from: 2 * HOUR + 60 * Math.floor(100 * random()),
      step: 1200,
      value: () => 1,
    });
  }
  return series;
}

/** Load that wanders, and of some that rises for half an hour. */
function loads(random) {
  return ALL.slice(0, 7).map(({ instance }, at) => {
    let level = 0.6 + at / 4;
    const value = (time) => {
      level += (random() - 0.5) * 0.12 + (0.9 + at / 5 - level) * 0.02;
      const rush = time > 9000 && time < 10800 && at < 3 ? 1.8 : 0;
      return Math.max(0.05, level + rush * Math.sin(((time - 9000) / 1800) * Math.PI));
    };
    return { labels: { job: "node", instance }, step: 15, value };
  });
}

function each(rows, labelOf, names, value, step = 1200) {
  return rows.flatMap((own) =>
    names.map((name, at) => ({
      labels: { ...own, [labelOf]: name },
      step,
      value: (time) => value(time, at),
    })),
  );
}

/** Four hours of a shop's metrics as OpenMetrics. */
function metrics() {
  const random = chance(7);
  const lines = [];
  const family = (name, type, series) => {
    lines.push(`# TYPE ${name} ${type}`);
    const full = type === "counter" ? `${name}_total` : name;
    for (const { labels, from = 0, step = 600, value } of series) {
      const pairs = Object.entries(labels).map(([label, own]) => `${label}="${own}"`);
      for (let at = from; at < 4 * HOUR; at += step) {
        lines.push(`${full}{${pairs.join(",")}} ${Number(value(at).toFixed(3))} ${START + at}`);
      }
    }
  };
  const nodes = ALL.map(({ instance }) => ({ job: "node", instance }));
  const cores = each(nodes, "cpu", ["0", "1", "2", "3"], () => 0).map(({ labels }) => labels);
  const buckets = ["0.005", "0.01", "0.05", "0.1", "0.5", "1", "5"];
  const byPath = each([...API, ...WEB], "path", PATHS, () => 0).map(({ labels }) => labels);
  const queries = Array.from({ length: 40 }, (_, at) => (at * 7919 + 104729).toString(16));
  family("http_requests", "counter", requests(random));
  family(
    "http_latency_bucket",
    "gauge",
    each(byPath, "le", buckets, (time, at) => time * (at + 1)),
  );
  family(
    "node_cpu_seconds",
    "counter",
    each(
      cores,
      "mode",
      ["idle", "user", "system", "iowait", "steal", "nice"],
      (time, at) => time / (at + 1),
    ),
  );
  family("node_load1", "gauge", loads(random));
  family(
    "node_memory_bytes",
    "gauge",
    each(nodes, "kind", ["free", "cached", "used"], () => Math.floor(8e9 * random())),
  );
  family(
    "node_disk_bytes",
    "gauge",
    each(nodes, "device", ["sda", "sdb", "nvme0n1"], () => Math.floor(9e11 * random())),
  );
  family(
    "pg_stat_calls",
    "counter",
    each(DB, "queryid", queries, (time, at) => time * at),
  );
  family(
    "cache_hits",
    "counter",
    each(CACHE, "keyspace", ["sessions", "lamps", "prices"], (time) => time * 90),
  );
  family(
    "queue_depth",
    "gauge",
    each(
      [{ job: "api" }],
      "queue",
      ["mail", "invoices", "thumbnails"],
      () => Math.floor(40 * random()),
      60,
    ),
  );
  family(
    "up",
    "gauge",
    ALL.map((labels) => ({ labels, value: () => 1 })),
  );
  return `${lines.join("\n")}\n# EOF\n`;
}

/** Makes all places below a folder. Returns them as the server's arguments, and the password's file. */
export function places(folder, program) {
  const run = (...words) =>
    execFileSync(program, words, { stdio: ["ignore", "ignore", "inherit"] });
  const at = (name) => join(folder, name);
  writeFileSync(at("shop.om"), metrics());
  run("series", "build", at("shop.om"), "-o", at("metrics"));
  execFileSync("bash", [
    "-c",
    'zstd -dcq "$1" > "$2"',
    "unpack",
    join(GOLDEN, "graph/shop200.nq.zst"),
    at("shop.nq"),
  ]);
  run("graph", "load", at("shop"), at("shop.nq"));
  writeFileSync(at("none.nq"), "");
  run("graph", "load", at("no-quads"), at("none.nq"));
  unpack("rows", "me", at("rows"));
  unpack("code", "shards", at("shards"));
  unpack("code", "trees", at("trees"));
  writeFileSync(at("password"), PASSWORD);
  const tables = ["wide", "mixed", "multi"].map((name) => `${name}=${at(`rows/me/${name}`)}`);
  const served = [
    `metrics=${at("metrics")}`,
    `backups=${repository("fleet", at("fleet"))}`,
    `drafts=${repository("drafts", at("drafts"))}`,
    `whole=${repository("unused", at("unused"))}`,
    ...tables,
    `shop=${at("shop")}`,
    `no-quads=${at("no-quads")}`,
    `zoekt=${at("shards/shards/ctags")}`,
    `sources=${at("trees/trees/small")}`,
  ];
  return { served, passwordFile: at("password") };
}
