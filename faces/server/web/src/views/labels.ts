// Prometheus blocks: labels and their values, samples.

import { get, table, type Table } from "../api";
import { h } from "../dom";
import { count, counted, time } from "../format";
import { bars, type Bar } from "../parts/bars";
import { plot, type Line } from "../parts/plot";
import { field, form, head, input, type View } from "../parts/shell";
import { empty, load, receipt } from "../parts/states";
import { go, link } from "../route";
import { matcher, narrowing, type Analysis, type Keep } from "./series";

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function labels(view: View): void {
  const { place, params, into, signal } = view;
  const name = params.get("name") ?? null;
  const value = params.get("value") ?? null;
  const like = params.get("like") ?? null;
  const keep: Keep = {
    block: params.get("block") ?? null,
    selector: params.get("selector") ?? null,
  };
  const body = h("div");
  into.append(head(place, "labels", keep), body);
  const to = (query: object) => link(["series", place.name, "labels"], { ...keep, ...query });
  void load(body, signal, async () => {
    const controls = narrowing(view, "labels", [], { selector: keep.selector, name });
    const [analysis, values] = await Promise.all([
      get<Analysis>("series/analysis", { place: place.name, ...keep }, signal),
      name === null
        ? null
        : table("series.labels", labelParams(place.name, name, like, keep), signal),
    ]);
    const names = [...analysis.value_counts].sort(
      (a, b) => b.count - a.count || a.name.localeCompare(b.name),
    );
    if (names.length === 0) return [controls, empty("No series is selected.")];
    const nameList = h(
      "ol",
      { class: "index" },
      names.map((row) =>
        h(
          "li",
          {},
          h(
            "a",
            {
              href: to({ name: row.name }),
              "data-item": true,
              "aria-current": row.name === name ? "true" : null,
            },
            h("span", {}, row.name),
            h("span", { class: "counter" }, count(row.count)),
          ),
        ),
      ),
    );
    const hidden = analysis.names - names.length;
    return [
      controls,
      h(
        "div",
        { class: "explorer" },
        h(
          "section",
          {},
          h("h2", {}, "Names ", h("span", { class: "counter" }, count(analysis.names))),
          nameList,
          hidden > 0 ? h("p", { class: "hint" }, `${count(hidden)} more with fewer values`) : null,
        ),
        values === null || name === null
          ? h("section", {}, empty("Choose a name to see its values."))
          : valueList(view, name, value, like, values, keep),
      ),
    ];
  });
}

function labelParams(place: string, name: string, like: string | null, keep: Keep) {
  const where = [
    `name = ${quoted(name)}`,
    like === null ? null : `value LIKE ${quoted(`%${like}%`)}`,
  ].filter((one) => one !== null);
  return {
    place,
    where: where.join(" AND "),
    "a.selector": keep.selector,
    columns: ["value", "series"],
    top: "series",
    limit: 200,
  };
}

function valueList(
  view: View,
  name: string,
  value: string | null,
  like: string | null,
  values: Table,
  keep: Keep,
): HTMLElement {
  const filter = input({
    value: like ?? "",
    placeholder: "part of a value",
    "aria-label": "Part of a value",
  });
  const submit = () =>
    go(["series", view.place.name, "labels"], { ...keep, name, like: filter.value.trim() });
  const total = values.rows.length + (values.others?.rows ?? 0);
  const rows: Bar[] = values.rows.map((row) => ({
    label: String(row["value"]) || "(empty)",
    values: [Number(row["series"])],
    isCurrent: row["value"] === value,
    href: link(["series", view.place.name, "plot"], {
      selector: `{${matcher(name, String(row["value"]))}}`,
    }),
  }));
  if (values.others && values.others.rows > 0) {
    rows.push({
      label: counted(values.others.rows, "other value"),
      values: [values.others.sums["series"] ?? 0],
      isOthers: true,
    });
  }
  return h(
    "section",
    {},
    h("h2", {}, name, " ", h("span", { class: "counter" }, counted(total, "value"))),
    form(submit, field("Values with", filter)),
    rows.length === 0
      ? empty("No value is so.")
      : bars(rows, {
          caption: `Values of ${name} by series`,
          of: "value",
          legend: ["series"],
          format: count,
          hasHeading: true,
        }),
    receipt(values.took_ms, values.receipt),
  );
}

interface Samples {
  from: number | null;
  to: number | null;
  series: Line[];
  others: { series: number };
  complete: boolean;
  took_ms: number;
  receipt: Record<string, number>;
}

export function samples(view: View): void {
  const { place, params, into, signal } = view;
  const given = {
    selector: params.get("selector") ?? "",
    start: params.get("start") ?? "",
    end: params.get("end") ?? "",
  };
  const selector = input({ value: given.selector, placeholder: 'up{job="api"}', "data-own": true });
  const start = input({ value: given.start, placeholder: "2026-01-01 or -2h" });
  const end = input({ value: given.end, placeholder: "now" });
  const submit = () =>
    go(["series", place.name, "plot"], {
      selector: selector.value.trim(),
      start: start.value.trim(),
      end: end.value.trim(),
    });
  const body = h("div");
  into.append(
    head(place, "plot"),
    form(
      submit,
      field("Selector", selector),
      field("From", start),
      field("To", end),
      h("button", { type: "submit" }, "Plot"),
    ),
    body,
  );
  if (given.selector === "") {
    void load(body, signal, async () => {
      const metrics = await table(
        "series.labels",
        {
          place: place.name,
          where: "name = '__name__'",
          columns: ["value", "series"],
          top: "series",
          limit: 40,
        },
        signal,
      );
      if (metrics.rows.length === 0) return empty("There are no series here.");
      const item = (name: string, number: number) =>
        h(
          "li",
          {},
          h(
            "a",
            { href: link(["series", place.name, "plot"], { selector: name }), "data-item": true },
            h("span", {}, name),
            h("span", { class: "counter" }, count(number)),
          ),
        );
      return [
        h("p", { class: "hint" }, "A metric, or a selector as in PromQL."),
        h(
          "ol",
          { class: "index columns" },
          metrics.rows.map((row) => item(String(row["value"]), Number(row["series"]))),
        ),
      ];
    });
    return;
  }
  void load(body, signal, async () => {
    const found = await get<Samples>("series/samples", { place: place.name, ...given }, signal);
    if (found.series.length === 0) return empty("No sample is selected.");
    const cut =
      found.others.series > 0
        ? ` The first ${count(found.series.length)} series are drawn, ${count(found.others.series)}${found.complete ? "" : " or more"} are not.`
        : "";
    const about = `Samples of ${given.selector}: ${counted(found.series.length, "series", "series")}, ${time(found.from)} to ${time(found.to)} UTC.`;
    return [
      h("p", { class: "counts" }, about + cut),
      plot(found.series, about, signal),
      receipt(found.took_ms, found.receipt),
    ];
  });
}
