// Stores of RDF: a query, the neighbours of a node, predicates.

import { table, type Cell, type Row, type Table } from "../api";
import { h, s, type Child } from "../dom";
import { count, counted } from "../format";
import { go, link } from "../route";
import { bars, type Bar } from "../parts/bars";
import { field, form, head, input, type View } from "../parts/shell";
import { empty, load, receipt } from "../parts/states";
import { dataTable, text } from "../parts/table";
import { declared, prefixes, shortened } from "../sparql";

const FIRST_QUERY =
  "SELECT ?subject ?predicate ?object\nWHERE {\n  ?subject ?predicate ?object\n}\nLIMIT 100";
/** Neighbours of each side that are drawn. */
const DRAWN = 14;

const known = prefixes("");

function nodeHref(view: View, node: string): string {
  return link(["graph", view.place.name, "neighbours"], { node });
}

/** A term: what is a node leads to its neighbours. */
function term(view: View, own: Cell, kind: Cell, names: Map<string, string>): Child | undefined {
  if (typeof own !== "string") return undefined;
  if (kind === "iri")
    return h("a", { href: nodeHref(view, own), title: own }, shortened(own, names));
  const type =
    typeof kind === "string" && kind !== "blank" && !kind.endsWith("#string") ? kind : null;
  const shown = own.length > 400 ? `${own.slice(0, 400)}…` : own;
  return [
    shown,
    type === null
      ? null
      : h("span", { class: "type" }, type.startsWith("@") ? type : shortened(type, names)),
  ];
}

function answerTable(view: View, answer: Table, query: string): HTMLElement {
  const names = prefixes(query);
  const kindOf = (name: string) =>
    answer.columns.find((column) => column.name === `${name}_type`)?.name;
  const shown = answer.columns
    .map((column) => column.name)
    .filter(
      (name) =>
        !name.endsWith("_type") || !answer.columns.some((column) => `${column.name}_type` === name),
    );
  const cut = answer.complete ? "" : ", the first of more";
  return dataTable(answer, {
    caption: `${counted(answer.rows.length, "row")}${cut}`,
    columns: shown,
    titles: Object.fromEntries(shown.map((name) => [name, name])),
    cell: (column, own, row) => {
      const kind =
        column.name === "predicate" && kindOf("predicate") === undefined
          ? "iri"
          : (row[kindOf(column.name) ?? ""] ?? null);
      return term(view, own, kind, names);
    },
  });
}

export function query(view: View): void {
  const { place, params, into, signal } = view;
  const given = params.get("q") ?? "";
  const frame = h("div", { class: "query-box" });
  const body = h("div");
  into.append(head(place, "query"), frame, body);
  void load(frame, signal, async () => {
    const [{ editor }, predicates] = await Promise.all([
      import("../editor"),
      table(
        "graph.predicates",
        { place: place.name, columns: ["predicate", "quads"], top: "quads", limit: 1000 },
        signal,
      ).catch(() => null),
    ]);
    const quads = new Map<string, number>();
    for (const row of predicates?.rows ?? []) {
      const iri = String(row["predicate"]);
      // One may be in the default graph and in named ones.
      quads.set(iri, (quads.get(iri) ?? 0) + Number(row["quads"]));
    }
    const listed = [...quads].map(([iri, number]) => ({ iri, quads: number }));
    const run = () => go(["graph", place.name, "query"], { q: edited.text() });
    const edited = editor(given || FIRST_QUERY, "SPARQL query", listed, run);
    edited.element.dataset["own"] = "";
    edited.element.addEventListener("focus-editor", () => edited.focus());
    return [
      edited.element,
      h(
        "p",
        { class: "run" },
        h("button", { type: "button", onclick: run }, "Run"),
        h(
          "span",
          { class: "hint" },
          h("kbd", {}, "Ctrl"),
          " ",
          h("kbd", {}, "Enter"),
          " runs it; ",
          h("kbd", {}, "Ctrl"),
          " ",
          h("kbd", {}, "Space"),
          " completes",
        ),
      ),
    ];
  });
  if (given === "") {
    body.append(
      empty(
        "Well-known prefixes are declared by themselves: rdf, rdfs, owl, xsd, skos, foaf, dcterms, schema.",
      ),
    );
    return;
  }
  void load(body, signal, async () => {
    const answer = await table(
      "graph.solutions",
      { place: place.name, "a.query": declared(given), limit: 1000 },
      signal,
    );
    const [yes] = answer.rows;
    if (answer.columns.length === 1 && answer.columns[0]!.name === "answer" && yes) {
      return [
        h("p", { class: "lead", role: "status" }, yes["answer"] === true ? "Yes." : "No."),
        receipt(answer.took_ms, answer.receipt),
      ];
    }
    if (answer.rows.length === 0)
      return [empty("No solution."), receipt(answer.took_ms, answer.receipt)];
    return [answerTable(view, answer, given), receipt(answer.took_ms, answer.receipt)];
  });
}

