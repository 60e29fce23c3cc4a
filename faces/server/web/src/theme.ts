// Dark or light: as the system has it, unless the reader has chosen.

type Theme = "light" | "dark";
const KEY = "manicule-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function chosen(): Theme | null {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : null;
}

export function current(): Theme {
  return chosen() ?? (dark.matches ? "dark" : "light");
}

function apply(): void {
  document.documentElement.dataset["theme"] = current();
  listeners.forEach((listener) => listener());
}

/** Switches to the other one; back to the system's where that is the same. */
export function toggle(): void {
  const other: Theme = current() === "dark" ? "light" : "dark";
  if (other === (dark.matches ? "dark" : "light")) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, other);
  apply();
}

/** Calls it after each switch, until the signal ends. */
export function onSwitch(listener: () => void, signal: AbortSignal): void {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}

export function begin(): void {
  dark.addEventListener("change", apply);
  apply();
}

/** The value of a colour of the style sheet, for what is drawn on a canvas. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
