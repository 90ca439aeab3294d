import type { Arena, Attacker } from "./arena.ts";
import type { Broker, Mode } from "./system.ts";

/** What ends an attack. Anything but the expected is a failure. */
export type Expected =
  /** Redis or the broker, in its own words. */
  | { readonly by: "server" }
  /** A service, which records it: the kind of the security event in the store, and words of the line that it logs. */
  | { readonly by: "service"; readonly event: string; readonly log: RegExp }
  /** A service that has nothing to record, because what came is none of its own: words of the line that it logs. */
  | { readonly by: "service"; readonly log: RegExp }
  /** A service, by what it answers over HTTP to whoever asks without a right. */
  | { readonly by: "service"; readonly status: number }
  /** Nobody: one of the numbered residuals of docs/approvals.md or docs/permissions.md. */
  | { readonly by: "residual"; readonly number: string };

/** What became of an attack that no server refused. */
export type Outcome =
  /** Its aim was not reached, as the attack itself has looked. */
  | {
      readonly reached: false;
      readonly detail: string;
      readonly status?: number;
      /** What the event and the line have to name: the call, if it concerns one. */
      readonly about?: string;
    }
  /** It was, under this residual. */
  | { readonly reached: true; readonly detail: string; readonly residual?: string };

export interface Attack {
  /** Says what is tried, so that the report is readable on its own. */
  readonly name: string;
  readonly attacker: Attacker;
  readonly expected: Readonly<Record<Mode, Expected>>;
  /** The one broker on which there is such a thing; absent: both. */
  readonly broker?: Broker;
  /** Tries it. A server's refusal is thrown as `RefusedByServer`; the attack repairs whatever it changed for others. */
  run(arena: Arena): Promise<Outcome>;
}

export const server: Expected = { by: "server" };

export function service(event: string, log: RegExp): Expected {
  return { by: "service", event, log };
}

/** Of what is dropped with a line in the log. */
export function dropped(log: RegExp): Expected {
  return { by: "service", log };
}

export function answered(status: number): Expected {
  return { by: "service", status };
}

export function residual(number: string): Expected {
  return { by: "residual", number };
}

/** The same in both modes. */
export function both(expected: Expected): Attack["expected"] {
  return { own: expected, shared: expected };
}

/** What a server refuses to a service's own login, and a service does if all share one login. */
export function serverOr(shared: Expected): Attack["expected"] {
  return { own: server, shared };
}

/** Its aim was not reached; `about` is what the event and the line have to name. */
export function held(detail: string, about?: string): Outcome {
  return { reached: false, detail, ...(about === undefined ? {} : { about }) };
}

/** The same, as HTTP answered it. */
export function refusedWith(status: number, detail: string): Outcome {
  return { reached: false, detail, status };
}

export function reached(detail: string, number?: string): Outcome {
  return { reached: true, detail, ...(number === undefined ? {} : { residual: number }) };
}