export function predicates(view: View): void {
  const { place, into, signal } = view;
  const body = h("div");
  into.append(head(place, "predicates"), body);
  void load(body, signal, async () => {
    const listed = await table(
      "graph.predicates",
      { place: place.name, top: "quads", limit: 100 },
      signal,
    );
    if (listed.rows.length === 0) return empty("The store has no quad.");
    const query = (iri: string) =>
      `SELECT ?subject ?object\nWHERE {\n  ?subject <${iri}> ?object\n}\nLIMIT 100`;
    const rows = listed.rows.map((row): Bar => ({
      label: shortened(String(row["predicate"]), known),
      note: `${row["scope"] === "named" ? "in named graphs · " : ""}${counted(Number(row["subjects"]), "subject")}, ${counted(Number(row["objects"]), "object")}`,
      values: [Number(row["quads"])],
      href: link(["graph", place.name, "query"], { q: query(String(row["predicate"])) }),
    }));
    if (listed.others && listed.others.rows > 0)
      rows.push({
        label: counted(listed.others.rows, "other predicate"),
        values: [listed.others.sums["quads"] ?? 0],
        isOthers: true,
      });
    return [
      bars(rows, {
        caption: "Predicates by their quads",
        of: "predicate",
        legend: ["quads"],
        format: count,
      }),
      receipt(listed.took_ms, listed.receipt),
    ];
  });
}

export function neighbours(view: View): void {
  const { place, params, into, signal } = view;
  const node = params.get("node") ?? "";
  const box = input({
    value: node,
    placeholder: "http://example.org/thing, or _:b0",
    "data-own": true,
  });
  const submit = () =>
    go(["graph", place.name, "neighbours"], { node: box.value.trim().replace(/^<|>$/g, "") });
  const body = h("div");
  into.append(
    head(place, "neighbours"),
    form(submit, field("Node", box), h("button", { type: "submit" }, "Show")),
    body,
  );
  void load(body, signal, () => (node === "" ? someNodes(view) : around(view, node)));
}

/** Nodes to begin with: subjects of the first quads. */
async function someNodes(view: View): Promise<Child> {
  const listed = await table(
    "graph.quads",
    { place: view.place.name, columns: ["subject"], limit: 2000 },
    view.signal,
  );
  const subjects = [...new Set(listed.rows.map((row) => String(row["subject"])))].slice(0, 24);
  if (subjects.length === 0) return empty("The store has no quad.");
  return [
    h("p", { class: "hint" }, "A node by its IRI; or one of the first that the store has."),
    h(
      "ol",
      { class: "index columns" },
      subjects.map((own) =>
        h(
          "li",
          {},
          h("a", { href: nodeHref(view, own), "data-item": true }, shortened(own, known)),
        ),
      ),
    ),
  ];
}

function quoted(own: string): string {
  return `'${own.replaceAll("'", "''")}'`;
}

async function around(view: View, node: string): Promise<Child> {
  const { place, signal } = view;
  const columns = ["subject", "predicate", "object", "object_type", "graph"];
  const type = node.startsWith("_:") ? "blank" : "iri";
  const [out, back] = await Promise.all([
    table(
      "graph.quads",
      { place: place.name, columns, where: `subject = ${quoted(node)}`, limit: 200 },
      signal,
    ),
    table(
      "graph.quads",
      {
        place: place.name,
        columns,
        where: `object = ${quoted(node)} AND object_type = '${type}'`,
        limit: 200,
      },
      signal,
    ),
  ]);
  if (out.rows.length + back.rows.length === 0) return empty(`No quad has ${node}.`);
  const more = (listed: Table) =>
    `${count(listed.rows.length)}${listed.complete ? "" : " or more"}`;
  const names = prefixes("");
  const cells = (column: { name: string }, own: Cell, row: Row) =>
    term(
      view,
      own,
      column.name === "object"
        ? (row["object_type"] ?? null)
        : typeof own === "string" && own.startsWith("_:")
          ? "blank"
          : "iri",
      names,
    );
  return [
    drawing(view, node, back.rows, out.rows, { back: more(back), out: more(out) }),
    out.rows.length === 0
      ? null
      : dataTable(out, {
          caption: `${more(out)} quads from it`,
          columns: ["predicate", "object", "graph"],
          cell: cells,
        }),
    back.rows.length === 0
      ? null
      : dataTable(back, {
          caption: `${more(back)} quads to it`,
          columns: ["subject", "predicate", "graph"],
          cell: cells,
        }),
    receipt(out.took_ms + back.took_ms, out.receipt),
  ];
}

