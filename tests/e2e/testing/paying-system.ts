import { existsSync, readFileSync } from "node:fs";
import type { RunEvent } from "@toolbus/contracts";
import { type Addresses, type Child, startChild } from "./child.ts";
import { TOOLBUS } from "./cli-under-test.ts";
import { approve, call, follow, heldApproval } from "./http-client.ts";
import { type Ended, runProgram } from "./program.ts";
import type { Scratch } from "./scratch.ts";

/** A write that a person was asked about. */
export interface AskedWrite {
  readonly runId: string;
  readonly approvalId: string;
}

/** A whole Toolbus in a process of its own, with writes whose effects outlive its store. */
export interface PayingSystem {
  readonly data: string;
  /** Starts the process. Resolves when it accepts requests. */
  start(): Promise<void>;
  /** Kills the process with SIGKILL, and resolves when it has ended. */
  kill(): Promise<void>;
  /** Asks for a write of this tool. Resolves when it waits for a person. */
  ask(tool: "pay" | "pay_by_key", to: string): Promise<AskedWrite>;
  /** Approves a write, and resolves with the last event of its run and the status of its call. */
  approve(write: AskedWrite): Promise<{ readonly end: RunEvent["type"]; readonly status: string }>;
  /** Returns the effects that the target received, in order, without their keys. */
  effects(): readonly string[];
  /** Runs a command line for this Toolbus. */
  cli(...args: readonly string[]): Promise<Ended>;
  /** Runs a command line that must succeed, and returns its JSON. */
  json(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
}

/** Makes a system with this store. `stateUrl` null means SQLite in the data directory. */
export function payingSystem(files: Scratch, stateUrl: string | null): PayingSystem & AsyncDisposable {
  const data = files.data();
  const target = files.at("target.txt");
  const store: Readonly<Record<string, string>> = stateUrl === null ? {} : { STATE_URL: stateUrl };
  let child: Child | null = null;
  let at: Addresses | null = null;
  const running = (): Addresses => {
    if (!at) throw new Error("The system does not run.");
    return at;
  };
  const system: PayingSystem = {
    data,
    async start() {
      const env = {
        DATA_DIR: data,
        TARGET_FILE: target,
        GATEWAY_PORT: "0",
        APPROVALS_PORT: "0",
        LOG_LEVEL: "error",
        TOOLSETS: "operations",
      };
      child = startChild("paying-child.ts", { ...env, ...store });
      at = await child.ready;
      if (!at) throw new Error(`The system did not start: ${child.stderr()}`);
    },
    async kill() {
      child?.kill("SIGKILL");
      await child?.exited;
      at = null;
    },
    async ask(tool, to) {
      const { gateway, user } = running();
      const { body } = await call(`${gateway}/v1/conversations`, user, {});
      const { conversationId } = body as { readonly conversationId: string };
      const text = `${tool} ${JSON.stringify({ to })}`;
      const sent = await call(`${gateway}/v1/conversations/${conversationId}/messages`, user, { text });
      const { runId } = sent.body as { readonly runId: string };
      return { runId, approvalId: await heldApproval({ gateway, user }, runId) };
    },
    async approve({ runId, approvalId }) {
      await approve(running(), approvalId);
      const events = await follow(running(), runId);
      const resolved = events.find((event) => event.type === "call.resolved");
      return { end: events.at(-1)?.type ?? "run.failed", status: resolved?.status ?? "" };
    },
    effects: () =>
      (existsSync(target) ? readFileSync(target, "utf8") : "")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.split(" ").slice(0, 2).join(" ")),
    async cli(...args) {
      const urls = at === null ? {} : { TOOLBUS_URL: at.gateway, TOOLBUS_APPROVALS_URL: at.approvals };
      return runProgram(TOOLBUS, args, { env: { DATA_DIR: data, ...store, ...urls } });
    },
    async json(...args) {
      const { code, stdout, stderr } = await system.cli(...args, "--json");
      if (code !== 0) throw new Error(`toolbus ${args.join(" ")} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    },
  };
  return Object.assign(system, { [Symbol.asyncDispose]: () => system.kill() });
}
