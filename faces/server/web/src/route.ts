// What is shown, as the fragment of the address: `#/series/NAME/labels?name=job`.

export interface Route {
  parts: string[];
  params: Map<string, string>;
}

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter((part) => part !== "");
  return {
    parts: parts.map((part) => decoded(part)),
    params: new Map(new URLSearchParams(query).entries()),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export type Query = Record<string, string | number | null | undefined>;

/** The address of a view, for links. */
export function link(parts: string[], params: Query = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** Shows another view. */
export function go(parts: string[], params: Query = {}): void {
  location.hash = link(parts, params);
}

/** Says another state of the view that is shown, without a step in the history. */
export function replace(parts: string[], params: Query): void {
  history.replaceState(null, "", link(parts, params));
}
