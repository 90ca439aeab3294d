import { keys, parseRunOrigin, rootRunId, type RunOrigin } from "@toolbus/contracts";
import type { SignedReader } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** Reads who asked for a run, as the gateway signed it. The agent accepts this information from no other service. */
export interface Origins {
  /** Returns the origin of a run, or null if there is none that the gateway signed. Throws `StoreUnavailable` and `OriginUndecided`. */
  of(runId: string): Promise<RunOrigin | null>;
}

/** The agent does not know the key that signed the origin. It may learn a new key later, so a retry may succeed. */
export class OriginUndecided extends Error {
  override readonly name = "OriginUndecided";
}

export interface OriginsOptions {
  readonly state: Pick<StateStore, "read">;
  /** A reader with the gateway's keys. */
  readonly reader: SignedReader;
  readonly log: Log;
}

/** Returns a reader of origins. It remembers the origins that it has read, because an origin never changes. */
export function originReader({ state, reader, log }: OriginsOptions): Origins {
  const known = new Map<string, RunOrigin>();
  const reported = new Set<string>();
  /** Says once for each unknown key what an operator can do. The runs wait silently otherwise, because every attempt fails in the same way. */
  function report(runId: string, detail: string): void {
    if (reported.has(detail) || reported.size >= MOST_REPORTED) return;
    reported.add(detail);
    log.error(
      { runId, detail },
      "a run is signed with a key of the gateway that this agent does not know: the run waits until SERVICE_KEYS_FILE of the agent has the gateway's public key",
    );
  }
  return {
    async of(runId) {
      const root = rootRunId(runId);
      const found = known.get(root);
      if (found) return found;
      const key = keys.runOrigin(runId);
      const { documents } = await state.read([key]);
      const [document] = documents;
      if (!document) return null;
      const verdict = await reader.read(key, document.value);
      // The agent may not know a new key yet, or the address of the gateway's keys may not answer. Neither problem may end a run.
      if (verdict.kind === "unknown_key") {
        report(runId, verdict.detail);
        throw new OriginUndecided(`The origin of the run ${runId} cannot be judged: ${verdict.detail}.`);
      }
      if (verdict.kind !== "genuine") {
        log.warn(
          { runId, why: verdict.kind, detail: verdict.detail },
          "the origin of a run is not what the gateway stored; the run counts as having no requester",
        );
        return null;
      }
      const origin = parseRunOrigin(document.value);
      if (!origin.ok) return null;
      known.set(root, origin.value);
      const [oldest] = known.keys();
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
      return origin.value;
    },
  };
}

const REMEMBERED = 1000;
// Somebody who can write origins can invent keys, so the number of lines has a limit.
const MOST_REPORTED = 10;
