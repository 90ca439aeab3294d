import type { RecordReader } from "@toolbus/gateway";
import type { WorldEnd } from "../world/world.ts";

/** Reads a world's documents and logs at its end, as the gateway reads a store. Blobs come from the world's store. */
export function factsReader({ facts: { documents, logs }, getBlob }: Pick<WorldEnd, "facts" | "getBlob">, now: number): RecordReader {
  return {
    read: (keys) =>
      Promise.resolve({
        now,
        documents: keys.map((key) => (documents.has(key) ? { version: 1, value: documents.get(key) ?? null } : null)),
      }),
    range: (log, { after, limit }) =>
      Promise.resolve((logs.get(log) ?? []).slice(after, after + limit).map((value, n) => ({ sequence: after + n + 1, value }))),
    getBlob,
    putBlob: () => Promise.reject(new Error("A record writes nothing.")),
  };
}
