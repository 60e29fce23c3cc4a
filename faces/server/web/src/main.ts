// The page: its frame, and which view is in it.

import { get, type Place } from "./api";
import { h, show } from "./dom";
import { helpDialog, listen } from "./keys";
import { TABS, type View } from "./parts/shell";
import { empty, failure } from "./parts/states";
import { go, link, parse, replace } from "./route";
import * as theme from "./theme";
import * as blobs from "./views/blobs";
import * as code from "./views/code";
import { find } from "./views/find";
import * as graph from "./views/graph";
import { home, hrefOf, KINDS } from "./views/home";
import * as labels from "./views/labels";
import * as rows from "./views/rows";
import * as series from "./views/series";
import { tables } from "./views/tables";

type Show = (view: View) => void;

const VIEWS: Record<string, Record<string, Show>> = {
  series: {
    cardinality: series.cardinality,
    growth: series.growth,
    labels: labels.labels,
    plot: labels.samples,
  },
  blobs: { costs: blobs.costs, history: blobs.history, packs: blobs.packs },
  rows: { partitions: rows.partitions, tombstones: rows.tombstones, slice: rows.slice },
  graph: { query: graph.query, neighbours: graph.neighbours, predicates: graph.predicates },
  code: { search: code.search, file: code.file, repositories: code.repositories },
  text: { file: code.file },
};

/** Time without a key after which what is in the box is looked for. */
const TYPING_MS = 220;

let places: Place[] = [];
let shown = new AbortController();

const box = h("input", {
  type: "search",
  id: "box",
  name: "q",
  placeholder: "Where is it?",
  "aria-label": "Find in everything",
  autocomplete: "off",
  autocapitalize: "off",
  spellcheck: "false",
});
const rail = h("nav", { class: "rail", "aria-label": "Places" });
const main = h("main", { id: "main", tabindex: "-1" });

function frame(): HTMLDialogElement {
  const help = helpDialog();
  const caseBox = h("input", { type: "checkbox", id: "any-case" });
  caseBox.addEventListener("change", () => look(true));
  const fixedBox = h("input", { type: "checkbox", id: "as-text", checked: true });
  fixedBox.addEventListener("change", () => look(true));
  const header = h(
    "header",
    { class: "bar" },
    h(
      "a",
      { class: "mark", href: "#/", "aria-label": "Manicule, all places" },
      h("span", { class: "hand", "aria-hidden": "true" }, "☞"),
      h("span", { class: "name" }, "Manicule"),
    ),
    h(
      "form",
      { role: "search", class: "box" },
      h("span", { class: "slash", "aria-hidden": "true" }, "/"),
      box,
      h(
        "label",
        { class: "option", title: "The text as it is, not a regular expression" },
        fixedBox,
        "plain text",
      ),
      h(
        "label",
        { class: "option", title: "Upper and lower case are the same" },
        caseBox,
        "any case",
      ),
    ),
    h(
      "button",
      {
        type: "button",
        class: "plain icon",
        "aria-label": "Dark or light",
        title: "Dark or light (t)",
        onclick: theme.toggle,
      },
      "◐",
    ),
    h(
      "button",
      {
        type: "button",
        class: "plain icon",
        "aria-label": "Keys",
        title: "Keys (?)",
        onclick: () => help.showModal(),
      },
      "?",
    ),
  );
  header.querySelector("form")!.addEventListener("submit", (event) => {
    event.preventDefault();
    look(false);
  });
  let typing = 0;
  box.addEventListener("input", () => {
    clearTimeout(typing);
    // What is running is of a text that is not asked for any more.
    if (parse(location.hash).parts[0] === "find") shown.abort();
    typing = window.setTimeout(() => look(true), TYPING_MS);
  });
  document.body.prepend(
    h(
      "a",
      {
        class: "skip",
        href: "#main",
        onclick: (event: Event) => (event.preventDefault(), main.focus()),
      },
      "To the contents",
    ),
    header,
    h("div", { class: "columns" }, rail, main),
  );
  return help;
}

function checked(id: string): boolean {
  return document.querySelector<HTMLInputElement>(`#${id}`)!.checked;
}