const ROW = 30;
const WIDE = 980;
const MIDDLE = WIDE / 2;
const NODE_HALF = 106;
/** Where the labels of both sides begin. */
const SIDE = 262;

function clipped(own: string, letters: number): string {
  return own.length <= letters ? own : `${own.slice(0, letters - 1)}…`;
}

/** An IRI as it is drawn: by a prefix, or its last part. */
function drawnName(iri: string): string {
  const short = shortened(iri, known);
  return short !== iri ? short : (/[^/#]+[/#]?$/.exec(iri)?.[0] ?? iri);
}

interface End {
  label: string;
  /** All of it, for who points at it or doesn't see it. */
  full: string;
  predicate: string;
  href: string | null;
}

function side(ends: End[], isLeft: boolean, height: number): SVGElement[] {
  const start = (height - ends.length * ROW) / 2 + ROW / 2;
  const from = isLeft ? MIDDLE - NODE_HALF : MIDDLE + NODE_HALF;
  const to = isLeft ? SIDE : WIDE - SIDE;
  return ends.map((end, at) => {
    const y = start + at * ROW;
    const bend = (from + to) / 2;
    const name = h(
      "div",
      { class: end.href === null ? "literal" : "node", title: end.full },
      end.label,
    );
    // HTML cuts a name with an ellipsis, which SVG can't.
    const label = s(
      "foreignObject",
      {
        x: isLeft ? 0 : to + 8,
        y: y - 10,
        width: SIDE - 8,
        height: 20,
        class: isLeft ? "left" : null,
      },
      name,
    );
    const linked =
      end.href === null
        ? label
        : s(
            "a",
            { href: end.href, "data-item": true, "aria-label": `${end.full}, by ${end.predicate}` },
            label,
          );
    return s(
      "g",
      {},
      s("path", {
        d: `M${from},${height / 2} C${bend},${height / 2} ${bend},${y} ${to},${y}`,
        class: "edge",
      }),
      s("circle", { cx: to, cy: y, r: 2.5, class: "dot" }),
      s(
        "text",
        {
          x: isLeft ? to + 7 : to - 7,
          y: y - 5,
          "text-anchor": isLeft ? "start" : "end",
          class: "by",
        },
        clipped(end.predicate, 24),
      ),
      linked,
    );
  });
}

/** What points at a node on the left, what it points at on the right. */
function drawing(
  view: View,
  node: string,
  back: Row[],
  out: Row[],
  counts: { back: string; out: string },
): HTMLElement {
  const of = (row: Row, which: "subject" | "object"): End => {
    const own = String(row[which]);
    const isNode =
      which === "subject" || row["object_type"] === "iri" || row["object_type"] === "blank";
    return {
      label: isNode ? drawnName(own) : `“${own.replace(/\s+/g, " ")}”`,
      full: own,
      predicate: drawnName(String(row["predicate"])),
      href: isNode ? nodeHref(view, own) : null,
    };
  };
  const ends = (rows: Row[], which: "subject" | "object", said: string): End[] => {
    const shown = rows.slice(0, DRAWN).map((row) => of(row, which));
    const hidden = rows.length - shown.length;
    return hidden > 0
      ? [...shown, { label: `${said} in all, listed below`, full: "", predicate: "", href: null }]
      : shown;
  };
  const [left, right] = [ends(back, "subject", counts.back), ends(out, "object", counts.out)];
  const height = Math.max(left.length, right.length, 3) * ROW + 30;
  return h(
    "div",
    {
      class: "drawing scroll",
      "data-drawing": true,
      tabindex: "0",
      role: "region",
      "aria-label": "Drawing",
    },
    s(
      "svg",
      {
        viewBox: `0 0 ${WIDE} ${height}`,
        role: "group",
        "aria-label": `${text(node)} and its neighbours: ${counts.back} quads to it, ${counts.out} from it`,
      },
      side(left, true, height),
      side(right, false, height),
      s("rect", {
        x: MIDDLE - NODE_HALF,
        y: height / 2 - 19,
        width: 2 * NODE_HALF,
        height: 38,
        rx: 4,
        class: "centre",
      }),
      s(
        "foreignObject",
        { x: MIDDLE - NODE_HALF, y: height / 2 - 10, width: 2 * NODE_HALF, height: 20 },
        h("div", { class: "centre-name", title: node }, drawnName(node)),
      ),
    ),
  );
}
