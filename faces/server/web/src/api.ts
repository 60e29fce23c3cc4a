// What the server is asked, and what it answers.

/** A refusal or failure of the server, with its class. */
export class ApiError extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(message);
  }
}

export interface Place {
  name: string;
  system: string;
  noun: string;
  tables: string[];
}

export interface Column {
  name: string;
  type: string;
  about: string;
  is_number: boolean;
}

export type Cell = null | boolean | number | string | Cell[] | { [name: string]: Cell };
export type Row = Record<string, Cell>;

export interface Table {
  columns: Column[];
  rows: Row[];
  /** Whether all rows are here. */
  complete: boolean;
  /** What was cut off, where rows were ranked: their number, and sums of their numbers. */
  others: { rows: number; sums: Record<string, number> } | null;
  receipt: Record<string, number>;
  took_ms: number;
}

export type Params = Record<string, string | number | string[] | null | undefined>;

/** An address below the server's own. */
export function address(path: string, params: Params): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (Array.isArray(value)) value.forEach((one) => query.append(name, one));
    else if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? `ui/${path}` : `ui/${path}?${text}`;
}

async function failed(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const json = JSON.parse(text) as { error?: string; class?: string };
    if (json.error) return new ApiError(json.class ?? "failed", json.error);
  } catch {
    // No JSON: whatever is in between has answered.
  }
  return new ApiError("failed", text.trim() || `the server answered ${response.status}`);
}

async function ask(path: string, params: Params, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address(path, params), { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ApiError("unreachable", "the server can't be reached");
  }
  if (!response.ok) throw await failed(response);
  return response;
}

/** Numbers of 64 bits that JavaScript has no place for stay texts, where the browser hands their digits over. */
function exact(_: string, value: unknown, context?: { source?: string }): unknown {
  const isRounded =
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded ? (context?.source ?? value) : value;
}

/** An answer in one piece. */
export async function get<T>(path: string, params: Params, signal: AbortSignal): Promise<T> {
  return JSON.parse(await (await ask(path, params, signal)).text(), exact) as T;
}

/** Rows of a table of the catalogue. */
export function table(name: string, params: Params, signal: AbortSignal): Promise<Table> {
  return get<Table>(`table/${name}`, params, signal);
}

/** An answer as lines of JSON, each when it comes. */
export async function lines<T>(
  path: string,
  params: Params,
  signal: AbortSignal,
  each: (lines: T[]) => void,
): Promise<void> {
  const response = await ask(path, params, signal);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const parts = (rest + (value ?? "")).split("\n");
    rest = parts.pop() ?? "";
    const whole = parts.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
    if (whole.length > 0) each(whole);
    if (done) return;
  }
}
