// Prometheus blocks: what makes series, and what grew.

import { get, table, type Table } from "../api";
import { h, type Child } from "../dom";
import { bytes, count, counted, percent, span } from "../format";
import { go, link } from "../route";
import { bars, type Bar } from "../parts/bars";
import { field, form, head, input, select, type View } from "../parts/shell";
import { empty, load, receipt } from "../parts/states";
import { treemapOf, type Area } from "../parts/treemap";

interface Named {
  name: string;
  value?: string;
  count: number;
}

interface OfMetric {
  metric: string;
  series: number;
  label_names: number;
  labels: { name: string; values: number; series: number }[];
}

export interface Analysis {
  ulid: string | null;
  min_time: number;
  max_time: number;
  series: number;
  series_matched: number;
  names: number;
  pairs: number;
  metric_count: number | null;
  matrix: OfMetric[];
  metrics: Named[];
  value_counts: Named[];
  costs: { name: string; values: number; series: number; len: number }[];
  churning_pairs: Named[];
  took_ms: number;
}

/** Maximum number of blocks in a list to choose from. */
const BLOCKS = 500;

/** A matcher of a label. */
export function matcher(name: string, value: string): string {
  const isPlain = /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name);
  return `${isPlain ? name : JSON.stringify(name)}=${JSON.stringify(value)}`;
}

function blocks(view: View): Promise<Table> {
  const columns = [
    "block",
    "min_time",
    "max_time",
    "series",
    "samples",
    "level",
    "chunk_bytes",
    "index_bytes",
    "error",
  ];
  return table(
    "series.blocks",
    { place: view.place.name, columns, top: "min_time", limit: BLOCKS },
    view.signal,
  );
}

function blockChoices(listed: Table): [string, string][] {
  return listed.rows
    .filter((row) => row["error"] === null)
    .map((row) => [
      String(row["block"]),
      `${span(row["min_time"] as string, row["max_time"] as string)}, ${count(Number(row["series"] ?? 0))} series`,
    ]);
}

/** A line that narrows what is counted, by a selector. */
export function narrowing(
  view: View,
  tab: string,
  choices: [string, string][],
  params: Record<string, string | null>,
): HTMLElement {
  const selector = input({
    name: "selector",
    value: params["selector"] ?? "",
    placeholder: '{job="api"}',
    "aria-label": "Selector",
    "data-own": true,
  });
  const submit = () =>
    go(["series", view.place.name, tab], { ...params, selector: selector.value.trim() });
  const chosen = params["block"] ?? choices[0]?.[0] ?? "";
  const block =
    choices.length > 0
      ? select(choices, chosen, (block) =>
          go(["series", view.place.name, tab], { ...params, block }),
        )
      : null;
  return form(
    submit,
    field("Selector", selector),
    block ? field("Block", block) : null,
    h("button", { type: "submit" }, "Show"),
  );
}

export function cardinality(view: View): void {
  const { place, params, into, signal } = view;
  const [block, selector, metric] = [
    params.get("block") ?? null,
    params.get("selector") ?? null,
    params.get("metric") ?? null,
  ];
  const body = h("div");
  into.append(head(place, "cardinality", { block, selector }), body);
  void load(body, signal, async () => {
    const listed = await blocks(view);
    const choices = blockChoices(listed);
    const controls = narrowing(view, "cardinality", choices, { block, selector });
    if (choices.length === 0) return empty("No block can be read here.");
    const analysis = await get<Analysis>(
      "series/analysis",
      { place: place.name, block, selector, metric },
      signal,
    );
    return [
      controls,
      metric === null
        ? allMetrics(view, analysis, { block, selector })
        : oneMetric(view, analysis, metric, { block, selector }),
    ];
  });
}

export type Keep = { block: string | null; selector: string | null };

