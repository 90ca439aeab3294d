import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { finish, takeUp } from "./carry-on.ts";

async function setup(): Promise<{ readonly directory: string } & AsyncDisposable> {
  const root = await mkdtemp(path.join(tmpdir(), "toolbus-demo-"));
  return { directory: path.join(root, "data"), [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

describe("what the demo was doing", () => {
  it("continues under the same key until it has ended", async () => {
    await using bundle = await setup();
    const first = await takeUp(bundle.directory, "v2");
    expect(first.carriedOn).toBe(false);
    expect(await takeUp(bundle.directory, "v2")).toEqual({ undertaking: first.undertaking, carriedOn: true });
    await finish(bundle.directory, first.undertaking);
    const next = await takeUp(bundle.directory, "v2");
    expect(next.carriedOn).toBe(false);
    expect(next.undertaking.key).not.toBe(first.undertaking.key);
  });

  it("does not continue for another release, and is not forgotten because of it", async () => {
    await using bundle = await setup();
    const first = await takeUp(bundle.directory, "v2");
    const other = await takeUp(bundle.directory, "v3");
    expect(other.carriedOn).toBe(false);
    expect(other.undertaking.key).not.toBe(first.undertaking.key);
    await finish(bundle.directory, other.undertaking);
    expect(await takeUp(bundle.directory, "v2")).toEqual({ undertaking: first.undertaking, carriedOn: true });
    expect((await takeUp(bundle.directory, "v3")).carriedOn).toBe(false);
  });

  it.each(["", "{", "null", '{"key":1}', '{"open":[{"key":1},null]}', '{"open":7}'])(
    "begins again when its note holds %j",
    async (text) => {
      await using bundle = await setup();
      await takeUp(bundle.directory, "v2");
      await writeFile(path.join(bundle.directory, "demo.json"), text);
      expect((await takeUp(bundle.directory, "v2")).carriedOn).toBe(false);
      expect(await readdir(bundle.directory)).toEqual(["demo.json"]);
    },
  );
});
