import type { Principal } from "@toolbus/runtime";
import type { Prng } from "../clockwork/prng.ts";
import type { Observe } from "../ports/observation.ts";
import type { Wire } from "../ports/wire.ts";
import type { Served } from "./http-door.ts";

/** The person who asks for runs. This person may also decide, but never about their own request. */
export const REQUESTER: Principal = {
  id: "rita",
  tenant: "acme",
  roles: ["user", "approver"],
  scopes: ["approve:*"],
  keyId: "key of rita",
};

/** Returns the person with this name. Everybody except the requester is only an approver. */
export function principalOf(id: string): Principal {
  if (id === REQUESTER.id) return REQUESTER;
  return { id, tenant: "acme", roles: ["approver"], scopes: ["approve:*"], keyId: `key of ${id}` };
}

/** The habits of people. Each is a probability, except for the last. */
export interface Habits {
  /** Somebody cancels an active run. */
  readonly cancels: number;
  /** Nobody decides an approval or answers a question. */
  readonly ignores: number;
  readonly denies: number;
  readonly revises: number;
  /** Somebody approves a write with arguments other than those that the model asked for. */
  readonly edits: number;
  /** Two people decide at once, and differently. */
  readonly races: number;
  /** Somebody answers an approval together with others, in one request. */
  readonly batches: number;
  /** Somebody tries what is not allowed: to decide twice, with another person's token, about their own request, or too late. */
  readonly cheats: number;
  /** Somebody watches a run from its beginning to its end. */
  readonly watches: number;
  /** A viewer disconnects before the connection ends, and reconnects. */
  readonly hangsUp: number;
  /** The longest time that people take, in milliseconds. */
  readonly thinkMs: number;
}

export interface PeopleOptions {
  readonly wire: Wire;
  readonly observe: Observe;
  readonly random: Prng;
  readonly gateways: () => readonly Served[];
  readonly approvals: () => readonly Served[];
  readonly habits: Habits;
}

/** The request of one person: a single run, or a conversation of several messages. */
export interface Request {
  readonly name: string;
  /** The number of messages. 0 means an investigation without a conversation. */
  readonly messages: number;
  /** Whether every message interrupts the active run. Otherwise each message follows the habits. */
  readonly interrupts?: boolean;
}