/** Looks for what is in the box. While it is typed, the history has one step for all of it. */
function look(isTyping: boolean): void {
  const route = parse(location.hash);
  const isThere = route.parts[0] === "find";
  const query = {
    q: box.value,
    in: isThere ? route.params.get("in") : null,
    fixed: checked("as-text") ? null : "0",
    case: checked("any-case") ? "any" : null,
  };
  if (box.value === "" && !isThere) return;
  if (isThere && isTyping) {
    replace(["find"], query);
    draw();
  } else if (isThere && link(["find"], query) === location.hash) {
    draw();
  } else {
    go(["find"], query);
  }
}

function drawRail(current: string | undefined): void {
  const systems = [...KINDS.map(([system]) => system), ...places.map((place) => place.system)];
  const groups = [...new Set(systems)].map((system) => {
    const own = places.filter((place) => place.system === system);
    if (own.length === 0) return null;
    const title = KINDS.find(([word]) => word === system)?.[1] ?? system;
    const row = (place: Place) =>
      h(
        "li",
        {},
        h(
          "a",
          { href: hrefOf(place), "aria-current": place.name === current ? "true" : null },
          place.name,
        ),
      );
    return h("section", {}, h("h2", {}, title), h("ul", {}, own.map(row)));
  });
  show(rail, groups);
}

function missing(text: string): void {
  main.append(
    h("h1", { tabindex: "-1" }, "Nothing here"),
    empty(text, " ", h("a", { href: "#/" }, "All places")),
  );
}

/** Shows the view that the address names. */
function draw(): void {
  shown.abort();
  shown = new AbortController();
  const { parts, params } = parse(location.hash);
  const [system, name, tab] = parts;
  main.replaceChildren();
  drawRail(system === "find" ? params.get("in") : name);
  if (system === undefined) {
    document.title = "Manicule";
    home(main, places);
    return;
  }
  if (system === "find") {
    if (document.activeElement !== box) box.value = params.get("q") ?? "";
    document.title = params.get("q") ? `${params.get("q")} ☞ Manicule` : "Manicule";
    find(main, params, shown.signal);
    return;
  }
  const place = places.find((own) => own.name === name);
  if (place === undefined) return missing(`Nothing of the name ${name ?? ""} is served.`);
  const id = tab ?? TABS[place.system]?.[0]?.id ?? "tables";
  const show = id === "tables" && place.tables.length > 0 ? tables : VIEWS[place.system]?.[id];
  if (show === undefined) return missing(`${place.name} has no view ${id}.`);
  document.title = `${place.name} ☞ Manicule`;
  show({ place, params, into: main, signal: shown.signal });
}

/** One level up: from a thing to its list, from a place to all. */
function up(): void {
  const above = document.querySelector<HTMLAnchorElement>("main [data-up]");
  const isItem = document.activeElement?.matches("main [data-item]") ?? false;
  if (above) above.click();
  else if (isItem) (document.activeElement as HTMLElement).blur();
  else go([]);
}

/** The place before or after the one that is shown. */
function beside(by: number): void {
  if (places.length === 0) return;
  const at = places.findIndex((place) => place.name === parse(location.hash).parts[1]);
  const next = places[(at + by + places.length) % places.length] ?? places[0]!;
  location.hash = hrefOf(next);
}

/** To the box; where it is in the address already, to the view's own field. */
function focusBox(): void {
  box.focus();
  box.select();
}

async function begin(): Promise<void> {
  theme.begin();
  const help = frame();
  listen({ focusBox, up, toggleTheme: theme.toggle, place: beside }, help);
  box.addEventListener("keydown", (event) => {
    const own = document.querySelector<HTMLElement>("main [data-own]");
    if (event.key !== "/" || box.value !== "" || !own) return;
    event.preventDefault();
    if (own.matches(".editor")) own.dispatchEvent(new Event("focus-editor"));
    else own.focus();
  });
  const { params, parts } = parse(location.hash);
  if (parts[0] === "find") {
    document.querySelector<HTMLInputElement>("#as-text")!.checked = params.get("fixed") !== "0";
    document.querySelector<HTMLInputElement>("#any-case")!.checked = params.get("case") === "any";
  }
  try {
    places = (await get<{ places: Place[] }>("places", {}, shown.signal)).places;
  } catch (error) {
    show(main, h("h1", { tabindex: "-1" }, "Manicule"), failure(error));
    return;
  }
  window.addEventListener("hashchange", draw);
  draw();
}

void begin();
