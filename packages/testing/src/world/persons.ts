import type { Principal } from "@toolbus/runtime";
import type { Prng } from "../clockwork/prng.ts";
import type { Observe } from "../ports/observation.ts";
import type { Wire } from "../ports/wire.ts";
import type { Served } from "./http-door.ts";

/** Who asks for runs. May decide as well, but never about a request of her own. */
export const REQUESTER: Principal = {
  id: "rita",
  tenant: "acme",
  roles: ["user", "approver"],
  scopes: ["approve:*"],
  keyId: "key of rita",
};

/** What people do; each is a probability, except for the last. */
export interface Habits {
  /** That a run is cancelled while it goes on. */
  readonly cancels: number;
  /** That an approval gets no decision at all, and a question no answer. */
  readonly ignores: number;
  readonly denies: number;
  readonly revises: number;
  /** That two people decide at once, and differently. */
  readonly races: number;
  /** That somebody tries what is not allowed: twice, with another's token, about an own request, too late. */
  readonly cheats: number;
  /** That somebody watches a run from its beginning to its end. */
  readonly watches: number;
  /** That whoever watches hangs up before the connection ends by itself, and comes back. */
  readonly hangsUp: number;
  /** How long people take, at most, in milliseconds. */
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

/** What one person wants: a single run, or a conversation of so many messages. */
export interface Request {
  readonly name: string;
  /** How many messages; 0 is an investigation by itself. */
  readonly messages: number;
  /** Every message interrupts what is active; otherwise each does what comes to mind. */
  readonly interrupts?: boolean;
}
