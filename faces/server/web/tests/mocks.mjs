// Answers that golden files can't give: none, very many, and errors. What the server cuts comes as
// it would of 10 million series.

const column = (name, type = "text", is_number = false) => ({ name, type, about: "", is_number });
const typed = (names) =>
  names.map((name) =>
    name.endsWith("#") ? column(name.slice(0, -1), "int64", true) : column(name),
  );

export function table(names, rows, more = {}) {
  return {
    took_ms: 12.3,
    columns: typed(names),
    complete: true,
    others: null,
    receipt: { rows_read: rows.length },
    rows,
    ...more,
  };
}

const range = (count, of) => Array.from({ length: count }, (_, at) => of(at));

/** Tables without rows. */
export const none = (name) => table(["a"], [], { others: { rows: 0, sums: {} } });

const analysis = (metrics, series, metricCount) => ({
  took_ms: 840,
  ulid: "01",
  min_time: 1772323200000,
  max_time: 1772330400000,
  series,
  series_matched: series,
  names: 214,
  pairs: 2400000,
  metric_count: metricCount,
  matrix: metrics,
  metrics: metrics.map((own) => ({ name: "__name__", value: own.metric, count: own.series })),
  value_counts: range(60, (at) => ({ name: `label_${at}`, count: 900000 >> (at / 4) })),
  costs: [],
  churning_pairs: range(60, (at) => ({
    name: "pod",
    value: `checkout-${at}`,
    count: 90000 - at * 900,
  })),
});

const largeMetrics = range(60, (at) => ({
  metric: `service_${at}_requests_total`,
  series: Math.floor(1800000 / (at + 1)),
  label_names: 40,
  labels: range(40, (label) => ({
    name: `label_${label}`,
    values: 50000 >> (label / 3),
    series: 1000,
  })),
}));

const change = (before, now) => ({
  before,
  now,
  growth: now - before,
  added: Math.max(0, now - before),
  removed: 0,
});
const grown = (count, name) =>
  range(count, (at) => ({
    name,
    value: `${name}-${at}`,
    state: at % 3 === 0 ? "new" : "changed",
    series: change(10, 100000 - at),
    values: null,
  }));

export const LARGE = {
  "series/analysis": analysis(largeMetrics, 10000000, 48211),
  "series/growth": {
    took_ms: 900,
    block: { ulid: "02", min_time: 0, max_time: 1 },
    against: { ulid: "01", min_time: 0, max_time: 1 },
    series: change(8000000, 10000000),
    sample_bytes: change(1e9, 2e9),
    index_bytes: change(1e8, 2e8),
    metrics: { grew: grown(20, "__name__"), grew_count: 48000, shrank: [], shrank_count: 0 },
    labels: { grew: grown(20, "pod"), grew_count: 200, shrank: [], shrank_count: 0 },
    pairs: { grew: grown(20, "pod"), grew_count: 2000000, shrank: [], shrank_count: 0 },
  },
  "series/samples": {
    took_ms: 300,
    from: 1772323200000,
    to: 1772330400000,
    others: { series: 99980 },
    complete: false,
    receipt: {},
    series: range(20, (own) => ({
      labels: { __name__: "load", instance: `i-${own}` },
      samples: 4000000,
      last: 1,
      min: 0,
      max: 9,
      points: range(2000, (at) => [1772323200000 + at * 3600, Math.sin(at / 90 + own) + own]),
    })),
  },
  "code/search": {
    took_ms: 80,
    file_count: 12000,
    match_count: 250000,
    receipt: {},
    files: range(200, (at) => ({
      repository: "github.com/big/one",
      path: `src/deep/folder/file_${at}.go`,
      shown: `one/src/${at}.go`,
      language: "Go",
      branches: [],
      match_count: 5,
      name_matches: [],
      chunks: range(5, (chunk) =>
        range(5, (line) => ({
          number: chunk * 20 + line + 1,
          text: `\tfunc number${line}() error { return nil }`,
          matches: line === 2 ? [[1, 5]] : [],
        })),
      ),
    })),
  },
  "blobs/pack": {
    took_ms: 80,
    pack: "00",
    blobs: 5000,
    notes: [],
    snapshot_count: 900,
    file_count: 80000,
    folder_count: 4000,
    files: range(300, (at) => ({
      path: `/srv/anna/photos/2026/${at}.jpg`,
      snapshots: 800,
      blobs: 3,
    })),
    folders: range(300, (at) => ({ path: `/srv/anna/photos/${at}`, snapshots: 800, blobs: 1 })),
  },
};

