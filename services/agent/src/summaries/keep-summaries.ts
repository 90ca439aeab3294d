import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "@toolbus/telemetry";
import type { ServerSummaries } from "./server-summaries.ts";

/** Keeps the summaries current in the background. No run waits for it. `stop` aborts a call of the model and waits for its end. */
export function keepSummaries(
  summaries: Pick<ServerSummaries, "round">,
  { log, everyMs }: { readonly log: Log; readonly everyMs: number },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };

  async function loop(): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      await summaries
        .round(signal)
        .catch((error: unknown) => log.warn({ error }, "the summaries of the MCP servers could not be checked; the agent tries again"));
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
