import {
  definitionFault,
  type Json,
  keys,
  parseRegistration,
  type PublicJwk,
  type Registration,
  REPLACED_KEPT_MS,
  type ReplacedDefinition,
  SEEN_EVERY_MS,
} from "@toolbus/contracts";
import type { StoredDocument } from "@toolbus/state";
import { cleanText } from "../tool/tool-problem.ts";
import type { Executor } from "../tool/toolset.ts";

/** If the last heartbeat is younger than this, a replica does not send another one. */
const FRESH_MS = SEEN_EVERY_MS / 2;

/** A document to write. */
export interface Put {
  readonly key: string;
  readonly value: Json;
  readonly expiresAt?: number;
}

/** The current report of a worker about a tool. `unavailable` says why the tool cannot be used, or is null. `example` has arguments that work. */
export interface SignOfLife {
  /** The store's time. */
  readonly now: number;
  readonly unavailable: string | null;
  /** The arguments, as JSON text. */
  readonly example?: string | undefined;
}

/** The part of a worker's report that does not change while the worker runs. */
export interface Said {
  readonly toolset: string;
  readonly scalesToZero: boolean;
  readonly receiptKey: PublicJwk | undefined;
}

/** Returns the registration to write, or null if the stored one says the same and was refreshed recently. */
export function registrationOf(
  said: Said,
  { definition, hash }: Executor,
  stored: StoredDocument | null,
  sign: SignOfLife,
): Registration | null {
  const { toolset, scalesToZero, receiptKey } = said;
  if (holds(stored, hash, said)) return seenAgain(stored, hash, sign);
  const made: Registration = {
    toolset,
    definition,
    hash,
    registeredAt: sign.now,
    lastSeenAt: sign.now,
    ...(scalesToZero ? { scalesToZero } : {}),
    ...(receiptKey === undefined ? {} : { receiptKey }),
  };
  return withSign(made, sign);
}

/** Returns the stored registration with a new heartbeat. Returns null if it has another definition, or if its heartbeat is recent enough. */
export function seenAgain(stored: StoredDocument, hash: string, sign: SignOfLife): Registration | null {
  const known = parseRegistration(stored.value);
  if (!known.ok || known.value.hash !== hash) return null;
  const { lastSeenAt, leftAt, unavailable, example } = known.value;
  const same = unavailable?.reason === reasonOf(sign) && example === sign.example;
  const fresh = leftAt === undefined && sign.now - lastSeenAt < FRESH_MS && same;
  return fresh ? null : withSign(known.value, sign);
}

/**
 * Returns the document that keeps a registration's definition under its hash, if the registration now has another definition or ends. A quarantined
 * definition is not kept, because no run continues with it. It may also be too large to keep, and then its registration could never end.
 */
export function replacedBy(stored: StoredDocument | null, hash: string | null, now: number): readonly Put[] {
  const known = stored ? parseRegistration(stored.value) : null;
  if (!known?.ok || known.value.hash === hash || definitionFault(known.value.definition) !== null) return [];
  const { toolset, definition } = known.value;
  const value: ReplacedDefinition = { toolset, definition, hash: known.value.hash, replacedAt: now };
  return [{ key: keys.replacedDefinition(toolset, value.hash), value, expiresAt: now + REPLACED_KEPT_MS }];
}

function holds(stored: StoredDocument | null, hash: string, { receiptKey, scalesToZero }: Said): stored is StoredDocument {
  const known = stored ? parseRegistration(stored.value) : null;
  if (!known?.ok || known.value.hash !== hash) return false;
  return known.value.receiptKey?.kid === receiptKey?.kid && (known.value.scalesToZero ?? false) === scalesToZero;
}

function withSign({ unavailable, leftAt: _, example: __, ...rest }: Registration, sign: SignOfLife): Registration {
  const reason = reasonOf(sign);
  return {
    ...rest,
    lastSeenAt: sign.now,
    ...(sign.example === undefined ? {} : { example: sign.example }),
    ...(reason === undefined ? {} : { unavailable: { since: unavailable?.since ?? sign.now, reason } }),
  };
}

function reasonOf({ unavailable }: SignOfLife): string | undefined {
  return unavailable === null ? undefined : cleanText(unavailable, 300);
}
