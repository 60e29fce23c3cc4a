// The TypeScript SDK as a client of `manicule mcp`: each tool over an example of each kind, pages, progress, a call cancelled.
//
//   client.mjs TRANSCRIPT PYTHON MANICULE FOLDER
//
// The SDK compares each structured result with the tool's schema. Ends with 1 on a difference.

import assert from "node:assert/strict";
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// The SDK lies in the folder that $NODE_PATH names: modules of this form don't look there.
const require = createRequire(join(process.env.NODE_PATH, "..", "x.cjs"));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { ListRootsRequestSchema } = await load("types.js");

const here = dirname(fileURLToPath(import.meta.url));
const [transcript, python, manicule, folder] = process.argv.slice(2);
const slow = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?a ?b ?c } GRAPH ?h { ?d ?e ?f } FILTER(?c != ?f) }";
const at = (value, pointer) => pointer.split("/").slice(1).reduce((value, part) => value?.[part], value);

const client = new Client({ name: "manicule-proof", version: "1" }, { capabilities: { roots: {} } });
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(realpathSync(folder)).href }] }));
await client.connect(
  new StdioClientTransport({
    command: python,
    args: [join(here, "tee.py"), transcript, manicule, "mcp", "--no-index"],
    cwd: folder,
    env: { ...process.env, RESTIC_PASSWORD: "manicule-golden" },
  }),
);

async function ask({ tool, arguments: given, wanted, wrong }) {
  const result = await client.callTool({ name: tool, arguments: given });
  const [{ text }] = result.content;
  if (wrong !== undefined) {
    assert.ok(result.isError && text.includes(wrong), `${tool}: ${text}`);
    return;
  }
  assert.ok(!result.isError, text);
  assert.deepEqual(JSON.parse(text), result.structuredContent);
  for (const [pointer, want] of Object.entries(wanted)) {
    assert.deepEqual(at(result.structuredContent, pointer), want, `${tool} ${pointer}`);
  }
}

async function pages(tool, given, items) {
  const found = [];
  for (let count = 1, cursor = null; ; count++) {
    const more = cursor === null ? {} : { cursor };
    const { structuredContent } = await client.callTool({ name: tool, arguments: { ...given, ...more } });
    found.push(...structuredContent[items]);
    cursor = structuredContent.next;
    if (cursor === null) return [found, count];
  }
}

await client.ping();
const { tools } = await client.listTools();
const names = ["find", "inspect", "verify", "series", "rows", "code", "graph", "blobs"];
assert.deepEqual(tools.map((tool) => tool.name), names);
assert.ok(tools.every((tool) => tool.annotations.readOnlyHint));
for (const question of JSON.parse(readFileSync(join(here, "questions.json"), "utf8"))) await ask(question);

const [samples, samplePages] = await pages("series", { table: "samples", paths: ["block"], limit: 5 }, "rows");
assert.deepEqual([samples.length, samplePages], [12, 3]);
const [files, filePages] = await pages("find", { text: "config", paths: ["src"], budget: 900 }, "files");
assert.ok(new Set(files.map((file) => file.path)).size === files.length && filePages > 1);

const told = [];
const verify = { name: "verify", arguments: { paths: ["block", "store"] } };
await client.callTool(verify, undefined, { onprogress: ({ progress }) => told.push(progress) });
assert.ok(told.length > 0 && told.every((done, place) => place === 0 || done > told[place - 1]), `${told}`);

const leaving = new AbortController();
setTimeout(() => leaving.abort("enough"), 1000);
const given = { name: "graph", arguments: { table: "solutions", paths: ["store"], query: slow } };
await assert.rejects(client.callTool(given, undefined, { signal: leaving.signal }));
await ask({ tool: "series", arguments: { table: "blocks", paths: ["block"] }, wanted: { "/complete": true } });

await client.close();
console.log("typescript 2025-11-25: done");
