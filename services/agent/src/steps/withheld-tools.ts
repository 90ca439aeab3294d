import { preferredVersion, type Registration, rightsFault, type Run } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { readRegistry } from "@toolbus/tool-kit";
import { judged } from "../tool-offer.ts";
import type { Turn } from "../transitions/turn.ts";

interface Asking {
  readonly run: Pick<Run, "rights">;
  readonly calls: Turn["calls"];
  /** The tools that the run can call. */
  readonly tools: ReadonlyMap<string, Registration>;
}

/**
 * The registered tools that these calls name and that the run lacks because its requester may not use them: so the model reads that it was refused, not
 * that the tool does not exist. Reads the registry only if a call names a tool that the run does not have. Throws `StoreUnavailable`.
 */
export async function withheldTools(
  state: StateStore,
  log: Log,
  { run: { rights }, calls, tools }: Asking,
): Promise<ReadonlyMap<string, Registration>> {
  const unknown = new Set(calls.map(({ name }) => name).filter((name) => !tools.has(name)));
  if (!rights || unknown.size === 0) return new Map();
  const registrations = await readRegistry(state, log);
  return new Map(
    [...unknown].flatMap((name) => {
      const versions = registrations.filter(({ definition }) => definition.name === name);
      if (versions.some((one) => rightsFault(rights, judged(one)) === null)) return [];
      const withheld = preferredVersion(versions, ({ definition }) => definition);
      return withheld ? [[name, withheld] as const] : [];
    }),
  );
}
