import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startAsked } from "../asked-process.ts";
import type { Conditions } from "../benchmark.ts";
import { type Goal, goal } from "../goal.ts";
import { rounded } from "../row.ts";
import type { AskedBridge } from "./bridge-process.ts";

const SERVER = fileURLToPath(new URL("listing-server.ts", import.meta.url));
const BRIDGE = new URL("bridge-process.ts", import.meta.url);
const TOOLS_EACH = 20;
/** Each number of servers is started this many times. The shortest time counts, because other programs only make a start longer. */
const STARTS = 3;

/** The comparison, and a sentence that says what each further server costs. */
export interface ServerStarts {
  readonly goal: Goal;
  readonly note: string;
}

/**
 * Compares the start of the bridge's process with many programs, each a real MCP server, with the start with few. The figures are wall time from the start of the
 * process until all tools are listed.
 */
export async function serverStarts(
  { few, many }: { readonly few: number; readonly many: number },
  { stopwatch, signal }: Conditions,
): Promise<ServerStarts> {
  const times = { few: Infinity, many: Infinity };
  for (let n = 0; n < STARTS; n++) {
    times.few = Math.min(times.few, await startMs(few, stopwatch, signal));
    times.many = Math.min(times.many, await startMs(many, stopwatch, signal));
  }
  const name = `a start of the bridge with ${many} MCP servers of ${TOOLS_EACH} tools against ${few}`;
  const each = rounded((times.many - times.few) / (many - few));
  return {
    goal: goal({ name, is: "at most", target: many / few }, { ours: times.many, theirs: times.few, unit: "ms" }),
    note: `Each further MCP server made the start of the bridge ${each} ms longer.`,
  };
}

async function startMs(count: number, stopwatch: Conditions["stopwatch"], signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const folder = await mkdtemp(path.join(tmpdir(), "toolbus-bench-"));
  try {
    const file = path.join(folder, "mcp.json");
    const entry = { command: process.execPath, args: [SERVER, String(TOOLS_EACH)] };
    await writeFile(file, JSON.stringify({ mcpServers: Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, entry])) }));
    const before = stopwatch.now();
    const bridge = startAsked<AskedBridge>(BRIDGE);
    try {
      const listed = await bridge.ask({ file });
      const ms = stopwatch.now() - before;
      if (!("tools" in listed) || listed.tools !== count * TOOLS_EACH)
        throw new Error(`${count} servers have listed other tools: ${JSON.stringify(listed)}.`);
      return ms;
    } finally {
      await bridge.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
