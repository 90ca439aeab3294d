import type { Arena, Attacker } from "./arena.ts";
import type { Broker, Mode } from "./system.ts";

/** What must stop an attack. Any other outcome is a failure of the trial. */
export type Expected =
  /** Redis or the broker refuses the request, with its own message. */
  | { readonly by: "server" }
  /** A service refuses the attack and records this. `event` is the kind of the security event in the store. `log` matches the service's log line. */
  | { readonly by: "service"; readonly event: string; readonly log: RegExp }
  /** A service refuses the attack, but stores no security event. `log` matches the service's log line. */
  | { readonly by: "service"; readonly log: RegExp }
  /** A service answers a request with this HTTP status, because the caller lacks the right or the state does not allow the request. */
  | { readonly by: "service"; readonly status: number }
  /** The MCP server of the gateway answers with this code: an error of the protocol, an error of Toolbus, or the status of a call. */
  | { readonly by: "service"; readonly code: string }
  /** The services do what they always do with such a message, and nothing else comes of it. The attack's own code has checked this. */
  | { readonly by: "service"; readonly effect: "none" }
  /** Nothing stops the attack. It is one of the numbered residual risks of docs/approvals.md or docs/permissions.md. */
  | { readonly by: "residual"; readonly number: string };

/** The outcome of an attack that no server refused. */
export type Outcome =
  /** The attack did not reach its aim. The attack's own code has checked this. */
  | {
      readonly reached: false;
      readonly detail: string;
      readonly status?: number;
      readonly code?: string;
      /** A text that the security event and the log line must contain. It is the call's id if the attack concerns a call. */
      readonly about?: string;
    }
  /** The attack reached its aim, under this residual risk. */
  | { readonly reached: true; readonly detail: string; readonly residual?: string };

export interface Attack {
  /** Describes the attempt so that the report needs no other explanation. */
  readonly name: string;
  readonly attacker: Attacker;
  readonly expected: Readonly<Record<Mode, Expected>>;
  /** The only broker on which this attack is possible. If absent, the attack is possible on both. */
  readonly broker?: Broker;
  /** Makes the attempt. Throws `RefusedByServer` if a server refuses it. Afterwards the attack repairs what it has changed for others. */
  run(arena: Arena): Promise<Outcome>;
}

export const server: Expected = { by: "server" };

export function service(event: string, log: RegExp): Expected {
  return { by: "service", event, log };
}

/** Expects that a service drops the message and writes this log line. */
export function dropped(log: RegExp): Expected {
  return { by: "service", log };
}

export function answered(status: number): Expected {
  return { by: "service", status };
}

/** Expects that the MCP server of the gateway answers with this code. */
export function coded(code: string): Expected {
  return { by: "service", code };
}

/** Expects that a service takes the message, and that nothing comes of it. */
export const harmless: Expected = { by: "service", effect: "none" };

export function residual(number: string): Expected {
  return { by: "residual", number };
}

/** Expects the same in both modes. */
export function both(expected: Expected): Attack["expected"] {
  return { own: expected, shared: expected };
}

/** The server must refuse a service's own login. If all services share one login, the expectation is `shared`. */
export function serverOr(shared: Expected): Attack["expected"] {
  return { own: server, shared };
}

/** Returns the outcome of an attack that did not reach its aim. The event and the log line must contain `about`. */
export function held(detail: string, about?: string): Outcome {
  return { reached: false, detail, ...(about === undefined ? {} : { about }) };
}

/** Returns the outcome of an attack that an HTTP answer refused. */
export function refusedWith(status: number, detail: string): Outcome {
  return { reached: false, detail, status };
}

/** Returns the outcome of an attack that the MCP server of the gateway answered. */
export function saidOverMcp(code: string, detail: string): Outcome {
  return { reached: false, detail, code };
}

export function reached(detail: string, number?: string): Outcome {
  return { reached: true, detail, ...(number === undefined ? {} : { residual: number }) };
}
