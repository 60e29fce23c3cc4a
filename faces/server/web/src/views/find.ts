// One text, looked for in everything: hits by kind and place, as they come.

import { lines, type Cell } from "../api";
import { h, show, type Child } from "../dom";
import { count, counted } from "../format";
import { link } from "../route";
import { KINDS } from "./home";
import { empty, failure, receipt } from "../parts/states";

interface Hit {
  type: "hit";
  place: string;
  system: string;
  path: string;
  text: string;
  /** Ranges of the text that match, in UTF-16 units. */
  matches: [number, number][];
  before?: string[];
  after?: string[];
  item: Record<string, Cell>;
}

interface End {
  type: "end";
  hits: number;
  complete: boolean;
  took_ms: number;
  receipt: Record<string, number>;
}

interface Note {
  type: "failure" | "note";
  place?: string;
  text: string;
}

type Event = Hit | End | Note;

/** Hits that are drawn of a file or index, before a reader asks for more. */
const GROUP_HITS = 50;
/** Hits that are drawn of all, and files that are listed; others are counted. */
const DRAWN_HITS = 400;
const DRAWN_GROUPS = 300;

/** A text with what matches in it marked. */
export function marked(text: string, matches: [number, number][]): Child[] {
  const parts: Child[] = [];
  let at = 0;
  for (const [start, end] of matches) {
    if (start < at || end <= start) continue;
    parts.push(text.slice(at, start), h("mark", {}, text.slice(start, end)));
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Where a hit leads. */
function hrefOf(hit: Hit, query: string): string | null {
  const own = (name: string) =>
    typeof hit.item[name] === "string" ? (hit.item[name] as string) : null;
  switch (hit.system) {
    case "text":
    case "code":
      return link([hit.system, hit.place, "file"], {
        path: hit.path,
        line: Number(hit.item["line_number"] ?? 1),
        q: query,
      });
    case "series":
      return link(["series", hit.place, "labels"], { name: own("name"), value: own("value") });
    case "blobs":
      return link(["blobs", hit.place, "history"], { path: own("name") });
    case "rows":
      return link(["rows", hit.place, "slice"], { key: own("key") });
    case "graph":
      return own("kind") === "iri"
        ? link(["graph", hit.place, "neighbours"], { node: own("value") })
        : link(["graph", hit.place, "query"], {
            q: `SELECT ?subject ?predicate WHERE {\n  ?subject ?predicate ${hit.text}\n}`,
          });
    default:
      return null;
  }
}

interface Group {
  /** Lines after the last hit, with their numbers: one of them may be the next hit. */
  after: { number: number; line: HTMLElement }[];
  /** The last line that is shown. */
  last: number;
  list: HTMLElement;
  counter: HTMLElement;
  hits: number;
  waiting: Hit[];
  more: HTMLButtonElement;
}

interface Section {
  element: HTMLElement;
  counter: HTMLElement;
  hits: number;
  groups: Map<string, Group>;
  /** Says how many groups are not drawn. */
  rest: HTMLElement;
}

function lineOf(hit: Hit, query: string, group: Group): HTMLElement {
  const number = typeof hit.item["line_number"] === "number" ? hit.item["line_number"] : null;
  const context = (texts: string[] | undefined, from: number) =>
    (texts ?? []).map((text, at) => ({
      number: from + at,
      line: h(
        "span",
        { class: "line context" },
        h("span", { class: "line-number" }, from + at),
        h("span", { class: "line-text" }, text || " "),
      ),
    }));
  const row = h(
    "span",
    { class: "line hit" },
    number === null ? null : h("span", { class: "line-number" }, number),
    h("span", { class: "line-text" }, marked(hit.text, hit.matches), noteOf(hit)),
  );
  const line = number ?? 0;
  // A line is shown once: as the hit that it is, or after the hit before.
  group.after.filter((own) => own.number >= line).forEach((own) => own.line.remove());
  const last = Math.min(group.last, line - 1);
  const before = context(hit.before, line - (hit.before?.length ?? 0)).filter(
    (own) => own.number > last,
  );
  const hasGap = last > 0 && (before[0]?.number ?? line) > last + 1;
  group.after = context(hit.after, line + 1);
  group.last = line + group.after.length;
  const all = [before.map((own) => own.line), row, group.after.map((own) => own.line)];
  const href = hrefOf(hit, query);
  const item =
    href === null
      ? h("span", { class: "found", "data-item": true, tabindex: "-1" }, all)
      : h("a", { class: "found", href, "data-item": true }, all);
  return h("li", { class: hasGap ? "gap" : null }, item);
}

/** Counts that belong to a hit. */
function noteOf(hit: Hit): Child {
  const number = (name: string) =>
    typeof hit.item[name] === "number" ? (hit.item[name] as number) : null;
  const parts = [
    number("series") === null ? null : counted(number("series")!, "series", "series"),
    number("values") && hit.item["value"] === null ? counted(number("values")!, "value") : null,
    number("snapshots") === null ? null : counted(number("snapshots")!, "snapshot"),
  ].filter((part) => part !== null);
  if (hit.item["nul_offset"] !== undefined) parts.push("binary file matches");
  return parts.length === 0 ? null : h("span", { class: "note" }, parts.join(" · "));
}

export function find(into: HTMLElement, params: Map<string, string>, signal: AbortSignal): void {
  const query = params.get("q") ?? "";
  const only = params.get("in") ?? null;
  const kind = params.get("kind") ?? null;
  if (query === "") {
    into.append(
      h("h1", { tabindex: "-1" }, "Where is it?"),
      empty("Type a text or a regular expression in the box above."),
    );
    return;
  }
  const title = h("h1", { tabindex: "-1", class: "query" }, query);
  const status = h("p", { class: "counts", role: "status" }, "Looking…");
  const kinds = h("nav", { class: "chips", "aria-label": "Kinds" });
  const body = h("div", { class: "hits" });
  const notes = h("div", { class: "notes" });
  const foot = h("div");
  into.append(title, status, kinds, body, notes, foot);
  const sections = new Map<string, Section>();
  let hits = 0;
  let drawn = 0;
  let failures = 0;

  const section = (system: string): Section => {
    const known = sections.get(system);
    if (known) return known;
    const counter = h("span", { class: "counter" });
    const name = KINDS.find(([word]) => word === system)?.[1] ?? system;
    const rest = h("p", { class: "hint" });
    const element = h("section", {}, h("h2", {}, name, " ", counter), rest);
    const made: Section = { element, counter, hits: 0, groups: new Map(), rest };
    sections.set(system, made);
    const order = KINDS.map(([word]) => word).filter((word) => sections.has(word));
    const others = [...sections.keys()].filter((word) => !order.includes(word));
    show(
      body,
      [...order, ...others].map((word) => sections.get(word)!.element),
    );
    return made;
  };

  const group = (own: Section, hit: Hit): Group => {
    const id = `${hit.place}\n${hit.path}`;
    const known = own.groups.get(id);
    if (known) return known;
    const counter = h("span", { class: "counter" });
    const list = h("ol", { class: "found-list" });
    const more = h("button", { type: "button", class: "plain", "data-item": true, hidden: true });
    const made: Group = { after: [], last: 0, list, counter, hits: 0, waiting: [], more };
    more.addEventListener("click", () => {
      const at = list.childElementCount;
      list.append(...made.waiting.splice(0, 500).map((one) => lineOf(one, query, made)));
      made.more.hidden = made.waiting.length === 0;
      say(made);
      list.children[at]?.querySelector<HTMLElement>("[data-item]")?.focus();
    });
    own.groups.set(id, made);
    if (own.groups.size > DRAWN_GROUPS) {
      own.rest.textContent = `${count(own.groups.size - DRAWN_GROUPS)} more files with hits`;
      return made;
    }
    const path = hit.path === "" ? null : h("span", { class: "path" }, hit.path);
    own.rest.before(
      h(
        "article",
        {},
        h("h3", {}, h("span", { class: "place-name" }, hit.place), path, counter),
        list,
        more,
      ),
    );
    return made;
  };

  const say = (own: Group) => {
    own.counter.textContent = own.hits > 1 ? count(own.hits) : "";
    own.more.textContent = `${count(own.waiting.length)} more`;
  };

  const take = (hit: Hit) => {
    hits += 1;
    if (kind !== null && hit.system !== kind) {
      section(hit.system).hits += 1;
      return;
    }
    const own = section(hit.system);
    own.hits += 1;
    const at = group(own, hit);
    at.hits += 1;
    if (at.hits <= GROUP_HITS && drawn < DRAWN_HITS) {
      drawn += 1;
      at.list.append(lineOf(hit, query, at));
    } else {
      at.waiting.push(hit);
      at.more.hidden = false;
    }
    say(at);
  };

  const counts = () => {
    status.textContent = `Looking… ${counted(hits, "hit")}`;
    for (const own of sections.values()) {
      own.counter.textContent = count(own.hits);
      own.element.hidden = own.groups.size === 0;
    }
    const chip = (name: string, word: string | null, number: number) =>
      h(
        "a",
        {
          href: link(["find"], { q: query, in: only, kind: word }),
          "aria-current": word === kind ? "true" : null,
        },
        name,
        " ",
        h("span", { class: "counter" }, count(number)),
      );
    const known = KINDS.filter(([word]) => sections.has(word));
    show(
      kinds,
      sections.size > 1 || kind !== null
        ? [
            chip("All", null, hits),
            known.map(([word, name]) => chip(name, word, sections.get(word)!.hits)),
          ]
        : null,
    );
  };

  const end = (event: End) => {
    const cut = event.complete ? "" : " – the first of more; the server stops here";
    status.textContent = `${counted(hits, "hit")} in ${counted(new Set([...sections.values()].flatMap((own) => [...own.groups.keys()].map((id) => id.split("\n")[0]))).size, "place")}${cut}`;
    if (hits === 0)
      show(
        body,
        empty(failures === 0 ? "Nothing holds it." : "Nothing that could be searched holds it."),
      );
    show(foot, receipt(event.took_ms, event.receipt));
  };

  const each = (events: Event[]) => {
    if (signal.aborted) return;
    for (const event of events) {
      if (event.type === "hit") take(event);
      else if (event.type === "end") end(event);
      else {
        failures += Number(event.type === "failure");
        notes.append(
          h(
            "p",
            { class: event.type },
            event.place ? h("span", { class: "place-name" }, event.place) : null,
            event.text,
          ),
        );
      }
    }
    if (!events.some((event) => event.type === "end")) counts();
    else {
      const said = status.textContent;
      counts();
      status.textContent = said;
    }
  };

  const asked = { q: query, in: only, case: params.get("case"), fixed: params.get("fixed") };
  lines<Event>("find", asked, signal, each).catch((error: unknown) => {
    if (signal.aborted) return;
    status.textContent = hits === 0 ? "" : `${counted(hits, "hit")} before it failed`;
    notes.append(failure(error));
  });
}
