import { type Call, keys, parseRegistration } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { WorkerSeen } from "../transitions/unserved.ts";

/** Reads what the registry says about the workers of each call's tool. The result for an unreadable registration is undefined. */
export async function workersSeen(state: Pick<StateStore, "read">, calls: readonly Call[]): Promise<(callId: string) => WorkerSeen> {
  if (calls.length === 0) return () => undefined;
  const { documents } = await state.read(
    calls.map(({ toolset, toolName, toolVersion }) => keys.registration(toolset, toolName, toolVersion)),
  );
  const seen = new Map<string, WorkerSeen>();
  calls.forEach(({ callId }, n) => {
    const document = documents[n];
    const registration = document ? parseRegistration(document.value) : null;
    seen.set(callId, registration === null ? null : registration.ok ? registration.value : undefined);
  });
  return (callId) => seen.get(callId);
}
