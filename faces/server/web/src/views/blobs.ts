// restic repositories: what snapshots cost, versions of a path, what packs hold.

import { ApiError, get, table, type Row, type Table } from "../api";
import { h, type Child } from "../dom";
import { bytes, count, counted, time } from "../format";
import { go, link } from "../route";
import { bars, type Bar } from "../parts/bars";
import { field, form, head, input, select, type View } from "../parts/shell";
import { empty, load, receipt } from "../parts/states";
import { dataTable } from "../parts/table";

/** Rows that are drawn as bars. */
const BARS = 60;

const GROUPS: [string, string][] = [
  ["snapshot", "each snapshot"],
  ["host", "host"],
  ["tag", "tag"],
  ["path", "path"],
];

export function costs(view: View): void {
  const { place, params, into, signal } = view;
  const by = params.get("by") ?? "snapshot";
  const body = h("div");
  const choice = select(GROUPS, by, (own) => go(["blobs", place.name, "costs"], { by: own }));
  into.append(
    head(place, "costs"),
    form(() => undefined, field("Weigh by", choice)),
    body,
  );
  void load(body, signal, async () => {
    const columns = [
      "value",
      "snapshots",
      "bytes",
      "exclusive_bytes",
      "shared_bytes",
      "blobs",
      "exclusive_blobs",
    ];
    const [weighed, snapshots] = await Promise.all([
      table(
        "blobs.costs",
        { place: place.name, "a.by": by, columns, top: "exclusive_bytes", limit: BARS },
        signal,
      ),
      by === "snapshot"
        ? table(
            "blobs.snapshots",
            {
              place: place.name,
              columns: ["id", "time", "hostname", "paths"],
              top: "time",
              limit: 5000,
            },
            signal,
          )
        : null,
    ]);
    if (weighed.rows.length === 0) return empty("There is no snapshot here.");
    const known = new Map((snapshots?.rows ?? []).map((row) => [String(row["id"]), row]));
    const rows = weighed.rows.map((row): Bar & { at: string } => {
      const of = known.get(String(row["value"]));
      return {
        label: of ? String(row["value"]).slice(0, 8) : String(row["value"]),
        note: of
          ? `${time(of["time"] as string)} · ${String(of["hostname"])}`
          : counted((row["snapshots"] as string[]).length, "snapshot"),
        values: [Number(row["exclusive_bytes"]), Number(row["shared_bytes"])],
        href: of
          ? link(["blobs", place.name, "history"], { snapshot: String(row["value"]).slice(0, 8) })
          : null,
        at: of ? String(of["time"]) : "",
      };
    });
    if (by === "snapshot") rows.sort((a, b) => b.at.localeCompare(a.at));
    if (weighed.others && weighed.others.rows > 0) {
      const sums = weighed.others.sums;
      rows.push({
        label: counted(weighed.others.rows, "other"),
        values: [sums["exclusive_bytes"] ?? 0, sums["shared_bytes"] ?? 0],
        isOthers: true,
        at: "",
      });
    }
    return [
      bars(rows, {
        caption: "Stored bytes: only here, and shared with others",
        of: by,
        legend: ["only here", "shared"],
        format: bytes,
      }),
      h(
        "p",
        { class: "hint" },
        "What lies only in one is what forgetting it, and a prune, would free.",
      ),
      receipt(weighed.took_ms, weighed.receipt),
    ];
  });
}

export function history(view: View): void {
  const { place, params, into, signal } = view;
  const path = params.get("path") ?? "";
  const snapshot = params.get("snapshot") ?? "latest";
  const like = params.get("like") ?? "";
  const box = input({
    value: path || like,
    placeholder: "/etc/passwd, or a part of a path",
    "data-own": true,
  });
  const submit = () => {
    const text = box.value.trim();
    go(
      ["blobs", place.name, "history"],
      text.startsWith("/") ? { path: text } : { like: text, snapshot },
    );
  };
  const body = h("div");
  into.append(
    head(place, "history"),
    form(submit, field("Path", box), h("button", { type: "submit" }, "Show")),
    body,
  );
  void load(body, signal, () => (path === "" ? paths(view, snapshot, like) : versions(view, path)));
}

