import type { ChainedRecord, ChainKind, CheckpointView, Jwks } from "@toolbus/contracts";
import { readAuditPage, readCheckpoints } from "../http/answers.ts";
import type { Client } from "../http/client.ts";

/** Yields the records of a chain in order: all of them, or only those of events at or after a given time. */
export async function* recordsOf(
  service: Client,
  chain: ChainKind,
  { since }: { readonly since?: number } = {},
): AsyncGenerator<ChainedRecord, void> {
  const filter = since === undefined ? "" : `&since=${since}`;
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page = readAuditPage(await service.get(`/v1/audit?${queryOf(chain, cursor)}${filter}`));
    yield* page.records;
    cursor = page.cursor;
  }
}

/** Yields every checkpoint of a chain, from the first one. */
export async function* checkpointsOf(service: Client, chain: ChainKind): AsyncGenerator<CheckpointView, void> {
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page = readCheckpoints(await service.get(`/v1/audit/checkpoints?${queryOf(chain, cursor)}`));
    yield* page.checkpoints;
    cursor = page.cursor;
  }
}

/** Returns the newest checkpoint of a chain, or null if it has none, and the public keys of approvals. */
export async function newestOf(
  service: Client,
  chain: ChainKind,
): Promise<{ readonly checkpoint: CheckpointView | null; readonly keys: Jwks }> {
  const page = readCheckpoints(await service.get(`/v1/audit/checkpoints?chain=${chain}&order=desc&limit=1`));
  return { checkpoint: page.checkpoints[0] ?? null, keys: page.keys };
}

function queryOf(chain: ChainKind, cursor: string): string {
  return new URLSearchParams({ chain, limit: "200", ...(cursor === "" ? {} : { cursor }) }).toString();
}
