import path from "node:path";
import { compatibilityManifest } from "@toolbus/contracts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const CLI = path.resolve(import.meta.dirname, "../../apps/cli/src/toolbus/main.ts");

describe("toolbus upgrade check", () => {
  let files: Scratch;
  beforeEach(() => {
    files = scratch();
  });
  afterEach(() => files.remove());
  const check = (...args: readonly string[]) => runProgram(CLI, ["upgrade", "check", ...args]);

  it("says that this build fits itself, what an older worker cannot read, and in which order to deploy then", async () => {
    const printed = await runProgram(CLI, ["upgrade", "manifest", "--json"]);
    const own = files.file("own.json", printed.stdout);
    expect(await check("--from", own)).toMatchObject({ code: 0, stdout: "Processes of both versions may run side by side.\n", stderr: "" });
    const { forms, ...rest } = compatibilityManifest();
    const { "toolbus.tool.invoke": invoke, ...others } = forms;
    if (!invoke) throw new Error("There is no invoke in the manifest.");
    const properties = { ...(invoke.schema["properties"] as object), taint: { type: "string" } };
    const changed = { ...invoke, version: "0123456789ab", schema: { ...invoke.schema, properties } };
    const newer = files.file("newer.json", JSON.stringify({ ...rest, forms: { ...others, "toolbus.tool.invoke": changed } }));
    const { code, stdout } = await check("--from", own, "--to", newer);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /^Workers of the old version cannot read toolbus\.tool\.invoke .*taint\): replace the workers before the agents/,
      ),
    ]);
    expect(JSON.parse((await check("--from", own, "--to", newer, "--json")).stdout)).toMatchObject({
      ok: false,
      incompatibilities: [{ form: "toolbus.tool.invoke" }],
      changed: ["toolbus.tool.invoke"],
    });
  });

  it("refuses a file that is missing or is no manifest, with one sentence", async () => {
    const missing = await check("--from", files.at("none.json"));
    expect([missing.code, missing.stderr.trimEnd().split("\n").length]).toEqual([1, 1]);
    expect(missing.stderr).toContain("cannot be read (ENOENT): name a file that");
    const garbled = await check("--from", files.file("garbled.json", '{"manifest": 1}'));
    expect([garbled.code, garbled.stderr.trimEnd().split("\n").length]).toEqual([1, 1]);
    expect(garbled.stderr).toContain("is not a compatibility manifest");
  });
});