async function paths(view: View, snapshot: string, like: string): Promise<Child> {
  const where = like === "" ? null : `path LIKE '%${like.replaceAll("'", "''")}%'`;
  const listed = await table(
    "blobs.files",
    {
      place: view.place.name,
      "a.snapshots": snapshot,
      where,
      columns: ["path", "type", "size", "mtime", "permissions"],
      limit: 1000,
    },
    view.signal,
  );
  if (listed.rows.length === 0) return empty("No path is so.");
  const href = (row: Row) =>
    link(["blobs", view.place.name, "history"], { path: String(row["path"]) });
  const of = snapshot === "latest" ? "the latest snapshot" : `snapshot ${snapshot}`;
  const cut = listed.complete ? "" : `, the first ${count(listed.rows.length)}`;
  return [
    dataTable(listed, { caption: `Paths of ${of}${cut}`, href }),
    receipt(listed.took_ms, listed.receipt),
  ];
}

async function versions(view: View, path: string): Promise<Child> {
  const columns = [
    "first_at",
    "last_at",
    "hostname",
    "version",
    "state",
    "size",
    "snapshots",
    "first_snapshot",
    "new_bytes",
  ];
  const listed = await table(
    "blobs.versions",
    { place: view.place.name, "a.file": path, columns, limit: 1000 },
    view.signal,
  );
  const there = listed.rows.filter((row) => row["state"] !== "absent");
  if (there.length === 0) return empty(`No snapshot has ${path}.`);
  const rows = [...listed.rows].reverse();
  const largest = rows.map((row): Bar => ({
    label: `version ${String(row["version"])}`,
    note: `${time(row["first_at"] as string)}${row["first_at"] === row["last_at"] ? "" : ` – ${time(row["last_at"] as string)}`} · ${counted(Number(row["snapshots"]), "snapshot")} of ${String(row["hostname"])}`,
    values: [Number(row["size"] ?? 0)],
  }));
  return [
    h("h2", { class: "path" }, path),
    bars(largest, {
      caption: "Its versions, the newest first",
      of: "version",
      legend: ["size"],
      format: bytes,
    }),
    dataTable(
      { ...listed, rows },
      {
        caption: "The same in numbers",
        columns,
        cell: (column, own) =>
          column.name === "first_snapshot" ? String(own).slice(0, 8) : undefined,
      },
    ),
    receipt(listed.took_ms, listed.receipt),
  ];
}

interface Lost {
  pack: string;
  blobs: number;
  notes: string[];
  files: { path: string; snapshots: number; blobs: number }[];
  file_count: number;
  folders: { path: string; snapshots: number; blobs: number }[];
  folder_count: number;
  snapshot_count: number;
  took_ms: number;
}

interface Check {
  errors: { message: string }[];
  error_count: number;
  broken: { pack: string; damaged_files: number; lost_blobs: number; snapshots: string[] }[];
  took_ms: number;
  counts: Record<string, number>;
}

export function packs(view: View): void {
  const { place, params, into, signal } = view;
  const pack = params.get("pack") ?? null;
  const body = h("div");
  into.append(head(place, "packs"), body);
  void load(body, signal, () => (pack === null ? allPacks(view) : onePack(view, pack)));
}

async function allPacks(view: View): Promise<Child> {
  const { place, params, signal } = view;
  const [listed, checked] = await Promise.all([
    listedPacks(view),
    params.get("check") === "1" ? get<Check>("blobs/check", { place: place.name }, signal) : null,
  ]);
  const href = (id: string) => link(["blobs", place.name, "packs"], { pack: id });
  const isWeighed = listed.columns.some((column) => column.name === "used_bytes");
  const values = (of: (name: string) => number) =>
    isWeighed ? [of("used_bytes"), of("unused_bytes")] : [of("size")];
  const rows: Bar[] = listed.rows.map((row) => ({
    label: String(row["id"]).slice(0, 12),
    note: [row["type"], row["size"] === null ? "its file is missing" : row["fate"]]
      .filter((word) => word && word !== "keep")
      .join(" · "),
    values: values((name) => Number(row[name] ?? 0)),
    href: href(String(row["id"])),
  }));
  if (listed.others && listed.others.rows > 0) {
    rows.push({
      label: counted(listed.others.rows, "other pack"),
      values: values((name) => listed.others!.sums[name] ?? 0),
      isOthers: true,
    });
  }
  const verdict =
    checked === null
      ? h(
          "p",
          {},
          h(
            "a",
            {
              class: "button",
              href: link(["blobs", place.name, "packs"], { check: "1" }),
              "data-item": true,
            },
            "Check index, snapshots and trees now",
          ),
        )
      : checkedNow(checked, href);
  if (rows.length === 0) return [verdict, empty("There is no pack here.")];
  return [
    verdict,
    h(
      "p",
      { class: "hint" },
      "Open a pack to see which files of which snapshots would be lost with it.",
    ),
    bars(rows, {
      caption: "Packs by size",
      of: "pack",
      legend: isWeighed ? ["used", "unused"] : ["bytes"],
      format: bytes,
    }),
    receipt(listed.took_ms, listed.receipt),
  ];
}

