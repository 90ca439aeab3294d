import { isJsonObject, type JsonObject, keys, shardName } from "@toolbus/contracts";
import { connectState } from "@toolbus/state";

const SERVICES = ["approvals", "agent", "gateway", "operations", "worker.payments"] as const;

/** A security event as a service stored it. */
export interface SecurityRecord {
  readonly service: string;
  /** The kind of the event. Some services store it in another field. */
  readonly kind: string;
  readonly entry: JsonObject;
}

/** Reads the security records of all services and shards. Returns each record once. */
export interface SecurityRecords extends AsyncDisposable {
  /** Returns the records that arrived since the last call. */
  fresh(): Promise<readonly SecurityRecord[]>;
}

export async function securityRecords(stateUrl: string): Promise<SecurityRecords> {
  const store = await connectState(stateUrl, { clock: Date.now });
  const logs = Array.from({ length: store.shards }, (_, index) => shardName(index)).flatMap((shard) =>
    SERVICES.map((service) => ({ service, log: keys.security(shard, service), after: 0 })),
  );
  return {
    async fresh() {
      const read = await Promise.all(
        logs.map(async (log) => {
          const entries = await store.range(log.log, { after: log.after, limit: 500 });
          log.after = entries.at(-1)?.sequence ?? log.after;
          return entries.flatMap(({ value }) => (isJsonObject(value) ? [{ service: log.service, kind: kindOf(value), entry: value }] : []));
        }),
      );
      return read.flat();
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

function kindOf({ kind, reason }: JsonObject): string {
  return typeof kind === "string" ? kind : typeof reason === "string" ? reason : "unknown";
}
