// Bars: a row for each thing, whose parts lie beside each other on one scale.

import { h, s } from "../dom";

export interface Bar {
  label: string;
  /** A second line, smaller. */
  note?: string;
  href?: string | null;
  /** Values of the parts, in the order of the legend. */
  values: number[];
  /** It stands for several that were cut off. */
  isOthers?: boolean;
  isCurrent?: boolean;
}

export interface BarOptions {
  caption: string;
  /** What a row is. */
  of: string;
  /** What the parts are. */
  legend: string[];
  format: (value: number) => string;
  /** Whether a heading beside it says what the caption does. */
  hasHeading?: boolean;
}

/** Greatest sum of a bar that is not of others: one of thousands would make all others vanish. */
function scale(rows: Bar[]): number {
  const sums = rows
    .filter((row) => !row.isOthers)
    .map((row) => row.values.reduce((a, b) => a + b, 0));
  return Math.max(...sums, 1);
}

export function bars(rows: Bar[], options: BarOptions): HTMLElement {
  const whole = scale(rows);
  const row = (bar: Bar) => {
    const label = bar.href
      ? h("a", { href: bar.href, "data-item": true }, bar.label)
      : h("span", { "data-item": true, tabindex: "-1" }, bar.label);
    let at = 0;
    const drawn = bar.values.map((value, place) => {
      const width = Math.min(100 - at, (100 * value) / whole);
      const part = s("rect", {
        x: `${at}%`,
        y: "0",
        width: `${Math.max(value > 0 ? 0.15 : 0, width)}%`,
        height: "100%",
        class: `part-${place}`,
      });
      at += width;
      return part;
    });
    return h(
      "tr",
      { class: bar.isOthers ? "others" : null, "aria-current": bar.isCurrent ? "true" : null },
      h("th", { scope: "row" }, label, bar.note ? h("small", {}, bar.note) : null),
      h(
        "td",
        { class: "drawn" },
        s("svg", { "aria-hidden": "true", width: "100%", height: "10" }, drawn),
      ),
      bar.values.map((value) => h("td", { class: "number" }, options.format(value))),
    );
  };
  const names = options.legend.map((name, at) =>
    h(
      "th",
      { scope: "col", class: "number" },
      s(
        "svg",
        { class: "key", width: "9", height: "9", "aria-hidden": "true" },
        s("rect", { width: "9", height: "9", class: `part-${at}` }),
      ),
      name,
    ),
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": options.caption },
    h(
      "table",
      { class: "bars" },
      h("caption", { class: options.hasHeading ? "unseen" : null }, options.caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, options.of),
          h("th", { scope: "col", class: "drawn" }, h("span", { class: "unseen" }, "bar")),
          names,
        ),
      ),
      h("tbody", {}, rows.map(row)),
    ),
  );
}
