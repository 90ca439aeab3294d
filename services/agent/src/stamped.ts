import type { StampedLimits } from "@toolbus/contracts";
import { type Infrastructure, Refusal, type Service } from "@toolbus/runtime";
import { agentStampObstacle, StampRefused, startGate } from "@toolbus/tool-kit";
import { PARALLEL_CALLS, type Profile } from "./profile.ts";

/** Returns the limits of an agent with these profiles that a registry stamp names. */
export function agentLimits(profiles: ReadonlyMap<string, Profile>): StampedLimits {
  const rounds = [...profiles].map(([name, { limits }]) => [name, limits.maxRounds] as const);
  return { max_tool_rounds: Object.fromEntries(rounds.toSorted(([a], [b]) => (a < b ? -1 : 1))), parallel_read_max: PARALLEL_CALLS };
}

/**
 * Starts the agent if it agrees with the registry stamp. Otherwise returns a service that is not ready and takes no runs, until they agree. Throws a
 * `Refusal` if the stamp cannot be read. Without a file, the agent starts at once.
 */
export async function startStamped(
  { state, log }: Pick<Infrastructure, "state" | "log">,
  { file, limits }: { readonly file: string; readonly limits: StampedLimits },
  start: () => Promise<Service>,
): Promise<Service> {
  if (file === "") return start();
  let service: Service | undefined;
  const gate = await startGate({
    obstacle: () => agentStampObstacle(state, limits, file),
    begin: async () => (service = await start()),
    log,
  }).catch((error: unknown) => {
    throw error instanceof StampRefused ? new Refusal(error.message) : error;
  });
  return { unready: () => [...gate.unready(), ...(service?.unready() ?? [])], stop: gate.stop };
}
