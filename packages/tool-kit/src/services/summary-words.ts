import { createHash } from "node:crypto";
import { keys, parseServerSummary, plainWords } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { KnownService } from "./known-services.ts";

/**
 * Returns the services with the words that a model wrote about their tools, if an agent has asked one. A summary only adds to the rank. So a service
 * without one, and a store that does not answer, change nothing else.
 */
export async function withSummaryWords(
  state: Pick<StateStore, "read">,
  services: readonly KnownService[],
): Promise<readonly KnownService[]> {
  const foreign = services.filter(({ type }) => type === "mcp");
  if (foreign.length === 0) return services;
  const read = await state.read(foreign.map(({ id }) => keys.serverSummary(serviceHash(id)))).catch(() => null);
  const words = new Map(
    foreign.flatMap(({ id }, n) => {
      const parsed = parseServerSummary(read?.documents[n]?.value);
      // The words are cleaned again, because the reader does not rely on the writer.
      return parsed.ok && parsed.value.service === id && parsed.value.words
        ? [[id, plainWords(parsed.value.words.join(" "))] as const]
        : [];
    }),
  );
  return services.map((service) => {
    const own = words.get(service.id);
    return own === undefined || own.length === 0 ? service : { ...service, words: own };
  });
}

/** Returns the part of a key that stands for a service. The name of a server may contain any characters. */
export function serviceHash(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}
