import { type RunEvent, shardOf } from "@toolbus/contracts";
import type { Arena } from "../redteam/arena.ts";
import type { SystemUnderAttack } from "../redteam/system.ts";

/** Pauses the process of a service until `goOn`. Messages that are sent to the service meanwhile stay in its queues. */
export function halted(
  { apart }: SystemUnderAttack,
  name: "tool-executor" | "approvals" | "agent",
): { goOn(): void; stop(): Promise<unknown> } {
  const replica = apart.replicas().find(({ service }) => service === name);
  if (!replica) throw new Error(`There is no ${name}.`);
  process.kill(replica.process.pid, "SIGSTOP");
  return { goOn: () => process.kill(replica.process.pid, "SIGCONT"), stop: () => replica.process.stop() };
}

/** Resolves when the agent has given the run's call to the broker. */
export async function sent({ until, events, eye }: Arena, runId: string): Promise<void> {
  await until("the call to be sent", async () => {
    const asked = (await events(runId)).some((event) => event.type === "turn" && event.calls.length > 0);
    if (!asked) return null;
    return (await eye.redis("ZCARD", `tb:outbox.agent:{${shardOf(runId)}}`)) === 0 ? true : null;
  });
}

/** Resolves when approvals has asked people to decide the run's write. */
export async function isHeld({ until, events }: Arena, runId: string, withinMs?: number): Promise<void> {
  const isThere = ({ type }: RunEvent): boolean => type === "call.held";
  await until("the write to be held", async () => ((await events(runId)).some(isThere) ? true : null), withinMs);
}

/** Returns the matching log lines of the services so far. */
export function linesOf({ lines }: SystemUnderAttack, words: RegExp): readonly string[] {
  return lines().filter((line) => words.test(line));
}

/** Returns the number with this name in a log line, or 0 if the line has none. */
export function numberIn(line: string, name: string): number {
  return Number(new RegExp(`"${name}":(\\d+)`).exec(line)?.[1] ?? 0);
}
