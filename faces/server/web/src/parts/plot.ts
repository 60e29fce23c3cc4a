// Samples of series over time.

import uPlot from "uplot";
import { h, s } from "../dom";
import { count, time, value } from "../format";
import { colour, onSwitch } from "../theme";

export interface Line {
  labels: Record<string, string>;
  /** Times in milliseconds, and values. */
  points: [number, number | null][];
  samples: number;
  last: number | null;
  min: number | null;
  max: number | null;
}

const HEIGHT = 340;
export const INKS = 10;

function aligned(lines: Line[]): uPlot.AlignedData {
  const tables = lines.map((line): uPlot.AlignedData => [
    line.points.map(([at]) => at / 1000),
    line.points.map(([, own]) => own),
  ]);
  return uPlot.join(
    tables,
    tables.map(() => [1, 1]),
  );
}

/** How times of an axis are said: the date where it is another one, and the time where they are within days. */
function moments(ticks: number[]): (at: number, place: number) => string {
  const texts = ticks.map((at) => time(at * 1000));
  const areDays = texts.every((text) => text.endsWith(" 00:00"));
  return (_, place) => {
    const [day, clock] = texts[place]!.split(" ");
    if (areDays) return day!;
    const isOther = place === 0 || texts[place - 1]!.split(" ")[0] !== day;
    return isOther ? `${clock}\n${day}` : clock!;
  };
}

function ink(at: number): string {
  return colour(`ink-${at % INKS}`);
}

function options(lines: Line[], names: string[], width: number): uPlot.Options {
  const axis = {
    stroke: colour("muted"),
    grid: { stroke: colour("hair"), width: 1 },
    ticks: { stroke: colour("hair"), width: 1 },
  };
  return {
    width,
    height: HEIGHT,
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "UTC"),
    cursor: { drag: { x: true, y: false } },
    legend: { show: false },
    axes: [
      { ...axis, values: (_, ticks) => ticks.map(moments(ticks)) },
      { ...axis, size: 64, values: (_, ticks) => ticks.map(value) },
    ],
    series: [
      {},
      ...lines.map((_, at) => ({
        label: names[at]!,
        stroke: ink(at),
        width: 1.5,
        spanGaps: true,
        points: { show: lines[at]!.points.length < 60, size: 4 },
      })),
    ],
  };
}

/** Labels in which series differ, as selectors name them; all of one series. */
export function namesOf(lines: Line[]): string[] {
  const all = new Set(lines.flatMap((line) => Object.keys(line.labels)));
  const differs = (name: string) => new Set(lines.map((line) => line.labels[name])).size > 1;
  const shown =
    lines.length > 1 ? [...all].filter(differs) : [...all].filter((name) => name !== "__name__");
  return lines.map((line) => {
    const pairs = shown.filter((name) => line.labels[name] !== undefined);
    const text = pairs.map((name) =>
      name === "__name__" ? line.labels[name] : `${name}="${line.labels[name]}"`,
    );
    return text.join(" ") || line.labels["__name__"] || "{}";
  });
}

/** The plot, and a table of its series: what the lines are, and their values for those who don't see them. */
export function plot(lines: Line[], about: string, signal: AbortSignal): HTMLElement {
  const names = namesOf(lines);
  const frame = h("div", { class: "plot", role: "img", "aria-label": about });
  const said = h("p", { class: "said", "aria-live": "polite" }, "\u00a0");
  const data = aligned(lines);
  let chart: uPlot | null = null;
  const draw = () => {
    const width = Math.floor(frame.clientWidth);
    if (width === 0) return;
    chart?.destroy();
    const own = options(lines, names, width);
    own.hooks = {
      setCursor: [
        (self) => {
          const at = self.cursor.idx;
          if (at === null || at === undefined) return;
          said.textContent = `${time((data[0][at] ?? 0) * 1000)} UTC`;
          cells.forEach((cell, line) => (cell.textContent = near(data, line, at)));
        },
      ],
    };
    chart = new uPlot(own, data, frame);
  };
  const cells = lines.map(() => h("td", { class: "number at" }));
  const rows = lines.map((line, at) =>
    h(
      "tr",
      { "data-item": true, tabindex: "-1" },
      h(
        "th",
        { scope: "row" },
        s(
          "svg",
          { class: "key", width: "14", height: "9", "aria-hidden": "true" },
          s("rect", { y: "3", width: "14", height: "3", class: `ink-${at % INKS}` }),
        ),
        names[at],
      ),
      h("td", { class: "number" }, count(line.samples)),
      [line.min, line.max, line.last].map((one) =>
        h("td", { class: "number" }, one === null ? "–" : value(one)),
      ),
      cells[at],
    ),
  );
  const heads = ["samples", "least", "greatest", "last", "at the pointer"];
  const observer = new ResizeObserver(() => {
    if (chart?.width !== Math.floor(frame.clientWidth)) draw();
  });
  observer.observe(frame);
  onSwitch(draw, signal);
  signal.addEventListener("abort", () => {
    observer.disconnect();
    chart?.destroy();
  });
  const table = h(
    "table",
    { class: "series" },
    h("caption", { class: "unseen" }, "The series of the plot"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "series"),
        heads.map((head) => h("th", { scope: "col", class: "number" }, head)),
      ),
    ),
    h("tbody", {}, rows),
  );
  return h(
    "div",
    {},
    frame,
    said,
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Series" }, table),
  );
}

/** The value of a line at or before a place. */
function near(data: uPlot.AlignedData, line: number, at: number): string {
  const values = data[line + 1]!;
  for (let place = at; place >= Math.max(0, at - 200); place -= 1) {
    const own = values[place];
    if (own !== null && own !== undefined) return value(own);
  }
  return "";
}
