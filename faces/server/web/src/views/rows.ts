// SSTables: partitions, tombstones, a slice.

import { table, type Row, type Table } from "../api";
import { h, type Child } from "../dom";
import { bytes, count, counted } from "../format";
import { go, link } from "../route";
import { bars, type Bar } from "../parts/bars";
import { field, form, head, input, type View } from "../parts/shell";
import { empty, load, receipt } from "../parts/states";
import { dataTable } from "../parts/table";

const BARS = 60;

function others(listed: Table, of: string, columns: string[][]): Bar[] {
  const cut = listed.others;
  if (!cut || cut.rows === 0) return [];
  const sum = (names: string[]) => names.reduce((all, name) => all + (cut.sums[name] ?? 0), 0);
  return [{ label: counted(cut.rows, `other ${of}`), values: columns.map(sum), isOthers: true }];
}

function sum(row: Row, names: string[]): number {
  return names.reduce((all, name) => all + Number(row[name] ?? 0), 0);
}

export function partitions(view: View): void {
  const { place, into, signal } = view;
  const body = h("div");
  into.append(head(place, "partitions"), body);
  void load(body, signal, async () => {
    const [listed, sstables] = await Promise.all([
      table(
        "rows.partitions",
        { place: place.name, columns: ["_key", "_bytes", "_sstables"], top: "_bytes", limit: BARS },
        signal,
      ),
      table(
        "rows.sstables",
        {
          place: place.name,
          columns: [
            "sstable",
            "version",
            "file_bytes",
            "rows",
            "cells",
            "compression",
            "droppable",
          ],
          limit: 200,
        },
        signal,
      ),
    ]);
    if (listed.rows.length === 0) return empty("There is no partition here.");
    const rows = listed.rows.map((row): Bar => ({
      label: String(row["_key"]),
      note: `in ${counted((row["_sstables"] as string[]).length, "SSTable")}`,
      values: [Number(row["_bytes"])],
      href: link(["rows", place.name, "slice"], { key: String(row["_key"]) }),
    }));
    return [
      bars([...rows, ...others(listed, "partition", [["_bytes"]])], {
        caption: "Partitions by their bytes, uncompressed",
        of: "partition",
        legend: ["bytes"],
        format: bytes,
      }),
      dataTable(sstables, { caption: "SSTables" }),
      receipt(listed.took_ms, listed.receipt),
    ];
  });
}

const OF_ROWS = ["_row_deletions", "_expired_rows"];
const OF_RANGES = ["_range_deletions", "_partition_deletions"];
const OF_CELLS = ["_cell_tombstones", "_collection_deletions", "_expired_cells"];

export function tombstones(view: View): void {
  const { place, into, signal } = view;
  const body = h("div");
  into.append(head(place, "tombstones"), body);
  void load(body, signal, async () => {
    const columns = [
      "_key",
      "_tombstones",
      "_rows",
      "_droppable",
      ...OF_ROWS,
      ...OF_RANGES,
      ...OF_CELLS,
    ];
    const listed = await table(
      "rows.partitions",
      { place: place.name, columns, where: "_tombstones > 0", top: "_tombstones", limit: BARS },
      signal,
    );
    if (listed.rows.length === 0) return empty("No partition has a tombstone.");
    const rows = listed.rows.map((row): Bar => ({
      label: String(row["_key"]),
      note: `${counted(Number(row["_droppable"]), "tombstone")} droppable, beside ${counted(Number(row["_rows"]), "row")}`,
      values: [sum(row, OF_ROWS), sum(row, OF_RANGES), sum(row, OF_CELLS)],
      href: link(["rows", place.name, "slice"], { key: String(row["_key"]) }),
    }));
    const all = listed.rows.reduce(
      (total, row) => total + Number(row["_tombstones"]),
      listed.others?.sums["_tombstones"] ?? 0,
    );
    const partitionCount = listed.rows.length + (listed.others?.rows ?? 0);
    return [
      h(
        "p",
        { class: "counts" },
        `${counted(all, "tombstone")} in ${counted(partitionCount, "partition")}`,
      ),
      bars([...rows, ...others(listed, "partition", [OF_ROWS, OF_RANGES, OF_CELLS])], {
        caption: "Partitions by their tombstones",
        of: "partition",
        legend: ["of rows", "of ranges", "of cells"],
        format: count,
      }),
      receipt(listed.took_ms, listed.receipt),
    ];
  });
}

export function slice(view: View): void {
  const { place, params, into, signal } = view;
  const key = params.get("key") ?? "";
  const where = params.get("where") ?? "";
  const keyBox = input({ value: key, placeholder: "7, or (7, 'a')", "data-own": true });
  const whereBox = input({ value: where, placeholder: "ck > 3 AND v IS NOT NULL" });
  const submit = () =>
    go(["rows", place.name, "slice"], { key: keyBox.value.trim(), where: whereBox.value.trim() });
  const body = h("div");
  into.append(
    head(place, "slice"),
    form(
      submit,
      field("Key", keyBox),
      field("Where", whereBox),
      h("button", { type: "submit" }, "Show"),
    ),
    body,
  );
  void load(body, signal, async (): Promise<Child> => {
    const listed = await table(
      "rows.rows",
      {
        place: place.name,
        "a.key": key === "" ? null : key,
        where: where === "" ? null : where,
        limit: 1000,
      },
      signal,
    );
    if (listed.rows.length === 0) return empty("No row is so.");
    const what = key === "" ? "Rows" : `Rows of ${key}`;
    const cut = listed.complete ? "" : `, the first ${count(listed.rows.length)}`;
    return [
      dataTable(listed, { caption: `${what}${cut}` }),
      receipt(listed.took_ms, listed.receipt),
    ];
  });
}
