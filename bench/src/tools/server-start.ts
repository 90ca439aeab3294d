import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { openMcp } from "@toolbus/tool-executor/mcp";
import type { Conditions } from "../benchmark.ts";
import { type Goal, goal } from "../goal.ts";

const SERVER = fileURLToPath(new URL("listing-server.ts", import.meta.url));
const TOOLS_EACH = 20;
/** The longest time until all servers have listed their tools. */
const LONGEST_START_MS = 120_000;
/** Each number of servers is started this many times. The shortest time counts, because other programs only make a start longer. */
const STARTS = 2;

/** Compares the start of the bridge with many programs, each a real MCP server, with the start with few. The figures are wall time until all tools are listed. */
export async function serverStarts(
  { few, many }: { readonly few: number; readonly many: number },
  { stopwatch, signal }: Conditions,
): Promise<Goal> {
  const times = { few: Infinity, many: Infinity };
  for (let n = 0; n < STARTS; n++) {
    times.few = Math.min(times.few, await startMs(few, stopwatch, signal));
    times.many = Math.min(times.many, await startMs(many, stopwatch, signal));
  }
  const name = `a start of the bridge with ${many} MCP servers of ${TOOLS_EACH} tools against ${few}`;
  return goal({ name, is: "at most", target: many / few }, { ours: times.many, theirs: times.few, unit: "ms" });
}

async function startMs(count: number, stopwatch: Conditions["stopwatch"], signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const folder = await mkdtemp(path.join(tmpdir(), "toolbus-bench-"));
  const state = memoryStore({ clock: () => Date.now() });
  try {
    const file = path.join(folder, "mcp.json");
    const entry = { command: process.execPath, args: [SERVER, String(TOOLS_EACH)] };
    await writeFile(file, JSON.stringify({ mcpServers: Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, entry])) }));
    const before = stopwatch.now();
    const bridge = await openMcp(file, {
      state,
      clock: () => Date.now(),
      log: silentLog,
      monotonic: () => performance.now(),
      random: (bytes) => randomBytes(bytes),
      env: {},
    });
    try {
      await allListed(bridge, AbortSignal.any([signal, AbortSignal.timeout(LONGEST_START_MS)]));
      const ms = stopwatch.now() - before;
      const listed = bridge.toolset.list().filter(({ definition }) => /^s\d+__tool_\d+$/.test(definition.name)).length;
      if (listed !== count * TOOLS_EACH) throw new Error(`${count} servers have listed ${listed} tools.`);
      return ms;
    } finally {
      await bridge.stop();
    }
  } finally {
    await state.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves when each server has listed its tools. */
async function allListed(bridge: Awaited<ReturnType<typeof openMcp>>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const give = (): void => reject(signal.reason);
  signal.addEventListener("abort", give, { once: true });
  const look = async (): Promise<void> => {
    if ([...bridge.sources().values()].every(Boolean)) resolve();
  };
  bridge.follow(look);
  await promise.finally(() => signal.removeEventListener("abort", give));
}
