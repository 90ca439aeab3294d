import { canonicalJson } from "@toolbus/grants";
import { benchWorker } from "./bench-worker.ts";
import type { Contest } from "../contest.ts";
import { ARGUMENTS, bareCall, executorOf } from "./noop-tools.ts";

/**
 * Does one read. The subject sends an invoke over the bus, runs the worker's pipeline, and matches the result to the call. The bare side calls the
 * same function after the same schema check.
 */
export async function readCall(): Promise<Contest> {
  const worker = await benchWorker("memory:");
  const look = executorOf(worker.tools, "look");
  const text = canonicalJson(ARGUMENTS);
  return {
    subject: async () => void (await worker.client.call(look, ARGUMENTS)),
    bare: async () => void bareCall(look, text),
    stop: () => worker.stop(),
  };
}
