import { keys, shardOf } from "@toolbus/contracts";
import type { Arena } from "../arena.ts";
import { textIn } from "../text-in.ts";

/** Returns the outcome of a request. For a run without a genuine origin, approvals stores only the security event. */
export async function statusOf(arena: Arena, callId: string): Promise<string> {
  const approvalId = `ap_${callId}`;
  const security = `${keys.security(shardOf(callId), "approvals")}#log`;
  return arena.until("what becomes of it", async () => {
    const stored = await arena.stored(keys.approval(approvalId)).catch(() => null);
    if (stored) return textIn(stored["status"]);
    const events = await arena.eye.redis("LRANGE", security, "1", "-1");
    const refused = (Array.isArray(events) ? events : [])
      .map(textIn)
      .some((event) => event.includes(`"${approvalId}"`) && event.includes(`"no_origin"`));
    return refused ? "refused" : null;
  });
}
