import path from "node:path";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import { type Ended, type Program, type ProgramOptions, startCommand, startProgram } from "./program.ts";
import { someRelease } from "./releases.ts";
import { scratch, type Scratch } from "./scratch.ts";

/** The script behind `toolbus`. */
export const TOOLBUS = path.resolve(import.meta.dirname, "../../apps/cli/src/toolbus/main.ts");

/** A running Toolbus with one release, and the command line that finds it by its environment. */
export interface CliUnderTest {
  readonly files: Scratch;
  readonly gateway: string;
  readonly approvals: string;
  readonly user: string;
  readonly approver: string;
  /** What a person would have in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command to its end; `input` is piped in. */
  run(args: readonly string[], options?: ProgramOptions & { readonly input?: string }): Promise<Ended>;
  start(args: readonly string[], options?: ProgramOptions): Program;
  /** Runs a line as a shell does, with `toolbus` in its path and both outputs in one. */
  shell(line: string): Program;
  stop(): Promise<void>;
}

export async function cliUnderTest(releaseId: string): Promise<CliUnderTest> {
  const files = scratch();
  const data = files.data();
  let count = 0;
  const api: ReleaseApi = await startReleaseApi({
    directory: files.at("release-api"),
    releases: new Map([[releaseId, someRelease(releaseId)]]),
    clock: () => 1_700_000_000_000,
    newId: () => `report-${++count}`,
  });
  const system: AllInOne = await startAllInOne({
    directory: data,
    env: { GATEWAY_PORT: "0", APPROVALS_PORT: "0", RELEASE_API_URL: api.url, LOG_LEVEL: "silent" },
  });
  const env = { TOOLBUS_URL: system.gatewayUrl, TOOLBUS_APPROVALS_URL: system.approvalsUrl, DATA_DIR: data };
  const command = files.file("bin/toolbus", `#!/bin/sh\nexec '${process.execPath}' '${TOOLBUS}' "$@"\n`, 0o755);
  return {
    files,
    gateway: system.gatewayUrl,
    approvals: system.approvalsUrl,
    user: system.keys.user,
    approver: system.keys.approver,
    env,
    start: (args, options = {}) => startProgram(TOOLBUS, args, { ...options, env: { ...env, ...options.env } }),
    async run(args, { input, ...options } = {}) {
      const program = startProgram(TOOLBUS, args, { ...options, env: { ...env, ...options.env }, ...(input === undefined ? {} : { input }) });
      return program.ended();
    },
    shell: (line) =>
      startCommand("sh", ["-c", `{ ${line}; } 2>&1`], { env: { ...env, PATH: `${path.dirname(command)}:${process.env["PATH"] ?? ""}` } }),
    async stop() {
      await system.stop();
      await api.stop();
      files.remove();
    },
  };
}