/** Rows of a table as the server cuts them. */
export function largeTable(url) {
  const name = url.pathname.split("/").pop();
  const limit = Number(url.searchParams.get("limit") ?? 500);
  const cut = (names, of, sums) =>
    table(names, range(limit, of), {
      complete: false,
      others: url.searchParams.has("top") ? { rows: 1234567, sums } : null,
    });
  const day = (at) => new Date(1772323200000 - at * 86400000).toISOString();
  switch (name) {
    case "series.blocks":
      return cut(
        ["block", "min_time", "max_time", "series#", "error"],
        (at) => ({
          block: `01B${at}`,
          min_time: day(at),
          max_time: day(at - 1),
          series: 10000000,
          error: null,
        }),
        {},
      );
    case "series.labels":
      return cut(["value", "series#"], (at) => ({ value: `value-${at}`, series: 900000 - at }), {
        series: 4000000,
      });
    case "blobs.costs":
      return cut(
        ["value", "snapshots", "exclusive_bytes#", "shared_bytes#"],
        (at) => ({
          value: `${at}`.padStart(64, "a"),
          snapshots: ["a"],
          exclusive_bytes: 1e9 / (at + 1),
          shared_bytes: 5e9,
        }),
        { exclusive_bytes: 3e9, shared_bytes: 1e12 },
      );
    case "blobs.snapshots":
      return cut(
        ["id", "time", "hostname"],
        (at) => ({ id: `${at}`.padStart(64, "a"), time: day(at), hostname: "anvil" }),
        {},
      );
    case "blobs.packs":
      return cut(
        ["id", "type", "size#", "used_bytes#", "unused_bytes#", "fate"],
        (at) => ({
          id: `${at}`.padStart(64, "b"),
          type: "data",
          size: 16e6,
          used_bytes: 15e6,
          unused_bytes: 1e6,
          fate: "keep",
        }),
        { used_bytes: 3e12, unused_bytes: 1e9 },
      );
    case "blobs.files":
      return cut(
        ["path", "type", "size#"],
        (at) => ({ path: `/srv/anna/letters/${at}.txt`, type: "file", size: at }),
        {},
      );
    case "rows.partitions":
      return cut(
        [
          "_key",
          "_bytes#",
          "_sstables",
          "_tombstones#",
          "_rows#",
          "_droppable#",
          "_row_deletions#",
        ],
        (at) => ({
          _key: `(${at}, 'sensor')`,
          _bytes: 2e10 / (at + 1),
          _sstables: ["nb-1-big"],
          _tombstones: 90000,
          _rows: 5,
          _droppable: 3,
          _row_deletions: 90000 - at,
        }),
        { _bytes: 9e11, _tombstones: 5e6, _row_deletions: 5e6 },
      );
    case "graph.predicates":
      return cut(
        ["scope", "predicate", "quads#", "subjects#", "objects#"],
        (at) => ({
          scope: "default",
          predicate: `http://example.org/p${at}`,
          quads: 1e8 / (at + 1),
          subjects: 5,
          objects: 6,
        }),
        { quads: 1e7 },
      );
    case "graph.quads":
      return cut(
        ["subject", "predicate", "object", "object_type", "graph"],
        (at) => ({
          subject: `http://example.org/s${at}`,
          predicate: "http://www.w3.org/2000/01/rdf-schema#label",
          object: `thing ${at}`,
          object_type: "http://www.w3.org/2001/XMLSchema#string",
          graph: null,
        }),
        {},
      );
    case "graph.solutions":
      return cut(
        ["s", "s_type", "o", "o_type"],
        (at) => ({
          s: `http://example.org/s${at}`,
          s_type: "iri",
          o: `thing ${at}`,
          o_type: "@en",
        }),
        {},
      );
    default:
      return cut(
        ["a", "b#", "c"],
        (at) => ({ a: `row ${at}`, b: at, c: null, repository: `r${at}` }),
        { b: 5 },
      );
  }
}

/** Very many hits. */
export function largeHits(count) {
  const hit = (at) => ({
    type: "hit",
    place: "zoekt",
    system: "code",
    path: `src/file_${at % 400}.go`,
    text: `	lamp := lamps[${at}]`,
    matches: [
      [1, 5],
      [9, 13],
    ],
    before: ["func light() {", ""],
    after: ["	lamp.on()", "}"],
    item: { line_number: at + 3 },
  });
  const end = { type: "end", hits: count, complete: false, took_ms: 900, receipt: { files: 400 } };
  return [...range(count, hit), end].map((own) => JSON.stringify(own)).join("\n") + "\n";
}
