import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readSecretJson } from "./read-secret-json.ts";
import { Refusal } from "./refusal.ts";

const SECRET = "whsec_the-secret-in-the-file";
const folder = await mkdtemp(path.join(tmpdir(), "secret-json-"));
afterAll(() => rm(folder, { recursive: true }));

let made = 0;
const named = (text: string, mode = 0o600): Promise<string> => {
  const file = path.join(folder, `${made++}.json`);
  return writeFile(file, text, { mode }).then(() => file);
};
const read = (file: string) => readSecretJson({ file, what: "The file of hooks", setting: "HOOKS_FILE" });

describe("a JSON file with secrets", () => {
  it("is read", async () => {
    expect(await read(await named(`{"a": "${SECRET}"}`))).toEqual({ a: SECRET });
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ["may be read by others", () => named("{}", 0o644), /^The file of hooks \S+ is open to others \(mode 0644\); run chmod 600 on it/],
    [
      "is missing",
      async () => path.join(folder, "none.json"),
      /^There is no file of hooks at \S+ \(HOOKS_FILE\); make it, or leave the setting empty\.$/,
    ],
    [
      "is a folder",
      () => mkdir(path.join(folder, "folder"), { recursive: true }).then(() => path.join(folder, "folder")),
      /is not a regular file/,
    ],
    ["is below a file", async () => path.join(await named("{}"), "x.json"), /cannot be read \(ENOTDIR\): correct HOOKS_FILE\.$/],
    ["ends too early", () => named(`{"a": "${SECRET}"`), /^The file of hooks \S+ is not JSON: .*\.$/],
    ["is empty", () => named(""), /is not JSON: it ends too early\.$/],
    ["is broken", () => named(`{\n"a": "${SECRET}",}`), /is not JSON: correct it at line 2, column \d+\.$/],
    ["repeats a name", () => named(`{"a": 1, "a": "${SECRET}"}`), /^The file of hooks \S+ cannot be used: \/a .*\.$/],
  ])("that %s is refused with one sentence, without its secrets", async (_, make, words) => {
    const error = await read(await make()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Error).message).toMatch(words);
    expect((error as Error).message).not.toContain(SECRET);
  });
});
