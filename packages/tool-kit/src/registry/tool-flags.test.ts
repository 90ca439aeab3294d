import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { fixedToolFlags, FlagsRefused, openToolFlags, switchedOff } from "./tool-flags.ts";

const directories: string[] = [];
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});

async function setup(content: unknown) {
  const directory = await mkdtemp(path.join(tmpdir(), "flags-"));
  directories.push(directory);
  const file = path.join(directory, "flags.json");
  let [now, writes] = [0, 0];
  const write = async (value: unknown) => {
    await writeFile(file, typeof value === "string" ? value : JSON.stringify(value));
    // Two writes within one tick of the file system's clock must still have different times.
    await utimes(file, ++writes, writes);
  };
  await write(content);
  const problems: string[] = [];
  return {
    file,
    write,
    problems,
    advance: (ms: number) => void (now += ms),
    open: (environment = "staging", text = "") =>
      openToolFlags({ environment, text, file, monotonic: () => now, onProblem: (message) => void problems.push(message) }),
  };
}

const refund = { name: "issue_refund", flag: "issue_refund_enabled" };

describe("the flags of an environment", () => {
  it("come from the file's own section before its default, and from the start options before both", async () => {
    const { open } = await setup({ default: { a: false, b: false, c: false }, staging: { b: true, c: true }, production: { a: true } });
    expect([...(await (await open("staging", "c=false,d=true")).current())]).toEqual([
      ["a", false],
      ["b", true],
      ["c", false],
      ["d", true],
    ]);
    expect([...(await (await open("production")).current())]).toContainEqual(["a", true]);
  });

  it("switch a tool off only if its flag says so", async () => {
    const { open } = await setup({ staging: { issue_refund_enabled: false } });
    const off = async (environment: string) => switchedOff(refund, await (await open(environment)).current(), environment);
    expect(await off("staging")).toBe('The tool "issue_refund" is switched off in the environment "staging" (flag issue_refund_enabled).');
    expect(await off("production")).toBeNull();
    expect(switchedOff({ name: "look_up" }, new Map([["look_up", false]]), "staging")).toBeNull();
    expect(switchedOff(refund, await fixedToolFlags("local", { issue_refund_enabled: true }).current(), "local")).toBeNull();
  });

  it("follow the file without a restart, within a second", async () => {
    const { open, write, advance } = await setup({ staging: { issue_refund_enabled: false } });
    const flags = await open();
    await write({ staging: { issue_refund_enabled: true } });
    expect((await flags.current()).get("issue_refund_enabled")).toBe(false);
    advance(1000);
    expect((await flags.current()).get("issue_refund_enabled")).toBe(true);
  });

  it("stay as they were if the file breaks or disappears, which is reported once", async () => {
    const { open, write, advance, problems, file } = await setup({ staging: { issue_refund_enabled: false } });
    const flags = await open();
    const again = async () => (advance(1000), (await flags.current()).get("issue_refund_enabled"));
    await write('{"staging": {"issue_refund_enabled": tru');
    expect([await again(), await again()]).toEqual([false, false]);
    expect(problems).toEqual([expect.stringMatching(/is not JSON.+The flags stay as they were\.$/)]);
    await rm(file);
    expect([await again(), await again()]).toEqual([false, false]);
    expect(problems).toHaveLength(2);
    await write({ staging: { issue_refund_enabled: true } });
    expect(await again()).toBe(true);
  });

  it("refuse the start with one sentence that says where and what to write", async () => {
    const refused: readonly (readonly [unknown, RegExp])[] = [
      ["{", /flags\.json is invalid: is not JSON\. Write \{"default"/],
      [[], /must be an object with a section/],
      [{ staging: true }, /\/staging must be an object of flags/],
      [{ staging: { a: "no" } }, /\/staging\/a must be true or false/],
      [{ staging: { "a b": true } }, /\/staging\/a b is not a name of a flag/],
      ['{"staging": {"a": true, "a": false}}', /flags\.json is invalid/],
    ];
    for (const [content, words] of refused) {
      const opening = (await setup(content)).open();
      await expect(opening).rejects.toThrow(words);
      await expect(opening).rejects.toBeInstanceOf(FlagsRefused);
    }
    const { open, file } = await setup({});
    for (const text of ["a", "a=yes", "=true", "a=true,a=false"])
      await expect(open("staging", text)).rejects.toThrow(/write flags as issue_refund/);
    await expect(open("my staging")).rejects.toThrow(/"my staging" is not a name of an environment/);
    await rm(file);
    await expect(open()).rejects.toThrow(/flags\.json cannot be read \(ENOENT\)/);
  });
});
