import { chmod, chown, mkdir, mkdtempDisposable, readdir, readFile, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { generateSigningKey } from "./keys.ts";
import { openSigningKey } from "./signing-key-file.ts";

describe("the file of a signing key", () => {
  it("is created on first use, readable only by its owner, and opened afterwards", async () => {
    await using folder = await setup();
    const made = await openSigningKey({ file: folder.file });
    expect((await stat(folder.file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(folder.file))).mode & 0o777).toBe(0o700);
    expect(await openSigningKey({ file: folder.file })).toEqual(made);
  });

  it("is one key for all processes that start at about the same moment, and leaves nothing else behind", async () => {
    for (let round = 0; round < 20; round++) {
      await using folder = await setup();
      // Each call starts one turn of the event loop after the previous call, so that some calls still create a key when others have read theirs.
      const keys = await Promise.all(
        Array.from({ length: 8 }, async (_, turns) => {
          for (let turn = 0; turn < turns; turn++) await setImmediate();
          return openSigningKey({ file: folder.file });
        }),
      );
      expect(new Set(keys.map(({ kid }) => kid)).size).toBe(1);
      expect(await readdir(path.dirname(folder.file))).toEqual([path.basename(folder.file)]);
    }
  });

  it.each([0o644, 0o640, 0o606, 0o660])("is refused when others may open it (mode %o)", async (mode) => {
    await using folder = await setup();
    await openSigningKey({ file: folder.file });
    await chmod(folder.file, mode);
    await expect(openSigningKey({ file: folder.file })).rejects.toMatchObject({
      code: "key_refused",
      message: `The signing key ${folder.file} is open to others (mode 0${mode.toString(8)}); run chmod 600 on it, and replace the key if it may have been read.`,
    });
  });

  // Only root can change the owner of a file.
  it.skipIf(process.getuid?.() !== 0)("is refused when it belongs to another user", async () => {
    await using folder = await setup();
    await openSigningKey({ file: folder.file });
    await chown(folder.file, 4711, 4711);
    await expect(openSigningKey({ file: folder.file })).rejects.toMatchObject({
      code: "key_refused",
      message: `The signing key ${folder.file} belongs to another user (4711); give it to user 0.`,
    });
  });

  it("is refused, and left unchanged, when it contains no valid key", async () => {
    await using folder = await setup();
    const [own, other] = [await generateSigningKey(), await generateSigningKey()];
    await mkdir(path.dirname(folder.file));
    for (const content of [
      "",
      "{}",
      JSON.stringify(own).slice(0, -10),
      JSON.stringify({ ...own, d: other.d }),
      JSON.stringify({ ...own, kid: "mine" }),
    ]) {
      await writeFile(folder.file, content, { mode: 0o600 });
      await expect(openSigningKey({ file: folder.file })).rejects.toMatchObject({ code: "key_refused" });
      expect(await readFile(folder.file, "utf8")).toBe(content);
    }
  });

  it("never shows a part of the key in a refusal", async () => {
    await using folder = await setup();
    const key = await generateSigningKey();
    await mkdir(path.dirname(folder.file));
    await writeFile(folder.file, JSON.stringify({ ...key, extra: key.d }), { mode: 0o600 });
    const refusal: unknown = await openSigningKey({ file: folder.file }).catch((error: unknown) => error);
    expect(String(refusal)).toContain("contains no Ed25519 key");
    expect(String(refusal)).not.toContain(key.d);
  });

  it("is refused when it is a folder, or cannot be created", async () => {
    await using folder = await setup();
    await mkdir(folder.file, { recursive: true });
    await expect(openSigningKey({ file: folder.file })).rejects.toMatchObject({
      code: "key_refused",
      message: expect.stringContaining("not a regular file"),
    });
    const plain = path.join(folder.file, "plain");
    await writeFile(plain, "");
    await expect(openSigningKey({ file: path.join(plain, "key.json") })).rejects.toMatchObject({
      code: "key_refused",
      message: expect.stringContaining("(ENOTDIR)"),
    });
  });
});

async function setup() {
  const folder = await mkdtempDisposable(path.join(os.tmpdir(), "signing-key-"));
  return { file: path.join(folder.path, "keys", "approvals.json"), [Symbol.asyncDispose]: () => folder.remove() };
}
