import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { advisoryList } from "./read-advisory-list.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "toolbus-advisories-"));
  for (let at = 0; at < 200; at++) {
    const affected = [{ package: { ecosystem: "npm", name: at === 7 ? "shop" : "other" } }];
    writeFileSync(path.join(folder, `${at}.json`), JSON.stringify({ id: `A-${at}`, affected }));
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Reads the list with a clock that moves by `step` each time somebody looks at it. */
async function read({ isTTY = true, step = 0, place = folder, quiet = false }) {
  let text = "";
  let time = 0;
  const err = { isTTY, write: (more: string) => void (text += more) };
  const list = advisoryList({ place, typed: "osv", signal: new AbortController().signal, err, quiet, now: () => (time += step) });
  const found = await list({ names: [{ ecosystem: "npm", name: "shop" }], commits: [] });
  return { ids: found.map(({ id }) => id), text };
}

describe("a list of advisories", () => {
  it("is reduced to those about the release", async () => {
    expect(await read({})).toEqual({ ids: ["A-7"], text: "" });
  });

  it("shows on a terminal how far it is if reading takes long, and clears the line", async () => {
    const { text } = await read({ step: 1500 });
    expect(text).toContain("% of 200 files");
    expect(text.endsWith("\r\u001b[K")).toBe(true);
    expect((await read({ step: 1500, isTTY: false })).text).toBe("");
    expect((await read({ step: 1500, quiet: true })).text).toBe("");
  });

  it("is refused as a whole, with the path that was typed", async () => {
    writeFileSync(path.join(folder, "zz.json"), "{");
    await expect(read({})).rejects.toThrow(/^--advisories osv: The file .*zz\.json of the advisories is not JSON in UTF-8: /);
  });
});
