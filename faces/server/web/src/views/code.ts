// zoekt shards and source trees: a query, its hits, a file around a hit.

import { get, table } from "../api";
import { h, type Child } from "../dom";
import { count, counted } from "../format";
import { go, link } from "../route";
import { field, form, head, input, type View } from "../parts/shell";
import { empty, load, receipt } from "../parts/states";
import { dataTable } from "../parts/table";
import { marked } from "./find";

interface CodeLine {
  number: number;
  text: string;
  matches: [number, number][];
}

interface CodeFile {
  repository: string;
  path: string;
  shown: string;
  language: string;
  branches: string[];
  match_count: number;
  name_matches: [number, number][];
  chunks: CodeLine[][];
}

interface Found {
  files: CodeFile[];
  file_count: number;
  match_count: number;
  took_ms: number;
  receipt: Record<string, number>;
}

export function search(view: View): void {
  const { place, params, into, signal } = view;
  const query = params.get("q") ?? "";
  const box = input({ value: query, placeholder: "lang:go func.*Open file:cmd", "data-own": true });
  const submit = () => go(["code", place.name, "search"], { q: box.value.trim() });
  const body = h("div");
  into.append(
    head(place, "search"),
    form(submit, field("Query", box), h("button", { type: "submit" }, "Search")),
    body,
  );
  if (query === "") {
    body.append(
      empty(
        "zoekt's query language: words, regular expressions, ",
        h("code", {}, "file:"),
        ", ",
        h("code", {}, "lang:"),
        ", ",
        h("code", {}, "sym:"),
        ", ",
        h("code", {}, "repo:"),
        ", and ",
        h("code", {}, "-"),
        " before what is not wanted.",
      ),
    );
    return;
  }
  void load(body, signal, async () => {
    const found = await get<Found>("code/search", { place: place.name, q: query }, signal);
    if (found.file_count === 0)
      return [empty("No document answers this."), receipt(found.took_ms, found.receipt)];
    const cut =
      found.files.length < found.file_count
        ? `; the best ${count(found.files.length)} are shown`
        : "";
    return [
      h(
        "p",
        { class: "counts", role: "status" },
        `${counted(found.match_count, "match", "matches")} in ${counted(found.file_count, "file")}${cut}`,
      ),
      h(
        "div",
        { class: "hits" },
        found.files.map((file) => fileOf(view, file, query)),
      ),
      receipt(found.took_ms, found.receipt),
    ];
  });
}

function fileHref(view: View, file: CodeFile, line: number, query: string): string {
  return link([view.place.system, view.place.name, "file"], { path: file.shown, line, q: query });
}

function fileOf(view: View, file: CodeFile, query: string): HTMLElement {
  const chunk = (lines: CodeLine[]): HTMLElement => {
    const hit = lines.find((line) => line.matches.length > 0) ?? lines[0]!;
    const rows = lines.map((line) =>
      h(
        "span",
        { class: line.matches.length > 0 ? "line hit" : "line context" },
        h("span", { class: "line-number" }, line.number),
        h("span", { class: "line-text" }, marked(line.text, line.matches)),
      ),
    );
    return h(
      "li",
      {},
      h(
        "a",
        { class: "found", href: fileHref(view, file, hit.number, query), "data-item": true },
        rows,
      ),
    );
  };
  const name = h("span", { class: "path" }, marked(file.path, file.name_matches));
  const nameOnly = file.chunks.length === 0;
  return h(
    "article",
    {},
    h(
      "h3",
      {},
      h("span", { class: "place-name" }, file.repository),
      nameOnly ? h("a", { href: fileHref(view, file, 1, query), "data-item": true }, name) : name,
      h("span", { class: "counter" }, file.language),
    ),
    h("ol", { class: "found-list" }, file.chunks.map(chunk)),
  );
}

interface FileText {
  path: string;
  repository: string | null;
  language: string | null;
  first_line: number;
  line_count: number;
  lines: string[];
  took_ms: number;
}

/** A file's lines around one. */
export function file(view: View): void {
  const { place, params, into, signal } = view;
  const path = params.get("path") ?? "";
  const line = Math.max(1, Number(params.get("line") ?? "1") || 1);
  const query = params.get("q") ?? "";
  const body = h("div");
  into.append(head(place, "file"), body);
  void load(body, signal, async (): Promise<Child> => {
    const text = await get<FileText>("code/file", { place: place.name, path, line }, signal);
    const rows = text.lines.map((own, at) => {
      const number = text.first_line + at;
      const isHit = number === line;
      return h(
        "span",
        { class: isHit ? "line hit current" : "line", "data-line": number },
        h("span", { class: "line-number" }, number),
        h(
          "span",
          { class: "line-text" },
          isHit ? marked(own, plainMatches(own, query)) : own || " ",
        ),
      );
    });
    const last = text.first_line + text.lines.length - 1;
    const to = (next: number, name: string) =>
      h(
        "a",
        {
          href: link([place.system, place.name, "file"], { path, line: next, q: query }),
          "data-item": true,
        },
        name,
      );
    const code = h(
      "div",
      {
        class: "code scroll",
        tabindex: "0",
        role: "region",
        "aria-label": `Lines of ${text.path}`,
      },
      rows,
    );
    requestAnimationFrame(() => {
      const current = code.querySelector<HTMLElement>(".current");
      if (current) code.scrollTop = current.offsetTop - code.offsetTop - code.clientHeight / 2;
    });
    return [
      h(
        "nav",
        { class: "crumbs", "aria-label": "Way" },
        text.repository ? [h("span", {}, text.repository), " › "] : null,
        h("span", { class: "path" }, text.path),
        text.language ? h("span", { class: "counter" }, text.language) : null,
      ),
      h(
        "p",
        { class: "counts" },
        `Lines ${count(text.first_line)} to ${count(last)} of ${count(text.line_count)}`,
      ),
      code,
      h(
        "p",
        { class: "pager" },
        text.first_line > 1 ? to(Math.max(1, text.first_line - 1), "Lines before") : null,
        " ",
        last < text.line_count ? to(last + 1, "Lines after") : null,
      ),
    ];
  });
}

/** Where a query's plain text is in a line; of other queries nothing is marked. */
function plainMatches(text: string, query: string): [number, number][] {
  if (query === "" || /[\\^$.*+?()[\]{}|:]/.test(query)) return [];
  const at = text.toLowerCase().indexOf(query.toLowerCase());
  return at < 0 ? [] : [[at, at + query.length]];
}

const REPOSITORY = [
  "repository",
  "documents",
  "content_bytes",
  "index_bytes",
  "has_symbols",
  "branches",
  "indexed_at",
  "latest_commit_at",
  "shard",
];

export function repositories(view: View): void {
  const { place, into, signal } = view;
  const body = h("div");
  into.append(head(place, "repositories"), body);
  void load(body, signal, async () => {
    const listed = await table(
      "code.repositories",
      { place: place.name, columns: REPOSITORY, limit: 2000 },
      signal,
    );
    if (listed.rows.length === 0) return empty("There is no repository here.");
    return [
      dataTable(listed, {
        caption: "Repositories",
        href: (row) =>
          link(["code", place.name, "search"], {
            q: `repo:^${String(row["repository"]).replace(/[.+]/g, "\\$&")}$`,
          }),
      }),
      receipt(listed.took_ms, listed.receipt),
    ];
  });
}
