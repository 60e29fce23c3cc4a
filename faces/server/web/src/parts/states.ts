// What a view shows while it waits, when there is nothing, and when something failed.

import { ApiError } from "../api";
import { h, show, type Child } from "../dom";
import { count, took } from "../format";

/** Time after which the view says that something is being read. */
const PATIENCE_MS = 150;

const ADVICE: Record<string, string> = {
  denied:
    "If this is a restic repository, start the server with its password: --password-file FILE, or RESTIC_PASSWORD_FILE in its environment.",
  missing: "It may have been moved or removed since the server was started.",
  damaged: "`manicule verify` on the place lists what is damaged, and where.",
  busy: "Other requests hold the server's memory. Try again in a moment.",
  too_much: "Ask for less: a narrower selection, a shorter time, a smaller limit.",
  stopped: "The server ends requests after its time limit. A narrower question takes less.",
  unreachable: "Is it still running? This page asks nobody else.",
};

export function empty(text: string, ...more: Child[]): HTMLElement {
  return h("p", { class: "state", role: "status" }, text, ...more);
}

/** A sentence in which what is in backticks is code. */
function withCode(sentence: string): Child[] {
  return sentence.split("`").map((part, at) => (at % 2 === 1 ? h("code", {}, part) : part));
}

export function failure(error: unknown): HTMLElement {
  const kind = error instanceof ApiError ? error.kind : "failed";
  const text = error instanceof Error ? error.message : String(error);
  const advice = ADVICE[kind];
  return h(
    "div",
    { class: "failure", role: "alert" },
    h("p", { class: "failure-kind" }, kind.replace("_", " ")),
    h("p", { class: "failure-text" }, text),
    advice ? h("p", { class: "failure-advice" }, withCode(advice)) : null,
  );
}

/** Shows what a job gives, and until then that it is under way; or why it failed. */
export async function load(
  into: HTMLElement,
  signal: AbortSignal,
  job: () => Promise<Child>,
): Promise<void> {
  const waiting = setTimeout(() => {
    into.setAttribute("aria-busy", "true");
    if (into.childElementCount === 0)
      show(into, h("p", { class: "state waiting", role: "status" }, "Reading…"));
  }, PATIENCE_MS);
  try {
    const shown = await job();
    if (!signal.aborted) show(into, shown);
  } catch (error) {
    if (!signal.aborted) show(into, failure(error));
  } finally {
    clearTimeout(waiting);
    into.removeAttribute("aria-busy");
  }
}

/** What a call has cost: how long it took, and its counts. */
export function receipt(tookMs: number, counts: Record<string, number>): HTMLElement {
  const rows = Object.entries(counts).filter(([, number]) => number > 0);
  const list = rows.map(([name, number]) => [
    h("dt", {}, name.replaceAll("_", " ")),
    h("dd", {}, count(number)),
  ]);
  if (rows.length === 0) return h("p", { class: "receipt" }, took(tookMs));
  return h(
    "details",
    { class: "receipt" },
    h("summary", {}, `${took(tookMs)} · receipt`),
    h("dl", {}, list),
  );
}
