import type { Principal } from "@toolbus/runtime";
import type { Prng } from "../clockwork/prng.ts";
import type { Observe } from "../ports/observation.ts";
import type { Wire } from "../ports/wire.ts";
import type { Served } from "./http-door.ts";

/** The person who asks for runs. May also decide, but never about their own request. */
export const REQUESTER: Principal = {
  id: "rita",
  tenant: "acme",
  roles: ["user", "approver"],
  scopes: ["approve:*"],
  keyId: "key of rita",
};

/** The habits of people. Each is a probability, except for the last. */
export interface Habits {
  /** Somebody cancels a run while it is under way. */
  readonly cancels: number;
  /** An approval gets no decision at all, and a question no answer. */
  readonly ignores: number;
  readonly denies: number;
  readonly revises: number;
  /** Two people decide at once, and differently. */
  readonly races: number;
  /** Somebody tries what is not allowed: twice, with another's token, about their own request, too late. */
  readonly cheats: number;
  /** Somebody watches a run from its beginning to its end. */
  readonly watches: number;
  /** A viewer disconnects before the connection ends by itself, and reconnects. */
  readonly hangsUp: number;
  /** How long people take at most, in milliseconds. */
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

/** The request of one person: a single run, or a conversation of so many messages. */
export interface Request {
  readonly name: string;
  /** How many messages; 0 is an investigation by itself. */
  readonly messages: number;
  /** Every message interrupts the active run; otherwise each follows the habits. */
  readonly interrupts?: boolean;
}