function facts(pairs: [string, Child][]): HTMLElement {
  return h(
    "dl",
    { class: "facts" },
    pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

function allMetrics(view: View, analysis: Analysis, keep: Keep): Child {
  const all = analysis.series_matched;
  if (all === 0) return empty("No series is selected.");
  const areas: Area[] = analysis.matrix.map((row) => ({
    label: row.metric || "(no name)",
    size: row.series,
    about: `${row.metric}: ${counted(row.series, "series", "series")}, ${percent(row.series, all)}; ${counted(row.label_names, "label")}`,
    href: link(["series", view.place.name, "cardinality"], { ...keep, metric: row.metric }),
    parts: row.labels
      .filter((label) => label.name !== "__name__" && label.values > 1)
      .map((label) => ({
        label: label.name,
        size: label.values,
        about: `${row.metric}, label ${label.name}: ${counted(label.values, "value")}`,
        href: link(["series", view.place.name, "labels"], {
          ...keep,
          selector: `{${matcher("__name__", row.metric)}}`,
          name: label.name,
        }),
      })),
  }));
  const rest = all - areas.reduce((sum, area) => sum + area.size, 0);
  const restCount =
    analysis.metric_count === null
      ? "other metrics"
      : counted(analysis.metric_count - areas.length, "other metric");
  if (rest > 0)
    areas.push({
      label: restCount,
      size: rest,
      about: `${restCount}: ${counted(rest, "series", "series")}, ${percent(rest, all)}`,
      isOthers: true,
    });
  const named = (rows: Named[]): Bar[] =>
    rows.slice(0, 12).map((row) => ({
      label: row.value === undefined ? row.name : `${row.name}="${row.value}"`,
      values: [row.count],
      href: link(["series", view.place.name, "labels"], {
        ...keep,
        name: row.name,
        value: row.value,
      }),
    }));
  return [
    facts([
      [
        "series",
        all === analysis.series ? count(all) : `${count(all)} of ${count(analysis.series)}`,
      ],
      ["metrics", analysis.metric_count === null ? "–" : count(analysis.metric_count)],
      ["label names", count(analysis.names)],
      ["label pairs", count(analysis.pairs)],
      ["times", span(analysis.min_time, analysis.max_time)],
    ]),
    treemapOf(
      areas,
      `Metrics by series, and in each its labels by values: ${counted(all, "series", "series")} in all`,
      view.signal,
    ),
    h(
      "p",
      { class: "hint" },
      "An area is a metric, by its series; what lies in it are its labels, by their values. Enter opens it.",
    ),
    h(
      "div",
      { class: "pair" },
      bars(named(analysis.value_counts), {
        caption: "Labels with most values",
        of: "label",
        legend: ["values"],
        format: count,
      }),
      bars(named(analysis.churning_pairs), {
        caption: "Pairs whose series come and go",
        of: "label pair",
        legend: ["series"],
        format: count,
      }),
    ),
    receipt(analysis.took_ms, { series: analysis.series_matched, label_pairs: analysis.pairs }),
  ];
}

function oneMetric(view: View, analysis: Analysis, metric: string, keep: Keep): Child {
  const row = analysis.matrix.find((own) => own.metric === metric);
  if (!row) return empty(`No series of ${metric} is selected.`);
  const of = `{${matcher("__name__", metric)}}`;
  const labels = row.labels.filter((label) => label.name !== "__name__");
  return [
    h(
      "nav",
      { class: "crumbs", "aria-label": "Way" },
      h(
        "a",
        { href: link(["series", view.place.name, "cardinality"], keep), "data-up": true },
        "All metrics",
      ),
      " › ",
      h("span", {}, metric),
    ),
    facts([
      ["series", `${count(row.series)} of ${count(analysis.series)}`],
      ["share", percent(row.series, analysis.series)],
      ["labels", count(row.label_names)],
    ]),
    bars(
      labels.map((label): Bar => ({
        label: label.name,
        values: [label.values],
        note: label.series < row.series ? `on ${counted(label.series, "series", "series")}` : "",
        href: link(["series", view.place.name, "labels"], {
          ...keep,
          selector: of,
          name: label.name,
        }),
      })),
      { caption: `Labels of ${metric}`, of: "label", legend: ["values"], format: count },
    ),
    h(
      "p",
      { class: "after" },
      h(
        "a",
        {
          href: link(["series", view.place.name, "plot"], { selector: metric }),
          "data-item": true,
        },
        "Plot its samples",
      ),
    ),
    receipt(analysis.took_ms, { series: analysis.series_matched }),
  ];
}

interface Change {
  before: number;
  now: number;
  growth: number;
}

interface Grown {
  name: string;
  value: string | null;
  state: string;
  series: Change;
  values: Change | null;
}

interface GrownList {
  grew: Grown[];
  grew_count: number;
  shrank: Grown[];
  shrank_count: number;
}

interface Growth {
  block: { ulid: string | null; min_time: number; max_time: number };
  against: { ulid: string | null; min_time: number; max_time: number };
  series: Change & { added: number; removed: number };
  sample_bytes: Change | null;
  index_bytes: Change;
  metrics: GrownList;
  labels: GrownList;
  pairs: GrownList;
  took_ms: number;
}

export function growth(view: View): void {
  const { place, params, into, signal } = view;
  const body = h("div");
  into.append(head(place, "growth"), body);
  void load(body, signal, async () => {
    const choices = blockChoices(await blocks(view));
    if (choices.length < 2) return empty("Growth is between two blocks: there is only one here.");
    const block = params.get("block") ?? choices[0]![0];
    const at = choices.findIndex(([own]) => own === block);
    const against = params.get("against") ?? (choices[at + 1] ?? choices[at - 1] ?? choices[0]!)[0];
    const to = (query: object) =>
      go(["series", place.name, "growth"], { block, against, ...query });
    const controls = form(
      () => undefined,
      field(
        "Since",
        select(choices, against, (own) => to({ against: own })),
      ),
      field(
        "Block",
        select(choices, block, (own) => to({ block: own })),
      ),
    );
    const grown = await get<Growth>("series/growth", { place: place.name, block, against }, signal);
    const signed = (value: number, format = count) => (value > 0 ? "+" : "") + format(value);
    const list = (title: string, of: string, all: Grown[], total: number) => {
      // Those after them have grown by their samples alone.
      const rows = all.filter((row) => row.series.growth !== 0);
      if (rows.length === 0) return null;
      const cut =
        rows.length === all.length && total > rows.length
          ? `: ${rows.length} of ${count(total)}`
          : "";
      const bar = (row: Grown): Bar => ({
        label:
          row.value === null
            ? row.name
            : row.name === "__name__"
              ? row.value
              : `${row.name}="${row.value}"`,
        note:
          row.state === "changed"
            ? `${count(row.series.before)} → ${count(row.series.now)}`
            : row.state,
        values: [Math.abs(row.series.growth)],
        href: link(["series", place.name, "labels"], { block, name: row.name, value: row.value }),
      });
      return bars(rows.map(bar), {
        caption: `${title}${cut}`,
        of,
        legend: ["series"],
        format: count,
      });
    };
    const nothing = grown.series.added + grown.series.removed === 0;
    return [
      controls,
      facts([
        ["series", `${count(grown.series.before)} → ${count(grown.series.now)}`],
        ["growth", signed(grown.series.growth)],
        ["added", count(grown.series.added)],
        ["removed", count(grown.series.removed)],
        ["index", signed(grown.index_bytes.growth, bytes)],
        ["samples", grown.sample_bytes === null ? "–" : signed(grown.sample_bytes.growth, bytes)],
      ]),
      nothing ? empty("Both blocks have the same series.") : null,
      h(
        "div",
        { class: "pair" },
        list("Metrics that grew", "metric", grown.metrics.grew, grown.metrics.grew_count),
        list("Metrics that shrank", "metric", grown.metrics.shrank, grown.metrics.shrank_count),
      ),
      h(
        "div",
        { class: "pair" },
        list("Labels that grew", "label", grown.labels.grew, grown.labels.grew_count),
        list("Pairs that grew", "label pair", grown.pairs.grew, grown.pairs.grew_count),
      ),
      receipt(grown.took_ms, {}),
    ];
  });
}
