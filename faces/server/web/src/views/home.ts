// What is served.

import type { Place } from "../api";
import { h } from "../dom";
import { link } from "../route";
import { TABS } from "../parts/shell";
import { empty } from "../parts/states";

export const KINDS: [string, string][] = [
  ["series", "Series"],
  ["blobs", "Backups"],
  ["rows", "Tables"],
  ["graph", "Graphs"],
  ["code", "Code"],
  ["text", "Text"],
];

/** Where a place's link leads: its first view. */
export function hrefOf(place: Place): string {
  const first = TABS[place.system]?.[0]?.id;
  if (first !== undefined) return link([place.system, place.name, first]);
  return place.tables.length > 0
    ? link([place.system, place.name, "tables"])
    : link(["find"], { in: place.name });
}

export function home(into: HTMLElement, places: Place[]): void {
  const groups = KINDS.map(([system, title]) => {
    const own = places.filter((place) => place.system === system);
    return own.length === 0 ? null : group(title, own);
  });
  const others = places.filter((place) => !KINDS.some(([system]) => system === place.system));
  into.append(
    h(
      "div",
      { class: "hero" },
      h("h1", { tabindex: "-1" }, "Where is it?"),
      h(
        "p",
        {},
        "One question over everything that is served here. Press ",
        h("kbd", {}, "/"),
        " and type.",
      ),
    ),
    places.length === 0
      ? empty(
          "Nothing is served. Start the server with the paths of indexes: ",
          h("code", {}, "manicule serve PLACE…"),
        )
      : h("div", { class: "places" }, groups, others.length > 0 ? group("Others", others) : null),
  );
}

function group(title: string, places: Place[]): HTMLElement {
  const row = (place: Place) => {
    const views = (TABS[place.system] ?? []).map((tab) =>
      h("a", { href: link([place.system, place.name, tab.id]) }, tab.name),
    );
    return h(
      "li",
      {},
      h(
        "a",
        { href: hrefOf(place), "data-item": true },
        h("span", { class: "place-name" }, place.name),
        h("span", { class: "place-noun" }, place.noun),
      ),
      views.length > 0 ? h("p", { class: "place-views" }, views) : null,
    );
  };
  return h("section", {}, h("h2", {}, title), h("ul", { class: "index" }, places.map(row)));
}
