import { canonicalJson } from "@toolbus/grants";
import { benchWorker } from "./bench-worker.ts";
import type { Contest } from "../contest.ts";
import { ARGUMENTS, bareCall, executorOf } from "./noop-tools.ts";

/**
 * Does one read: an invoke on the bus, the worker's pipeline, and the join of the result. The bare side calls the same function with its schema
 * check.
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
