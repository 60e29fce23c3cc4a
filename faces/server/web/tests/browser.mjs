// A server and a browser for the tests, and what every page has to keep to.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A folder that is gone at the end. */
export function temporary(name) {
  const folder = mkdtempSync(join(tmpdir(), `manicule-page-${name}-`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts the server. Returns its address, and what ends it. */
export function serve(program, words) {
  const child = spawn(program, ["--listen", "0", "--read-only", ...words], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return new Promise((resolve, reject) => {
    let said = "";
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
    child.stderr.on("data", (part) => {
      said += part;
      const found = said.match(/https?:\/\/127\.0\.0\.1:\d+\//);
      if (found) resolve({ address: found[0], end: () => child.kill("SIGTERM") });
    });
  });
}

/** A browser with a profile of its own. */
export async function browser() {
  const profile = temporary("profile");
  const context = await chromium.launchPersistentContext(profile.folder, {
    executablePath: CHROMIUM,
    args: ARGUMENTS,
    viewport: { width: 1200, height: 800 },
    colorScheme: "light",
  });
  const close = async () => {
    await context.close();
    profile.remove();
  };
  return { context, close };
}

/** A page that notes what no page may do: ask elsewhere, break its policy, log an error. */
export async function watched(context, address) {
  const page = await context.newPage();
  const faults = [];
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(
        `policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
      );
    });
  });
  page.on("console", (message) => {
    // A status that a test has asked for is said by the browser itself.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:"))
      faults.push(`asked ${request.url()}`);
  });
  return { page, faults };
}

/** Serious and critical findings of axe, as lines. */
export async function findings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ["violations"] }),
  );
  const serious = violations.filter((own) => own.impact === "serious" || own.impact === "critical");
  return serious.flatMap((own) =>
    own.nodes.map((node) => `${own.id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`),
  );
}
