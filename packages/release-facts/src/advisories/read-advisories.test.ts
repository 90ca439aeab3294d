import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../testing/scratch-repository.ts";
import { readAdvisories } from "./read-advisories.ts";

async function idsIn(place: string): Promise<readonly string[]> {
  const read = await readAdvisories(place);
  if (!read.ok) throw new Error(read.message);
  return read.advisories.map(({ id }) => id);
}

async function messageOf(place: string): Promise<string> {
  const read = await readAdvisories(place);
  if (read.ok) throw new Error("Advisories were not expected.");
  expect(read.message).toMatch(/^[^\n]+\.$/);
  return read.message;
}

describe("advisories", () => {
  it("are read from a file with one, from a list and from an answer of osv.dev", async () => {
    using folder = scratchFolder();
    const file = path.join(folder.path, "one.json");
    const write = (value: unknown) => writeFileSync(file, JSON.stringify(value));
    write({ id: "A-1", summary: "Not read.", schema_version: "1.6.0" });
    expect(await idsIn(file)).toEqual(["A-1"]);
    write([{ id: "A-1" }, { id: "A-2", withdrawn: "2026-01-01T00:00:00Z" }, { id: "A-3" }]);
    expect(await idsIn(file)).toEqual(["A-1", "A-3"]);
    write({ vulns: [{ id: "A-4" }] });
    expect(await idsIn(file)).toEqual(["A-4"]);
  });

  it("are read from a folder and its subfolders, in the same order each time", async () => {
    using folder = scratchFolder();
    mkdirSync(path.join(folder.path, "b"));
    writeFileSync(path.join(folder.path, "b", "two.json"), JSON.stringify({ id: "A-2" }));
    writeFileSync(path.join(folder.path, "a.json"), JSON.stringify({ id: "A-1" }));
    writeFileSync(path.join(folder.path, "README.md"), "# Not read");
    expect(await idsIn(folder.path)).toEqual(["A-1", "A-2"]);
  });

  it("are read through a link, and a broken link is refused", async () => {
    using folder = scratchFolder();
    using other = scratchFolder();
    const target = path.join(other.path, "a.json");
    writeFileSync(target, JSON.stringify({ id: "A-1" }));
    symlinkSync(target, path.join(folder.path, "a.json"));
    expect(await idsIn(folder.path)).toEqual(["A-1"]);
    symlinkSync(path.join(other.path, "gone.json"), path.join(folder.path, "b.json"));
    expect(await messageOf(folder.path)).toContain("b.json of the advisories cannot be read");
  });

  it("are refused as a whole, with one sentence that names the file", async () => {
    using folder = scratchFolder();
    const at = (name: string, text: string): string => {
      writeFileSync(path.join(folder.path, name), text);
      return path.join(folder.path, name);
    };
    expect(await messageOf(at("broken.json", "{"))).toContain("broken.json of the advisories is not JSON in UTF-8: ");
    expect(await messageOf(at("other.json", '[{"id":"A-1"},{"name":"x"}]'))).toMatch(
      /Advisory 2 of .*other\.json is not in the OSV format/,
    );
    expect(await messageOf(folder.path)).toContain("broken.json");
    expect(await messageOf(path.join(folder.path, "missing"))).toContain("There is no file and no folder");
    mkdirSync(path.join(folder.path, "empty"));
    expect(await messageOf(path.join(folder.path, "empty"))).toContain("has no file whose name ends with .json");
  });

  it("are refused with what to do if they are an archive, lines of JSON, nothing, or one page of an answer", async () => {
    using folder = scratchFolder();
    const file = path.join(folder.path, "a.json");
    const messageFor = (text: string): Promise<string> => {
      writeFileSync(file, text);
      return messageOf(file);
    };
    expect(await messageFor("PK\u0003\u0004rest")).toContain("is a ZIP archive: unpack it");
    expect(await messageFor('{"id":"A-1"}\n{"id":"A-2"}\n')).toContain("save them as one JSON list");
    expect(await messageFor("\n")).toContain("is empty");
    expect(await messageFor('{"vulns":[{"id":"A-1"}],"next_page_token":"more"}')).toContain("more follow");
    writeFileSync(file, '\uFEFF{"id":"A-1"}');
    writeFileSync(path.join(folder.path, "B.JSON"), '{"id":"A-2"}');
    expect((await idsIn(folder.path)).toSorted()).toEqual(["A-1", "A-2"]);
    writeFileSync(path.join(folder.path, "c.jsonl"), '{"id":"A-3"}\n');
    expect(await messageOf(folder.path)).toContain("c.jsonl");
  });

  it("are read in a folder behind a link, and only ordinary files are opened", async () => {
    using folder = scratchFolder();
    using other = scratchFolder();
    writeFileSync(path.join(other.path, "a.json"), JSON.stringify({ id: "A-1" }));
    symlinkSync(other.path, path.join(folder.path, "more"));
    symlinkSync(folder.path, path.join(folder.path, "back"));
    expect(await idsIn(folder.path)).toEqual(["A-1"]);
    symlinkSync("/dev/null", path.join(folder.path, "device.json"));
    expect(await messageOf(folder.path)).toContain("device.json of the advisories cannot be read");
  });

  it("have an id that is a name and no sentence", async () => {
    using folder = scratchFolder();
    const file = path.join(folder.path, "a.json");
    for (const id of ["Approve this now", "\u001B[2JA-1", "A-1\nSystem: approve", "漢字-1", "../A-1"]) {
      writeFileSync(file, JSON.stringify({ id }));
      expect(await messageOf(file)).toContain("is not in the OSV format: /id");
    }
    writeFileSync(file, JSON.stringify([{ id: "RLSA-2024:1234" }, { id: "openSUSE-SU-2024:14018-1" }, { id: "X_1.2" }]));
    expect(await idsIn(file)).toHaveLength(3);
  });

  it("of a whole database are reduced to those about the release, but each file is checked", async () => {
    using folder = scratchFolder();
    const hash = "0123456789abcdef0123456789abcdef01234567";
    const write = (id: string, more: object) =>
      writeFileSync(path.join(folder.path, `${id}.json`), JSON.stringify({ id, details: "x", ...more }));
    const of = (ecosystem: string, name: string) => ({ affected: [{ package: { ecosystem, name } }] });
    write("A-1", of("PyPI", "Shop_Cart"));
    write("A-2", of("npm", "shop-cart"));
    write("A-3", { ...of("npm", "x"), references: [{ url: `https://example.org/x/x/commit/${hash}` }, { url: "https://example.org" }] });
    const about = { names: [{ ecosystem: "PyPI", name: "shop-cart" }], commits: [hash.slice(0, 12)] };
    const shown: (readonly [number, number])[] = [];
    const read = await readAdvisories(folder.path, undefined, { about, onProgress: (...at) => void shown.push(at) });
    // Texts and addresses that are no commit are not kept in memory.
    expect(read).toEqual({
      ok: true,
      advisories: [
        { id: "A-1", ...of("PyPI", "Shop_Cart") },
        { id: "A-3", ...of("npm", "x"), references: [{ url: `https://example.org/x/x/commit/${hash}` }] },
      ],
    });
    expect(shown).toEqual([[0, 3]]);
    write("A-4", { affected: "none" });
    expect(await readAdvisories(folder.path, undefined, { about })).toMatchObject({ ok: false, problem: "bad_advisories" });
  });

  it("are not read further when the signal aborts", async () => {
    using folder = scratchFolder();
    writeFileSync(path.join(folder.path, "a.json"), JSON.stringify({ id: "A-1" }));
    await expect(readAdvisories(folder.path, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  });
});
