import path from "node:path";
import { pathToFileURL } from "node:url";
import { topics } from "@toolbus/contracts";
import { startAsked } from "../asked-process.ts";
import { TOOLSET } from "../embedded/noop-tools.ts";
import { drivers } from "../tool-call/drivers.ts";
import type { SideQuestion } from "../tool-call/side-process.ts";
import type { LoopQuestion } from "./loop-process.ts";
import type { LoopPlace } from "./loop.ts";
import type { RoundTrace } from "./round-trace.ts";

/** One loop in a separate process, ready to be measured. Remote tools have another process. */
export interface LoopContender {
  /** Makes this many runs of this many tool rounds each, with `inFlight` runs in flight at any time. */
  runs(count: number, rounds: number, inFlight: number): Promise<void>;
  /** Returns the requests of a single run to the store, round by round. The list is empty for the hand-written loop. */
  trace(rounds: number): Promise<readonly RoundTrace[]>;
  /** Returns how much processor time the loop's process has used, in milliseconds. */
  cpuMs(): Promise<number>;
  /** Stops the loop and removes its data from the broker. Data on Redis stays. */
  stop(): Promise<void>;
}

/** Where a loop's code is: in this checkout, or in another one, such as that of an earlier commit. */
export type Part = "toolbus" | "by hand" | { readonly checkout: string };

const LOOP = new URL("loop-process.ts", import.meta.url);
const SIDE = new URL("../tool-call/side-process.ts", import.meta.url);
const AGENT = "default";
/** Every queue of an agent, and the queue of its tools. */
const TOPICS = [topics.runWake, topics.result(AGENT), topics.approvalHeld(AGENT), topics.approvalDecided(AGENT), topics.invoke(TOOLSET)];

export async function startLoop(which: Part, place: LoopPlace): Promise<LoopContender> {
  const part = typeof which === "string" ? which : "toolbus";
  const module = typeof which === "string" ? LOOP : pathToFileURL(path.join(which.checkout, "bench/src/run-loop/loop-process.ts"));
  const loop = startAsked<LoopQuestion>(module);
  let stopTools = async (): Promise<void> => undefined;
  const stop = async (): Promise<void> => {
    await loop.stop();
    await stopTools();
    await removeFromBroker(part, place);
  };
  try {
    stopTools = await startTools(part, place, module);
    await loop.ask({ kind: "begin", part, place });
  } catch (error) {
    // An error of the cleanup must not hide the error that stopped the loop.
    await stop().catch(() => undefined);
    throw error;
  }
  return {
    runs: async (count, rounds, inFlight) => void (await loop.ask({ kind: "runs", count, rounds, inFlight })),
    trace: async (rounds) => ((await loop.ask({ kind: "trace", rounds })) as { readonly traces: readonly RoundTrace[] }).traces,
    cpuMs: async () => ((await loop.ask({ kind: "cpu" })) as { readonly cpuMs: number }).cpuMs,
    stop,
  };
}

/** Starts the process of the tools, if they are remote. Returns a function that stops the process. */
async function startTools(part: "toolbus" | "by hand", place: LoopPlace, module: URL): Promise<() => Promise<void>> {
  const { tools } = place;
  if (tools.kind === "here") return async () => undefined;
  if (part === "toolbus") {
    const worker = startAsked<LoopQuestion>(module);
    await worker.ask({ kind: "begin", part: "toolbus worker", place }).catch(async (error: unknown) => {
      await worker.stop();
      throw error;
    });
    return () => worker.stop();
  }
  const side = startAsked<SideQuestion>(SIDE);
  await side
    .ask({ kind: "begin", side: "answers", driver: tools.raw, place: tools.place, collector: null })
    .catch(async (error: unknown) => {
      await side.stop();
      throw error;
    });
  return () => side.stop();
}

async function removeFromBroker(part: "toolbus" | "by hand", { tools }: LoopPlace): Promise<void> {
  if (tools.kind === "here") return;
  if (part === "by hand") return (await drivers[tools.raw]()).remove(tools.place);
  const { removeBus } = await import("../tool-call/remove-bus.ts");
  await removeBus(tools.broker, tools.place, TOPICS);
}
