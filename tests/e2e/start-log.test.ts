import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { approve, call, follow, heldApproval, startRun } from "./testing/http-client.ts";
import { type Program, START, startProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

describe("the log of npm start at its default level", () => {
  let files: Scratch;
  beforeEach(() => {
    files = scratch();
  });
  afterEach(() => files.remove());

  const start = (env: Readonly<Record<string, string>> = {}): Program =>
    startProgram(START, [], { env: { DATA_DIR: files.data(), GATEWAY_PORT: "0", APPROVALS_PORT: "0", ...env } });

  it("has a line each for the start and the end of a run, its decision and its failed call, all with the run's id, and none for what only succeeded", async () => {
    await using program = start();
    const at = await addressesOf(program);
    const filed = await startRun(at, at.releaseId);
    await approve(at, await heldApproval(at, filed));
    await follow(at, filed);
    const asked = await chat(at, 'get_release_summary {"release_id": "no-such-release"}');
    await follow(at, asked);
    const looked = await chat(at, `get_release_summary {"release_id": "${at.releaseId}"}`);
    await follow(at, looked);
    program.kill("SIGINT");
    const { stderr } = await program.ended();
    const lines = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    // Whether the example release has code changes depends on the history of this checkout.
    const reported = (runId: string) => lines.filter((line) => line["runId"] === runId && line["tool"] !== "get_code_changes");

    expect(reported(filed).map(({ msg }) => msg)).toEqual([
      "a run began",
      "a write asked for a grant",
      "a person decided",
      "a tool call was answered",
      "a run ended",
    ]);
    const callId = `${filed}.1.0`;
    expect(reported(filed)).toMatchObject([
      { profile: "release-investigation" },
      { callId, status: "pending" },
      { callId, tool: "file_risk_report", by: "approver:local", decision: "approve" },
      { callId, status: "ok", tool: "file_risk_report" },
      { status: "completed", toolCalls: 3, writes: 1 },
    ]);
    expect(reported(asked)).toMatchObject([
      { level: 30, msg: "a run began" },
      {
        level: 30,
        msg: "a tool call failed",
        callId: `${asked}.1.0`,
        tool: "get_release_summary",
        status: "error",
        code: "release_not_found",
      },
      { level: 30, msg: "a run ended", status: "completed" },
    ]);
    expect(reported(looked).map(({ msg }) => msg)).toEqual(["a run began", "a run ended"]);
    expect(lines.filter(({ runId }) => runId === undefined)).toEqual([]);
  });

  it("is short, readable lines at a terminal", async () => {
    await using program = start({ LOG_FORMAT: "text" });
    const at = await addressesOf(program);
    const runId = await chat(at, 'get_release_summary {"release_id": "no-such-release"}');
    await follow(at, runId);
    program.kill("SIGINT");
    const lines = (await program.ended()).stderr.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^\\d\\d:\\d\\d:\\d\\d  INFO   a run began  runId=${runId} service=agent conversationId=\\w+ profile=chat$`),
      ),
      expect.stringMatching(
        new RegExp(
          `a tool call failed  callId=${runId}\\.1\\.0 service=agent tool=get_release_summary status=error code=release_not_found `,
        ),
      ),
      expect.stringMatching(new RegExp(`a run ended  runId=${runId} .*status=completed tookMs=\\d+ rounds=\\d+ toolCalls=1$`)),
    ]);
  });
});

interface Addresses {
  readonly gateway: string;
  readonly approvals: string;
  readonly user: string;
  readonly approver: string;
  readonly releaseId: string;
}

async function addressesOf(program: Program): Promise<Addresses> {
  await program.says(/Stop with Ctrl-C/);
  const field = (pattern: RegExp): string => pattern.exec(program.stdout())?.[1] ?? "";
  return {
    gateway: field(/^gateway +(\S+)$/m),
    approvals: field(/^approvals +(\S+)$/m),
    user: field(/^user key +(\S+)/m),
    approver: field(/^approver key +(\S+)/m),
    releaseId: field(/"releaseId":"([^"]+)"/),
  };
}

/** Sends a message in a new conversation, and returns the run that answers. */
async function chat({ gateway, user }: Addresses, content: string): Promise<string> {
  const { body } = await call(`${gateway}/v1/conversations`, user, {});
  const { conversationId } = body as { readonly conversationId: string };
  const said = await call(`${gateway}/v1/conversations/${conversationId}/messages`, user, { content });
  return (said.body as { readonly runId: string }).runId;
}
