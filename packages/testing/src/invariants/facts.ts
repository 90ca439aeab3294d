import {
  attributes,
  type Call,
  type GrantClaims,
  type Json,
  type JsonObject,
  type Message,
  messageTypes,
  type Plan,
} from "@toolbus/contracts";
import type { Observation } from "../ports/observation.ts";

/** A document that a commit wrote, with its former value. */
export interface Changed<T = Json> {
  readonly key: string;
  /** The former value. It is undefined if the document did not exist. */
  readonly before: T | undefined;
  /** The new value. It is undefined if the document was removed. */
  readonly after: T | undefined;
}

export interface OutboxFact {
  readonly id: string;
  readonly topic: string;
  readonly message: Json;
}

/** An effect at the target. */
export interface Effect {
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  readonly arguments: Json;
}

/** What the target said that a write would change. */
export interface PlannedFact {
  readonly at: number;
  readonly plan: Plan;
}

/** Everything that is known about a world from its observations: documents, logs, rows, effects. */
export interface Facts {
  /** How many people a write needs at least by the policy of this world, whatever its tier. */
  readonly leastApprovers: number;
  readonly documents: ReadonlyMap<string, Json>;
  readonly logs: ReadonlyMap<string, readonly Json[]>;
  /** The ids of timers, by service. */
  readonly timers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Outbox rows, by service and id. */
  readonly outbox: ReadonlyMap<string, ReadonlyMap<string, OutboxFact>>;
  /** The effects of each call. */
  readonly effects: ReadonlyMap<string, readonly Effect[]>;
  /** What the target said that each call would change, in this order. */
  readonly planned: ReadonlyMap<string, readonly PlannedFact[]>;
  /** The arguments that the model asked for, by call, as canonical texts. */
  readonly asked: ReadonlyMap<string, string>;
  /** The arguments that people sent instead, by approval, as canonical texts. Defaults may be missing. */
  readonly edits: ReadonlyMap<string, readonly JsonObject[]>;
  /** The hashes of the arguments in the grants that were published, by call. */
  readonly granted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly accepted: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
  /** The watched runs, each with the number of events that its viewer received. */
  readonly reported: ReadonlyMap<string, number>;
  /** How often the model has answered, by run. */
  readonly answers: ReadonlyMap<string, number>;
}

export interface KeptFacts extends Facts {
  /** Adds one observation, and returns the documents that it changed. */
  take(observation: Observation): readonly Changed[];
}

export function keptFacts(leastApprovers = 0): KeptFacts {
  const documents = new Map<string, Json>();
  const logs = new Map<string, Json[]>();
  const timers = new Map<string, Set<string>>();
  const outbox = new Map<string, Map<string, OutboxFact>>();
  const effects = new Map<string, Effect[]>();
  const planned = new Map<string, PlannedFact[]>();
  const asked = new Map<string, string>();
  const edits = new Map<string, JsonObject[]>();
  const granted = new Map<string, Set<string>>();
  const accepted = new Set<string>();
  const messages = new Set<string>();
  const reported = new Map<string, number>();
  const answers = new Map<string, number>();
  const collections = { documents, logs, timers, outbox, effects, planned, asked, edits, granted, accepted, messages, reported, answers };
  return { leastApprovers, ...collections, take };

  function take(observation: Observation): readonly Changed[] {
    switch (observation.kind) {
      case "commit":
        return commit(observation);
      case "settle":
        for (const { id } of observation.rows) outbox.get(observation.service)?.delete(id);
        return [];
      case "effect":
        entry(effects, observation.callId, () => []).push(observation);
        return [];
      case "planned":
        entry(planned, observation.callId, () => []).push(observation);
        return [];
      case "accepted":
        accepted.add(observation.runId);
        return [];
      case "message":
        messages.add(observation.id);
        noteGrant(observation.message);
        return [];
      case "edits":
        entry(edits, observation.approvalId, () => []).push(observation.arguments);
        return [];
      case "watches":
        reported.set(observation.runId, 0);
        return [];
      case "told":
        reported.set(observation.runId, (reported.get(observation.runId) ?? 0) + 1);
        return [];
      case "model":
        if (observation.what === "answered") answers.set(observation.runId, (answers.get(observation.runId) ?? 0) + 1);
        return [];
      case "void":
      case "decided":
      case "sends":
      case "batch":
      case "crash":
      case "fault":
        return [];
    }
  }

  function noteGrant({ attributes: { [attributes.grant]: grant }, type, correlationId: callId }: Message): void {
    const argsHash = type === messageTypes.approvalDecided && grant !== undefined ? claimsOf(grant)?.argsHash : undefined;
    if (argsHash !== undefined && callId !== undefined) entry(granted, callId, () => new Set()).add(argsHash);
  }

  function commit({ change }: Extract<Observation, { kind: "commit" }>): readonly Changed[] {
    const changed: Changed[] = [];
    for (const { key, value } of change.put ?? []) {
      changed.push({ key, before: documents.get(key), after: value });
      if (!documents.has(key) && familyOf(key) === "call") {
        const { callId, arguments: args } = value as unknown as Call;
        asked.set(callId, args);
      }
      documents.set(key, value);
    }
    for (const key of change.remove ?? []) {
      changed.push({ key, before: documents.get(key), after: undefined });
      documents.delete(key);
    }
    for (const { log, entries } of change.append ?? []) entry(logs, log, () => []).push(...entries);
    for (const { service, id, dueIn } of change.timers ?? []) {
      if (dueIn === null) timers.get(service)?.delete(id);
      else entry(timers, service, () => new Set()).add(id);
    }
    for (const { service, id, topic, message } of change.outbox ?? [])
      entry(outbox, service, () => new Map()).set(id, { id, topic, message });
    return changed;
  }
}

/** Returns the claims of a grant as any party can read them, or null if the text is no grant. */
export function claimsOf(token: string): GrantClaims | null {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as GrantClaims;
  } catch {
    return null;
  }
}

/** Returns the family in a key `tb:<family>:{<shard>}:<id>`. */
export function familyOf(key: string): string {
  const family = key.slice(3, key.indexOf(":", 3));
  // A toolset stores turns and crash marks beside its rows, with the same rights.
  return family.startsWith("ledger.") && BESIDE_ROWS.test(key) ? "beside-ledger" : family;
}

const BESIDE_ROWS = /:(?:crash|resource)\.[^:]*$/;

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
