// SPARQL as the editor knows it: its words, and how a text of it falls into tokens.

export const KEYWORDS = [
  "SELECT",
  "CONSTRUCT",
  "DESCRIBE",
  "ASK",
  "WHERE",
  "FILTER",
  "OPTIONAL",
  "UNION",
  "MINUS",
  "GRAPH",
  "BIND",
  "VALUES",
  "GROUP BY",
  "ORDER BY",
  "HAVING",
  "LIMIT",
  "OFFSET",
  "DISTINCT",
  "REDUCED",
  "PREFIX",
  "BASE",
  "FROM",
  "FROM NAMED",
  "AS",
  "ASC",
  "DESC",
  "EXISTS",
  "NOT EXISTS",
  "IN",
  "NOT IN",
  "UNDEF",
  "a",
];

export const FUNCTIONS = [
  "COUNT",
  "SUM",
  "AVG",
  "MIN",
  "MAX",
  "SAMPLE",
  "GROUP_CONCAT",
  "STR",
  "LANG",
  "LANGMATCHES",
  "DATATYPE",
  "BOUND",
  "IRI",
  "BNODE",
  "RAND",
  "ABS",
  "CEIL",
  "FLOOR",
  "ROUND",
  "CONCAT",
  "STRLEN",
  "UCASE",
  "LCASE",
  "ENCODE_FOR_URI",
  "CONTAINS",
  "STRSTARTS",
  "STRENDS",
  "STRBEFORE",
  "STRAFTER",
  "YEAR",
  "MONTH",
  "DAY",
  "HOURS",
  "MINUTES",
  "SECONDS",
  "NOW",
  "UUID",
  "STRUUID",
  "MD5",
  "SHA1",
  "SHA256",
  "COALESCE",
  "IF",
  "STRLANG",
  "STRDT",
  "SAMETERM",
  "ISIRI",
  "ISBLANK",
  "ISLITERAL",
  "ISNUMERIC",
  "REGEX",
  "SUBSTR",
  "REPLACE",
];

/** Prefixes that everybody writes. */
export const PREFIXES: [string, string][] = [
  ["rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"],
  ["rdfs", "http://www.w3.org/2000/01/rdf-schema#"],
  ["owl", "http://www.w3.org/2002/07/owl#"],
  ["xsd", "http://www.w3.org/2001/XMLSchema#"],
  ["skos", "http://www.w3.org/2004/02/skos/core#"],
  ["foaf", "http://xmlns.com/foaf/0.1/"],
  ["dc", "http://purl.org/dc/elements/1.1/"],
  ["dcterms", "http://purl.org/dc/terms/"],
  ["schema", "http://schema.org/"],
  ["prov", "http://www.w3.org/ns/prov#"],
  ["dcat", "http://www.w3.org/ns/dcat#"],
  ["geo", "http://www.opengis.net/ont/geosparql#"],
];

export type TokenKind =
  "comment" | "iri" | "string" | "variable" | "prefixed" | "keyword" | "number" | "other";

const TOKEN = new RegExp(
  [
    String.raw`(?<comment>#[^\n]*)`,
    String.raw`(?<iri><[^<>"{}|^\x60\\\x00-\x20]*>)`,
    String.raw`(?<string>"""(?:[^"\\]|\\.|"(?!""))*"""|'''(?:[^'\\]|\\.|'(?!''))*'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`,
    String.raw`(?<variable>[?$][\p{L}\p{N}_]+)`,
    String.raw`(?<prefixed>[\p{L}][\p{L}\p{N}_.-]*:[\p{L}\p{N}_.:-]*|:[\p{L}\p{N}_.:-]+)`,
    String.raw`(?<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)`,
    String.raw`(?<other>[\p{L}_]+)`,
  ].join("|"),
  "gu",
);

const WORDS = new Set(
  [...KEYWORDS.flatMap((word) => word.split(" ")), ...FUNCTIONS].map((word) => word.toUpperCase()),
);

/** The tokens of a text that are shown in a way of their own. */
export function* tokens(text: string): Generator<{ kind: TokenKind; from: number; to: number }> {
  for (const found of text.matchAll(TOKEN)) {
    const [kind] = Object.entries(found.groups ?? {}).find(([, own]) => own !== undefined) as [
      TokenKind,
      string,
    ];
    const [from, to] = [found.index, found.index + found[0].length];
    if (kind !== "other") yield { kind, from, to };
    else if (found[0] === "a" || WORDS.has(found[0].toUpperCase()))
      yield { kind: "keyword", from, to };
  }
}

/** The prefixes that a query declares, and those that everybody knows. */
export function prefixes(query: string): Map<string, string> {
  const all = new Map(PREFIXES);
  for (const found of query.matchAll(/\bPREFIX\s+([^\s:]*):\s*<([^>]*)>/gi))
    all.set(found[1]!, found[2]!);
  return all;
}

/** An IRI by a prefix, where one fits and what is left is a plain name. */
export function shortened(iri: string, known: Map<string, string>): string {
  let best = "";
  let name = iri;
  for (const [prefix, start] of known) {
    if (start.length <= best.length || !iri.startsWith(start)) continue;
    const rest = iri.slice(start.length);
    if (/^[\p{L}\p{N}_][\p{L}\p{N}_-]*$/u.test(rest)) [best, name] = [start, `${prefix}:${rest}`];
  }
  return name;
}

/** A query with declarations of the known prefixes that it uses and doesn't declare. */
export function declared(query: string): string {
  const own = new Set([...query.matchAll(/\bPREFIX\s+([^\s:]*):/gi)].map((found) => found[1]!));
  const used = new Set<string>();
  for (const token of tokens(query)) {
    if (token.kind === "prefixed") used.add(query.slice(token.from, token.to).split(":")[0]!);
  }
  const missing = PREFIXES.filter(([prefix]) => used.has(prefix) && !own.has(prefix));
  return missing.map(([prefix, start]) => `PREFIX ${prefix}: <${start}>\n`).join("") + query;
}
