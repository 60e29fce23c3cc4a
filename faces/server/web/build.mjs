// Builds the page into dist: names with a hash of their contents, the same bytes on every machine.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";

const out = process.argv[2] ?? "dist";
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const built = await build({
  entryPoints: { page: "src/main.ts", style: "src/style.css" },
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  charset: "utf8",
  outdir: out,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  metafile: true,
  logLevel: "warning",
});

const outputs = Object.entries(built.metafile.outputs);
const named = (entry) => basename(outputs.find(([, output]) => output.entryPoint === entry)[0]);

const icon = readFileSync("src/icon.svg");
const iconName = `icon-${createHash("sha256").update(icon).digest("hex").slice(0, 8)}.svg`;
writeFileSync(join(out, iconName), icon);

const names = { script: named("src/main.ts"), style: named("src/style.css"), icon: iconName };
const filled = (_, name) => `assets/${names[name]}`;
const page = readFileSync("src/index.html", "utf8").replace(/\{\{(\w+)\}\}/g, filled);
writeFileSync(join(out, "index.html"), page);

// What the server includes: names and bytes.
const files = readdirSync(out).sort();
const row = (name) => `    ("${name}", include_bytes!("${name}")),\n`;
writeFileSync(join(out, "files.rs"), `&[\n${files.map(row).join("")}]\n`);

const whole = outputs.reduce((sum, [, output]) => sum + output.bytes, icon.length + page.length);
console.log(`${out}: ${outputs.length + 2} files, ${whole} bytes`);
