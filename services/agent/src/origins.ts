import { keys, parseRunOrigin, rootRunId, type RunOrigin } from "@toolbus/contracts";
import type { SignedReader } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** Who asked for a run, as the gateway signed it. The agent trusts nobody else for this. */
export interface Origins {
  /** Null if there is none, or none that the gateway signed. Throws `StoreUnavailable`, and `OriginUndecided`. */
  of(runId: string): Promise<RunOrigin | null>;
}

/** It is signed by a key that is not known here, or not known yet: a retry may succeed. */
export class OriginUndecided extends Error {
  override readonly name = "OriginUndecided";
}

export interface OriginsOptions {
  readonly state: Pick<StateStore, "read">;
  /** With the gateway's keys. */
  readonly reader: SignedReader;
  readonly log: Log;
}

/** An origin never changes, so one that was read is remembered. */
export function originReader({ state, reader, log }: OriginsOptions): Origins {
  const known = new Map<string, RunOrigin>();
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
      // A key that is being rolled out, or an address that does not answer, must not end a run.
      if (verdict.kind === "unknown_key") throw new OriginUndecided(`The origin of the run ${runId} cannot be judged: ${verdict.detail}.`);
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
