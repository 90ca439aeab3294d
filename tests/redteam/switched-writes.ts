import type { JsonObject } from "@toolbus/contracts";
import type { Arena } from "./arena.ts";
import { ask } from "./http.ts";

/** Switches a write off, as the operator does. */
export async function switchOff(arena: Arena, tool: string): Promise<void> {
  const { status, body } = await ask(arena.approvals(`/v1/writes/${tool}/disable`), arena.system.people.operator, {});
  if (status !== 200) throw new Error(`Approvals answered ${status}: ${JSON.stringify(body)}`);
}

/** Makes sure that exactly the registered definition of a write is enabled, as the operator does. Waits until a worker has registered the write. */
export async function enabled({ approvals, until, system: { people } }: Arena, tool: string): Promise<void> {
  const url = approvals(`/v1/writes/${tool}`);
  const { state, toolset, hash, receiptKeys } = await until(`${tool} to be registered`, async () => {
    const { body } = await ask(url, people.operator);
    return ((body["registered"] ?? []) as readonly JsonObject[])[0] ?? null;
  });
  if (state === "enabled") return;
  const { status, body } = await ask(`${url}/enable`, people.operator, { toolset, hash, receiptKeys });
  if (status !== 200) throw new Error(`Approvals answered ${status}: ${JSON.stringify(body)}`);
}
