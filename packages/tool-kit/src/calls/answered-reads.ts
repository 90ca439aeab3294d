import type { Verdict } from "@toolbus/bus";
import { attributes, type Message, type ToolInvoke } from "@toolbus/contracts";
import type { Toolset } from "../tool/toolset.ts";
import type { CallDelivery } from "./invoke-pipeline.ts";
import { recentKeys } from "./recent-keys.ts";

/** The invokes of reads and computations that this process has answered. */
export interface AnsweredReads {
  /**
   * Does the work of a delivery, and acknowledges an answered read even if the bus has taken the delivery back meanwhile. If the message comes again
   * afterwards, acknowledges it without the work. A write is left to the work, because its ledger knows what was done.
   */
  once(message: Message, invoke: ToolInvoke, delivery: CallDelivery, work: () => Promise<Verdict>): Promise<Verdict>;
}

/**
 * Remembers which reads were answered. A tool that blocks the event loop keeps its worker from telling the broker that it is alive. So the broker
 * delivers the message again, although the caller has its answer.
 */
export function answeredReads(toolset: Pick<Toolset, "find">): AnsweredReads {
  const answered = recentKeys(MOST_REMEMBERED);
  return {
    async once({ id, attributes: named }, { toolName }, { count }, work) {
      const kind = toolset.find(toolName, named[attributes.toolVersion])?.tool.kind;
      if (kind !== "read" && kind !== "compute") return work();
      if (count > 1 && answered.has(id)) return DONE;
      const verdict = await work();
      if (verdict.kind !== "ack") return verdict;
      answered.add(id);
      return DONE;
    },
  };
}

const DONE: Verdict = { kind: "ack", evenIfLost: true };
const MOST_REMEMBERED = 10_000;
