import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseRegistryStamp, type RegistryStamp } from "@toolbus/contracts";
import { freePort } from "@toolbus/testing/servers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runProgram, START, startProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const WORKER = path.join(ROOT, "services/tool-executor/src/main.ts");
const CLI = path.join(ROOT, "apps/cli/src/toolbus/main.ts");

describe("a deployment with a registry stamp", () => {
  let files: Scratch;
  beforeEach(() => {
    files = scratch();
  });
  afterEach(() => files.remove());

  const stampWith = (...args: readonly string[]): string => {
    const file = files.at("stamp.json");
    files.file("stamp.json", "");
    execFileSync(process.execPath, [CLI, "tools", "stamp", "--out", file, ...args], {
      env: { PATH: process.env["PATH"], HOME: files.at("home") },
    });
    return file;
  };
  const env = (file: string, port: number) => ({
    DATA_DIR: files.data(),
    GATEWAY_PORT: "0",
    APPROVALS_PORT: "0",
    HEALTH_PORT: String(port),
    REGISTRY_STAMP_FILE: file,
    LOG_FORMAT: "json",
  });
  const readyz = async (port: number) =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      async (answer) => ((await answer.json()) as { readonly reasons: readonly string[] }).reasons,
      () => null,
    );

  it("starts where the stamp is that of its tools and limits, and names what differs where it is not, until the file agrees", async () => {
    const file = stampWith();
    const stamp = parseRegistryStamp(readFileSync(file, "utf8"));
    if (!stamp.ok) throw new Error("The command printed no stamp.");
    const changed: RegistryStamp = { ...stamp.value, limits: { ...stamp.value.limits, parallel_read_max: 4 } };
    files.file("stamp.json", JSON.stringify(changed));
    const port = await freePort();
    await using system = startProgram(START, [], { env: env(file, port) });
    await expect
      .poll(() => readyz(port), { timeout: 60_000 })
      .toEqual([
        'the agent differs from the registry stamp (parallel_read_max is 8 here and 4 in the stamp): deploy the version that was stamped, or stamp the deployment again with "toolbus tools stamp".',
      ]);
    files.file("stamp.json", JSON.stringify(stamp.value));
    await expect.poll(() => readyz(port), { timeout: 60_000 }).toEqual([]);
    system.kill("SIGTERM");
    expect((await system.ended()).code).toBe(0);
  });

  it("ends a process with one sentence and the exit code 1 where the file is missing or is not a stamp", async () => {
    const worker = {
      BUS_URL: "memory:",
      STATE_URL: "memory:",
      JWKS_FILE: "none.json",
      RECEIPT_KEY_FILE: files.at("receipts.jwk"),
      LOG_LEVEL: "silent",
    };
    const missing = await runProgram(WORKER, [], { env: { ...worker, REGISTRY_STAMP_FILE: files.at("none.json") } });
    expect(missing).toMatchObject({
      code: 1,
      stderr: `The registry stamp ${files.at("none.json")} cannot be read (ENOENT): stamp the deployment again with "toolbus tools stamp".\n`,
    });
    const garbled = files.file("garbled.json", '{"stamp": 2}');
    const ended = await runProgram(START, [], { env: { ...env(garbled, 0), LOG_LEVEL: "silent" } });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^The registry stamp .*garbled\.json is not a stamp: .*\n$/);
  });
});
