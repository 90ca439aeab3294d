import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { type Program, runProgram, startCommand, startProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

let files: Scratch;
beforeAll(() => {
  files = scratch();
});
afterAll(() => files.remove());

/** Returns ports that were free a moment ago, so that a second start can use the same ports. */
async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()] as const;
  const taken = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, "127.0.0.1", () => {
            const address = server.address();
            resolve(typeof address === "object" && address ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return [taken[0] ?? 0, taken[1] ?? 0];
}

async function setup() {
  const [gateway, approvals] = await freePorts();
  const data = files.data();
  // The other commands get only the data directory, which says where the services listen.
  const env = { DATA_DIR: data };
  const ports = { GATEWAY_PORT: String(gateway), APPROVALS_PORT: String(approvals) };
  return {
    start: () => startProgram(TOOLBUS, ["start", "--data", data], { env: { ...env, ...ports } }),
    run: (...args: readonly string[]) => runProgram(TOOLBUS, args, { env }),
    watch: (runId: string) => startCommand("sh", ["-c", `exec '${process.execPath}' '${TOOLBUS}' runs watch ${runId} 2>&1`], { env }),
  };
}

/** Waits until `toolbus start` is ready, and returns the release that its example API serves. */
async function releaseOf(program: Program): Promise<string> {
  const [, releaseId = ""] = await program.says(/"releaseId":"([^"]+)"/);
  await program.says(/Stop with Ctrl-C/);
  return releaseId;
}

describe("toolbus start", () => {
  it("starts what the other commands find on any port, and stops with Ctrl-C", async () => {
    const { start, run } = await setup();
    await using program = start();
    await releaseOf(program);
    expect(await run("doctor")).toMatchObject({ code: 0 });
    expect(await run("tools", "list")).toMatchObject({ code: 0, stdout: expect.stringContaining("get_release_summary") });
    program.kill("SIGINT");
    expect(await program.ended()).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Stopping;") });
  });

  it("says what prevents its start, and exits with 1", async () => {
    const { start } = await setup();
    await using first = start();
    await releaseOf(first);
    await using second = start();
    const { code, stderr } = await second.ended();
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("toolbus runs watch", () => {
  it("continues after Toolbus was killed and restarted, and says so once", async () => {
    const { start, run, watch } = await setup();
    await using first = start();
    const runId = (await run("investigate", await releaseOf(first), "--no-wait")).stdout.trim();
    await using watching = watch(runId);
    const [, approvalId = ""] = await watching.says(/approvals approve (ap_\S+)/);
    first.kill("SIGKILL");
    await watching.says(/The connection was lost/);
    await first.ended();

    await using second = start();
    await releaseOf(second);
    expect(await run("approvals", "approve", approvalId, "--yes")).toMatchObject({ code: 0 });
    const { code, stdout } = await watching.ended();
    expect(code).toBe(0);
    expect(stdout.match(/The connection was lost/g)).toHaveLength(1);
    for (const once of [
      /→ get_release_summary/g,
      /✓ get_release_summary ok/g,
      /→ file_risk_report/g,
      /✓ file_risk_report ok/g,
      /Report on /g,
    ]) {
      expect(stdout.match(once)).toHaveLength(1);
    }
  });
});
