// Rows of a table of the catalogue.

import type { Cell, Column, Row, Table } from "../api";
import { h, type Child } from "../dom";
import { bytes, count, counted, time, value } from "../format";

/** Rows that are drawn at a time. */
const PAGE_ROWS = 200;
const TEXT_LEN_MAX = 400;

export interface TableOptions {
  caption: string;
  /** Columns that are shown, in this order; all without it. */
  columns?: string[];
  /** Names of columns, where others than their own are clearer. */
  titles?: Record<string, string>;
  /** Where a row leads. */
  href?: (row: Row) => string | null;
  /** How a value is shown. */
  cell?: (column: Column, value: Cell, row: Row) => Child | undefined;
}

/** A value as text on one line. */
export function text(value: Cell): string {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(text).join(", ");
  if (typeof value === "object") {
    const pairs = Object.entries(value);
    return pairs.map(([name, own]) => `${name}=${text(own)}`).join(" ");
  }
  return String(value);
}

function shown(column: Column, own: Cell): string {
  if (typeof own === "number") {
    if (/(^|_)(bytes|size)$/.test(column.name)) return bytes(own);
    return Number.isInteger(own) && !/id$|token$|number$/.test(column.name)
      ? count(own)
      : value(own);
  }
  if (typeof own === "string" && column.type.startsWith("timestamp")) return time(own);
  const all = text(own);
  return all.length > TEXT_LEN_MAX ? `${all.slice(0, TEXT_LEN_MAX)}…` : all;
}

export function dataTable(table: Table, options: TableOptions): HTMLElement {
  const named = (name: string) => table.columns.find((column) => column.name === name);
  const columns = options.columns
    ? options.columns.map(named).filter((column) => column !== undefined)
    : table.columns;
  const head = columns.map((column) =>
    h(
      "th",
      { scope: "col", class: column.is_number ? "number" : null, title: column.about || null },
      options.titles?.[column.name] ?? column.name.replaceAll("_", " ").trim(),
    ),
  );
  const body = h("tbody");
  const row = (own: Row): HTMLTableRowElement => {
    const href = options.href?.(own) ?? null;
    const cells = columns.map((column, at) => {
      const given = options.cell?.(column, own[column.name] ?? null, own);
      const content = given !== undefined ? given : shown(column, own[column.name] ?? null);
      const isNone = own[column.name] === null && given === undefined;
      const kind = [column.is_number ? "number" : "", isNone ? "none" : ""].join(" ").trim();
      const linked = at === 0 && href !== null;
      const inside = linked ? h("a", { href, "data-item": true }, content) : content;
      return h("td", { class: kind || null }, column.is_number ? inside : h("div", {}, inside));
    });
    return h("tr", href === null ? { "data-item": true, tabindex: "-1" } : {}, cells);
  };
  let drawn = 0;
  const more = h("button", { type: "button", class: "plain", "data-item": true });
  const draw = () => {
    const next = table.rows.slice(drawn, drawn + PAGE_ROWS);
    const first = drawn;
    drawn += next.length;
    body.append(...next.map(row));
    const left = table.rows.length - drawn;
    more.hidden = left === 0;
    more.textContent = `${counted(Math.min(left, PAGE_ROWS), "row")} more of ${count(left)}`;
    if (first > 0)
      (body.rows[first]?.querySelector<HTMLElement>("[data-item]") ?? body.rows[first])?.focus();
  };
  more.addEventListener("click", draw);
  draw();
  return h(
    "div",
    { class: "table" },
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": options.caption },
      h("table", {}, h("caption", {}, options.caption), h("thead", {}, h("tr", {}, head)), body),
    ),
    more,
  );
}
