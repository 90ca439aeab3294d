import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFile } from "./new-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "toolbus-new-file-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const full = () => Promise.reject(Object.assign(new Error("no space left"), { code: "ENOSPC", syscall: "write" }));

describe("a new file", () => {
  it("is only for its user, and never replaces another", async () => {
    await newFile("run.json", folder, (handle) => handle.writeFile("{}"));
    expect(statSync(path.join(folder, "run.json")).mode & 0o777).toBe(0o600);
    await expect(newFile("run.json", folder, (handle) => handle.writeFile("[]"))).rejects.toThrow(
      "The file run.json exists: choose another name, or remove it first.",
    );
    expect(readFileSync(path.join(folder, "run.json"), "utf8")).toBe("{}");
  });

  it("that no longer fits on the disk is removed, and the reason is one sentence", async () => {
    const attempt = newFile("run.json", folder, async (handle) => {
      await handle.writeFile("{");
      await full();
    });
    await expect(attempt).rejects.toMatchObject({
      name: "Failure",
      message: "The file run.json cannot be written (ENOSPC): make room on its disk, or choose another place.",
    });
    expect(existsSync(path.join(folder, "run.json"))).toBe(false);
  });

  it("is removed if what it should have cannot be read, with the error as it is", async () => {
    await expect(newFile("audit.csv", folder, () => Promise.reject(new TypeError("a fault")))).rejects.toThrow(new TypeError("a fault"));
    expect(existsSync(path.join(folder, "audit.csv"))).toBe(false);
  });
});