/** Packs with what of them is used; where packs or trees are missing, without. */
async function listedPacks(view: View): Promise<Table> {
  const ask = (columns: string[]) =>
    table(
      "blobs.packs",
      { place: view.place.name, columns, top: "size", limit: BARS },
      view.signal,
    );
  try {
    return await ask(["id", "type", "size", "used_bytes", "unused_bytes", "fate"]);
  } catch (error) {
    if (error instanceof ApiError && error.kind === "damaged") return ask(["id", "type", "size"]);
    throw error;
  }
}

function checkedNow(checked: Check, href: (id: string) => string): Child {
  if (checked.error_count === 0)
    return h(
      "p",
      { class: "good", role: "status" },
      "Nothing is broken: index, snapshots and trees are as they should be.",
    );
  const broken = checked.broken.map((own): Bar => ({
    label: own.pack.slice(0, 12),
    note: `${counted(own.lost_blobs, "blob")} lost, in ${counted(own.snapshots.length, "snapshot")}`,
    values: [own.damaged_files],
    href: href(own.pack),
  }));
  return h(
    "section",
    { class: "failure", role: "alert" },
    h("p", { class: "failure-kind" }, counted(checked.error_count, "error")),
    checked.errors.map((error) => h("p", { class: "failure-text" }, error.message)),
    broken.length > 0
      ? bars(broken, {
          caption: "Broken packs",
          of: "pack",
          legend: ["damaged files"],
          format: count,
        })
      : null,
  );
}

async function onePack(view: View, pack: string): Promise<Child> {
  const { place, signal } = view;
  const lost = await get<Lost>("blobs/pack", { place: place.name, pack }, signal);
  const list = (title: string, rows: Lost["files"], total: number) => {
    if (rows.length === 0) return null;
    const cut = total > rows.length ? `: ${count(rows.length)} of ${count(total)}` : "";
    return h(
      "section",
      {},
      h("h2", {}, title, " ", h("span", { class: "counter" }, count(total))),
      cut === "" ? null : h("p", { class: "hint" }, `Shown are ${count(rows.length)} of them.`),
      h(
        "ol",
        { class: "index" },
        rows.map((row) =>
          h(
            "li",
            {},
            h(
              "a",
              {
                href: link(["blobs", place.name, "history"], { path: row.path }),
                "data-item": true,
              },
              h("span", { class: "path" }, row.path),
              h(
                "span",
                { class: "counter" },
                `${counted(row.blobs, "blob")} · ${counted(row.snapshots, "snapshot")}`,
              ),
            ),
          ),
        ),
      ),
    );
  };
  const nothing = lost.file_count + lost.folder_count === 0;
  return [
    h(
      "nav",
      { class: "crumbs", "aria-label": "Way" },
      h("a", { href: link(["blobs", place.name, "packs"]), "data-up": true }, "All packs"),
      " › ",
      h("span", { class: "mono" }, pack.slice(0, 16)),
    ),
    h(
      "p",
      { class: "lead" },
      nothing
        ? "If this pack broke, no snapshot would lose anything."
        : `If this pack broke, ${counted(lost.file_count, "file")} and ${counted(lost.folder_count, "folder")} of ${counted(lost.snapshot_count, "snapshot")} would lose something.`,
    ),
    lost.notes.map((note) => h("p", { class: "note" }, note)),
    list("Files", lost.files, lost.file_count),
    list("Folders that couldn't be read any more", lost.folders, lost.folder_count),
    receipt(lost.took_ms, { blobs: lost.blobs }),
  ];
}
