// What all views of a place share: its name, its tabs, its form.

import type { Place } from "../api";
import { h, type Attributes, type Child } from "../dom";
import { link, type Query } from "../route";

export interface Tab {
  id: string;
  name: string;
}

export const TABS: Record<string, Tab[]> = {
  series: [
    { id: "cardinality", name: "Cardinality" },
    { id: "growth", name: "Growth" },
    { id: "labels", name: "Labels" },
    { id: "plot", name: "Plot" },
  ],
  blobs: [
    { id: "costs", name: "Costs" },
    { id: "history", name: "History" },
    { id: "packs", name: "Packs" },
  ],
  rows: [
    { id: "partitions", name: "Partitions" },
    { id: "tombstones", name: "Tombstones" },
    { id: "slice", name: "Slice" },
  ],
  graph: [
    { id: "query", name: "Query" },
    { id: "neighbours", name: "Neighbours" },
    { id: "predicates", name: "Predicates" },
  ],
  code: [
    { id: "search", name: "Search" },
    { id: "repositories", name: "Repositories" },
  ],
};

/** The head of a view: where it is, and what else there is to see of the place. */
export function head(place: Place, current: string, keep: Query = {}): HTMLElement {
  const tabs = [
    ...(TABS[place.system] ?? []),
    ...(place.tables.length > 0 ? [{ id: "tables", name: "Tables" }] : []),
  ];
  return h(
    "header",
    { class: "head" },
    h("p", { class: "kind" }, place.noun),
    h("h1", { tabindex: "-1" }, place.name),
    h(
      "nav",
      { class: "tabs", "aria-label": `Views of ${place.name}` },
      tabs.map((tab) =>
        h(
          "a",
          {
            href: link([place.system, place.name, tab.id], keep),
            "data-tab": true,
            "aria-current": tab.id === current ? "page" : null,
          },
          tab.name,
        ),
      ),
    ),
  );
}

/** A field with its name. */
export function field(name: string, input: HTMLElement): HTMLElement {
  return h("label", { class: "field" }, h("span", {}, name), input);
}

/** A line of input in the words of the machine. */
export function input(attributes: Attributes): HTMLInputElement {
  return h("input", {
    type: "text",
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    ...attributes,
  });
}

/** A choice of several. */
export function select(
  options: [string, string][],
  chosen: string,
  changed: (value: string) => void,
): HTMLSelectElement {
  const box = h(
    "select",
    {},
    options.map(([value, name]) => h("option", { value, selected: value === chosen }, name)),
  );
  box.addEventListener("change", () => changed(box.value));
  return box;
}

/** A form that is sent by Enter or its button. */
export function form(submit: () => void, ...children: Child[]): HTMLFormElement {
  const element = h("form", { class: "form" }, children);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return element;
}

/** The context of a view. */
export interface View {
  place: Place;
  params: Map<string, string>;
  into: HTMLElement;
  signal: AbortSignal;
}
