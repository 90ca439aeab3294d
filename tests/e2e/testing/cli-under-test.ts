import { chmodSync } from "node:fs";
import path from "node:path";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { type ReleaseApi, type ReleaseSummary, startReleaseApi } from "@toolbus/example-release-api";
import type { RunEvent } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { expect } from "vitest";
import { call, follow, heldApproval, startRun } from "./http-client.ts";
import { type Ended, type Program, type ProgramOptions, runProgram, stackLines, startCommand } from "./program.ts";
import { someRelease } from "./releases.ts";
import { scratch, type Scratch } from "./scratch.ts";

/** The script behind `toolbus`. */
export const TOOLBUS = path.resolve(import.meta.dirname, "../../../apps/cli/src/toolbus/main.ts");

/** A running Toolbus with one release, and a command line that finds this Toolbus through its environment. */
export interface CliUnderTest {
  readonly files: Scratch;
  readonly gateway: string;
  readonly approvals: string;
  readonly user: string;
  readonly approver: string;
  /** The store of this Toolbus, with full rights. */
  readonly state: StateStore;
  /** The environment variables that a person would set. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command until it exits, with empty standard input. */
  run(args: readonly string[], options?: ProgramOptions): Promise<Ended>;
  /**
   * Starts a command line in a shell, with `toolbus` in its path. Standard output and standard error are merged. A signal reaches the shell and every
   * process that it started.
   */
  shell(line: string): Program;
  stop(): Promise<void>;
}

/** The only release of this Toolbus. */
export const RELEASE = "v1.5.0";

/** Starts a Toolbus whose services have these additional settings. */
export async function cliUnderTest(settings: Readonly<Record<string, string>> = {}): Promise<CliUnderTest> {
  const files = scratch();
  const data = files.data();
  let count = 0;
  const api: ReleaseApi = await startReleaseApi({
    directory: files.at("release-api"),
    releases: new Map([[RELEASE, longRelease()]]),
    clock: () => 1_700_000_000_000,
    newId: () => `report-${++count}`,
  });
  let state: StateStore | null = null;
  const system: AllInOne = await startAllInOne({
    directory: data,
    env: { GATEWAY_PORT: "0", APPROVALS_PORT: "0", RELEASE_API_URL: api.url, LOG_LEVEL: "silent", ...settings },
    wrap(infrastructure) {
      state = infrastructure.state;
      return infrastructure;
    },
  });
  const env = { TOOLBUS_URL: system.gatewayUrl, TOOLBUS_APPROVALS_URL: system.approvalsUrl, DATA_DIR: data };
  const command = files.file("bin/toolbus", `#!/bin/sh\nexec '${process.execPath}' '${TOOLBUS}' "$@"\n`);
  chmodSync(command, 0o755);
  return {
    files,
    gateway: system.gatewayUrl,
    approvals: system.approvalsUrl,
    user: system.keys.user,
    approver: system.keys.approver,
    state: opened(state),
    env,
    run: (args, options = {}) => runProgram(TOOLBUS, args, { ...options, env: { ...env, ...options.env } }),
    shell: (line) =>
      startCommand("sh", ["-c", `{ ${line}; } 2>&1`], {
        env: { ...env, PATH: `${path.dirname(command)}:${process.env["PATH"] ?? ""}` },
        group: true,
      }),
    async stop() {
      await system.stop();
      await api.stop();
      files.remove();
    },
  };
}

function opened(state: StateStore | null): StateStore {
  if (!state) throw new Error("It started without a store.");
  return state;
}

/** Returns a release whose summary is longer than the part of a result that a stream shows. */
function longRelease(): ReleaseSummary {
  const changes = Array.from({ length: 200 }, (_, n) => `Change the wording of page ${n + 1} of the guide`);
  return { ...someRelease(RELEASE), changes, change_count: changes.length };
}

/** Returns a command's JSON output. All of standard output must be one document. */
export async function jsonOf(cli: CliUnderTest, args: readonly string[], code = 0): Promise<Readonly<Record<string, unknown>>> {
  const ended = await cli.run([...args, "--json"]);
  expect(ended).toMatchObject({ code });
  return JSON.parse(ended.stdout) as Readonly<Record<string, unknown>>;
}

/** Expects a refusal as a person sees it: one line on standard error, and nothing on standard output. */
export function expectRefusal(ended: Ended, code: number, words: RegExp): void {
  expect(stackLines(ended.stderr)).toEqual([]);
  expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(ended.stderr).toMatch(words);
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: "" });
}

/** Starts a run. Resolves when the run's write waits for its approver. */
export async function waitingRun(cli: CliUnderTest): Promise<{ readonly runId: string; readonly approvalId: string }> {
  const runId = await startRun(cli, RELEASE);
  return { runId, approvalId: await heldApproval(cli, runId) };
}

/** Starts a run whose model asks the person a question. Resolves when the model has asked. */
export async function askingRun(cli: CliUnderTest): Promise<{ readonly runId: string; readonly conversationId: string }> {
  const { body } = await call(`${cli.gateway}/v1/conversations`, cli.user, {});
  const { conversationId } = body as { readonly conversationId: string };
  const text = 'ask_user {"question": "Which colour?", "options": ["red", "blue"]}';
  const sent = await call(`${cli.gateway}/v1/conversations/${conversationId}/messages`, cli.user, { text });
  const { runId } = sent.body as { readonly runId: string };
  await follow(cli, runId, (event) => event.type === "call.asked");
  return { runId, conversationId };
}

/** Waits for the end of a run and returns its last event. */
export async function lastEvent(cli: CliUnderTest, runId: string): Promise<RunEvent | undefined> {
  return (await follow(cli, runId)).at(-1);
}

/** Waits until a write of the run that the program shows waits for a person. Returns the run's id. */
export async function waitingIn(program: Program): Promise<string> {
  const [, runId = ""] = await program.says(/approvals approve ap_(rn_[0-9a-f]{2}_\w{26})/);
  return runId;
}
