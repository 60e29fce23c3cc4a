// Keys: arrows move among items, Enter opens, Escape closes, letters as the help lists them.

import { h, show } from "./dom";

export const HELP: [string, string][] = [
  ["/", "to the box, or to the view's own field with another /"],
  ["↑ ↓ or k j", "to the item before, or after"],
  ["← →", "to the area or tab beside"],
  ["Enter", "open the item"],
  ["Esc", "close, or one level up"],
  ["1 – 9", "the view's tabs"],
  ["[ ]", "the place before, or after"],
  ["t", "dark or light"],
  ["?", "these keys"],
];

const ITEMS = "[data-item]";

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("input:not([type=checkbox]), textarea, select, [contenteditable], .editor");
}

/** Moves the focus among the items of the page, in their order. */
export function step(by: number): void {
  const items = [...document.querySelectorAll<HTMLElement | SVGElement>(`main ${ITEMS}`)];
  if (items.length === 0) return;
  const at = items.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (by > 0 ? 0 : items.length - 1) : at + by;
  const item = items[Math.min(items.length - 1, Math.max(0, next))]!;
  item.focus();
  item.scrollIntoView({ block: "nearest" });
}

/** Moves the focus to the nearest item in a direction: of areas in a drawing. */
function stepAside(key: string): boolean {
  const from = document.activeElement;
  const drawing = from?.closest("[data-drawing]");
  if (!from || !drawing) return false;
  const middle = (of: Element) => {
    const box = of.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const start = middle(from);
  const along = key === "ArrowLeft" || key === "ArrowRight" ? "x" : "y";
  const across = along === "x" ? "y" : "x";
  const sign = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
  let best: { item: HTMLElement | SVGElement; far: number } | null = null;
  for (const item of drawing.querySelectorAll<HTMLElement | SVGElement>(ITEMS)) {
    const end = middle(item);
    const ahead = (end[along] - start[along]) * sign;
    if (item === from || ahead <= 1) continue;
    const far = ahead + 2 * Math.abs(end[across] - start[across]);
    if (best === null || far < best.far) best = { item, far };
  }
  best?.item.focus();
  return true;
}

export interface Actions {
  focusBox: () => void;
  up: () => void;
  toggleTheme: () => void;
  place: (by: number) => void;
}

/** The dialog that lists the keys. */
export function helpDialog(): HTMLDialogElement {
  const rows = HELP.map(([key, about]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, about)]);
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" });
  const close = h(
    "button",
    { type: "button", class: "plain", onclick: () => dialog.close() },
    "Close",
  );
  show(dialog, h("h2", { id: "help-title" }, "Keys"), h("dl", {}, rows), h("p", {}, close));
  document.body.append(dialog);
  return dialog;
}

function tab(number: number): void {
  document.querySelectorAll<HTMLElement>("main [data-tab]")[number - 1]?.click();
}

function besideTab(key: string): boolean {
  const tabs = [...document.querySelectorAll<HTMLElement>("main [data-tab]")];
  const at = tabs.findIndex((one) => one === document.activeElement);
  if (at < 0) return false;
  tabs[(at + (key === "ArrowLeft" ? tabs.length - 1 : 1)) % tabs.length]!.focus();
  return true;
}

/** Listens to the keys of the page. */
export function listen(actions: Actions, help: HTMLDialogElement): void {
  const pressed = (event: KeyboardEvent): boolean => {
    const typing = isTyping(event.target);
    if (event.key === "Escape") {
      if (help.open) return false;
      if (typing) (event.target as HTMLElement).blur();
      else actions.up();
      return true;
    }
    if (help.open) return false;
    const isItem = event.target instanceof Element && event.target.matches(ITEMS);
    if (typing) {
      const isBox = event.target instanceof HTMLInputElement;
      if (isBox && event.key === "ArrowDown" && !event.target.list) {
        step(1);
        return true;
      }
      return false;
    }
    switch (event.key) {
      case "/":
        actions.focusBox();
        return true;
      case "?":
        help.showModal();
        return true;
      case "t":
        actions.toggleTheme();
        return true;
      case "[":
      case "]":
        actions.place(event.key === "[" ? -1 : 1);
        return true;
      case "j":
      case "k":
        step(event.key === "j" ? 1 : -1);
        return true;
      case "ArrowDown":
      case "ArrowUp":
        if (!stepAside(event.key)) step(event.key === "ArrowDown" ? 1 : -1);
        return true;
      case "ArrowLeft":
      case "ArrowRight":
        return stepAside(event.key) || besideTab(event.key);
      case "Enter":
      case " ":
        // Rows and areas that are no links of their own.
        if (isItem && !(event.target as Element).matches("a, button")) {
          (event.target as Element).dispatchEvent(new MouseEvent("click", { bubbles: true }));
          return true;
        }
        return false;
      default:
        if (/^[1-9]$/.test(event.key)) {
          tab(Number(event.key));
          return true;
        }
        return false;
    }
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (pressed(event)) event.preventDefault();
  });
}
