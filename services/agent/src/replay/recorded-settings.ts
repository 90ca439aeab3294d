import type { RunRecord } from "@toolbus/contracts";
import type { AgentConfig } from "../settings.ts";

/** Returns the settings of the agent that the log of a run shows. */
export function recordedSettings({ calls, events }: RunRecord): Partial<AgentConfig> {
  const asked = events.find((event) => event.type === "call.asked");
  const sent = calls.find(({ dispatch, notAfter }) => dispatch === 1 && notAfter !== null);
  return {
    ...(asked ? { ASK_EXPIRY_MS: asked.expiresAt - asked.at } : {}),
    ...(sent?.notAfter ? { CALL_NOT_AFTER_MS: sent.notAfter - sent.sentAt } : {}),
  };
}
