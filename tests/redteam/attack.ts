import type { Arena, Attacker } from "./arena.ts";
import type { Broker, Mode } from "./system.ts";

/** What stops an attack. Anything but the expected is a failure. */
export type Expected =
  /** Redis or the broker, in its own words. */
  | { readonly by: "server" }
  /** A service, which records it: the kind of the security event in the store, and words of its log line. */
  | { readonly by: "service"; readonly event: string; readonly log: RegExp }
  /** A service that has nothing to record, because the message is not for it: words of its log line. */
  | { readonly by: "service"; readonly log: RegExp }
  /** A service, by its HTTP answer to a caller without the right. */
  | { readonly by: "service"; readonly status: number }
  /** Nobody: one of the numbered residuals of docs/approvals.md or docs/permissions.md. */
  | { readonly by: "residual"; readonly number: string };

/** The outcome of an attack that no server refused. */
export type Outcome =
  /** It did not reach its aim, as the attack itself has checked. */
  | {
      readonly reached: false;
      readonly detail: string;
      readonly status?: number;
      /** What the event and the line must name: the call, if it concerns one. */
      readonly about?: string;
    }
  /** It reached its aim, under this residual risk. */
  | { readonly reached: true; readonly detail: string; readonly residual?: string };

export interface Attack {
  /** Says what is tried, so that the report can be read by itself. */
  readonly name: string;
  readonly attacker: Attacker;
  readonly expected: Readonly<Record<Mode, Expected>>;
  /** The only broker on which this attack exists; absent: both. */
  readonly broker?: Broker;
  /** Tries it. A server's refusal is thrown as `RefusedByServer`. The attack repairs whatever it changed for others. */
  run(arena: Arena): Promise<Outcome>;
}

export const server: Expected = { by: "server" };

export function service(event: string, log: RegExp): Expected {
  return { by: "service", event, log };
}

/** For a message that is dropped with a line in the log. */
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

/** What a server refuses to a service's own login, and a service refuses if all share one login. */
export function serverOr(shared: Expected): Attack["expected"] {
  return { own: server, shared };
}

/** It did not reach its aim. `about` is what the event and the line must name. */
export function held(detail: string, about?: string): Outcome {
  return { reached: false, detail, ...(about === undefined ? {} : { about }) };
}

/** The same, from an HTTP answer. */
export function refusedWith(status: number, detail: string): Outcome {
  return { reached: false, detail, status };
}

export function reached(detail: string, number?: string): Outcome {
  return { reached: true, detail, ...(number === undefined ? {} : { residual: number }) };
}
