import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { type Apart, type ApartName, startApart } from "@toolbus/all-in-one";
import { expect } from "vitest";
import { patientClient } from "../apart/client.ts";
import { IMPATIENT } from "../apart/impatient.ts";
import { TOOLBUS } from "../testing/cli-under-test.ts";
import { type Ended, runProgram } from "../testing/program.ts";
import { scratch } from "../testing/scratch.ts";

const CHECKED_WORKER = fileURLToPath(new URL("checked-worker.ts", import.meta.url));
const SHIFTED = fileURLToPath(new URL("../apart/shifted-service.ts", import.meta.url));
const PATIENCE_MS = 60_000;

export interface Check {
  readonly name: string;
  readonly level: "ok" | "warn" | "fail";
  readonly message: string;
  readonly fix?: string;
}

/** A system of processes that a test damages, and the doctor that an operator runs on it. */
export interface Doctored extends AsyncDisposable {
  readonly apart: Apart;
  readonly client: ReturnType<typeof patientClient>;
  /** Writes a file that is removed with the system, and returns its path. */
  file(name: string, content: string): string;
  /** Runs a command until it exits, with the keys that the start made. */
  toolbus(args: readonly string[]): Promise<Ended>;
  /**
   * Runs `toolbus doctor --json` until it finds exactly the faults with these names, and returns them. Checks that each exit code matches the
   * findings.
   */
  faults(names: readonly string[], patienceMs?: number): Promise<readonly Check[]>;
  /** Stops or kills a service and does not restart it. */
  end(service: ApartName, how: "stop" | "kill"): Promise<void>;
  /** Restarts a service with these settings. */
  again(service: ApartName, settings?: Readonly<Record<string, string>>): Promise<void>;
  /** Restarts approvals with a clock that is wrong by this much. */
  shiftApprovals(ms: number): Promise<void>;
  /** Suspends a service, with its connections open. The returned function resumes it. */
  freeze(service: ApartName): () => void;
  /** Refuses connections to the target of the worker's tools. The returned function allows them again. */
  closeTarget(): Promise<() => Promise<void>>;
}

/**
 * Starts one process of each service. Resolves when doctor finds exactly the faults in `first`. `env` is added to the environment of the operator's
 * shell. `settings` is added to the services' settings at the first start.
 */
export async function startDoctored({ busUrl, stateUrl, env = {}, settings: begin = {}, first = [] }: DoctoredOptions): Promise<Doctored> {
  await using begun = new AsyncDisposableStack();
  const files = scratch();
  begun.defer(() => files.remove());
  const target = createServer((_request, response) => response.end("{}"));
  await listen(target, 0);
  begun.defer(() => close(target));
  const { port } = target.address() as AddressInfo;
  const shiftFile = (ms: number): string => files.file("shift", String(ms));
  const own: Partial<Record<ApartName, Readonly<Record<string, string>>>> = { ...begin };
  const written: string[] = [];
  const directory = files.data();
  const apart = await startApart({
    directory,
    busUrl,
    stateUrl,
    replicas: 1,
    env: { ...IMPATIENT, DRAIN_MS: "2000", TARGET_URL: `http://127.0.0.1:${port}`, CLOCK_SHIFT_FILE: shiftFile(0) },
    settingsOf: (service) => own[service] ?? {},
    modules: { "tool-executor": CHECKED_WORKER, approvals: SHIFTED },
    onOutput: (name, text) => void written.push(`${name}: ${text}`),
  });
  begun.defer(async () => void (await apart.stop()));
  const shell = {
    TOOLBUS_URL: apart.gatewayUrls[0] ?? "",
    TOOLBUS_APPROVALS_URL: apart.approvalsUrls[0] ?? "",
    DATA_DIR: directory,
    ...env,
  };
  const processOf = (service: ApartName) => {
    const found = apart.replicas().find((replica) => replica.service === service);
    if (!found) throw new Error(`There is no ${service}.`);
    return found.process;
  };
  const system: Omit<Doctored, typeof Symbol.asyncDispose> = {
    apart,
    client: patientClient(apart),
    file: files.file,
    toolbus,
    faults,
    end: async (service, how) => void (await processOf(service)[how]()),
    async again(service, settings = {}) {
      own[service] = settings;
      await apart.restart(service, 1);
    },
    async shiftApprovals(ms) {
      shiftFile(ms);
      await apart.restart("approvals", 1);
    },
    freeze(service) {
      const { pid } = processOf(service);
      process.kill(pid, "SIGSTOP");
      return () => void process.kill(pid, "SIGCONT");
    },
    async closeTarget() {
      await close(target);
      return () => listen(target, port);
    },
  };
  await faults(first);
  const open = begun.move();
  return { ...system, [Symbol.asyncDispose]: () => open.disposeAsync() };

  function toolbus(args: readonly string[]): Promise<Ended> {
    return runProgram(TOOLBUS, args, { env: shell });
  }

  async function faults(names: readonly string[], patienceMs = PATIENCE_MS): Promise<readonly Check[]> {
    const late = AbortSignal.timeout(patienceMs);
    for (;;) {
      const { code, stdout } = await toolbus(["doctor", "--json"]);
      const { ok, checks } = JSON.parse(stdout) as { readonly ok: boolean; readonly checks: readonly Check[] };
      const found = checks.filter(({ level }) => level === "fail");
      expect({ code, ok }).toEqual(found.length > 0 ? { code: 1, ok: false } : { code: 0, ok: true });
      if (found.map(({ name }) => name).join() === names.join()) return found;
      if (late.aborted)
        throw new Error(`Doctor finds ${JSON.stringify(found)} and not [${names.join()}]. ${written.join("").slice(-4000)}`);
    }
  }
}

interface DoctoredOptions {
  readonly busUrl: string;
  readonly stateUrl: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: Partial<Readonly<Record<ApartName, Readonly<Record<string, string>>>>>;
  readonly first?: readonly string[];
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
