import type { Clockwork } from "../clockwork/clockwork.ts";
import type { Prng } from "../clockwork/prng.ts";
import type { SimProcess } from "../clockwork/sim-process.ts";
import type { Faults } from "./faults.ts";

/** What lies between a process and everything outside it: time that passes, and what goes wrong on the way. */
export interface Wire {
  readonly clockwork: Clockwork;
  readonly faults: Faults;
  readonly random: Prng;
  /** How long one way takes, at least and at most, in milliseconds. */
  readonly latencyMs: { readonly least: number; readonly most: number };
  /** A line for the history; labels of events are there anyway. */
  readonly note: (text: string) => void;
}

export interface PortCall<T> {
  /** Names both events in the history: `commit turn:…`. */
  readonly label: string;
  /** What the other side does, at one moment of virtual time. */
  readonly execute: () => Promise<T>;
  /** What the caller gets when no answer comes. */
  readonly unanswered: () => Error;
  /** How long it waits for one, in milliseconds. */
  readonly timeoutMs: number;
  /** How much longer than others this one takes. */
  readonly delayMs?: number;
  /** False where a second execution is something else than the first: then no fault makes one. */
  readonly repeatable?: boolean;
}

/**
 * One call of a port: the request is executed at some time, the reply arrives at some later time, and between the two anything may happen. Either can be
 * lost, and a request can be executed twice; a caller that was killed gets nothing.
 */
export function portCall<T>(wire: Wire, process: SimProcess, call: PortCall<T>): Promise<T> {
  const { clockwork, faults } = wire;
  const { label, execute, unanswered, timeoutMs, delayMs = 0, repeatable = true } = call;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giveUp = (): void => {
    process.after(timeoutMs, `${label} unanswered`, () => reject(unanswered()));
  };
  if (faults.hit("lost_request")) {
    giveUp();
    return promise;
  }
  const lost = faults.hit("lost_reply");
  clockwork.schedule(null, oneWay(wire) + delayMs, `${label} >`, () => {
    execute().then(
      (value) => (lost ? giveUp() : process.after(oneWay(wire), `${label} <`, () => resolve(value))),
      (error: unknown) =>
        process.after(oneWay(wire), `${label} refused`, () => reject(error instanceof Error ? error : new Error(String(error)))),
    );
  });
  // As a client does that sends again what it did not hear of: its caller never learns that there were two.
  if (repeatable && faults.hit("executed_twice"))
    clockwork.schedule(
      null,
      oneWay(wire) + delayMs + wire.random.between(0, 100),
      `${label} > again`,
      () => void execute().catch(() => undefined),
    );
  return promise;
}

/** One way from here to there. */
export function oneWay({ random, latencyMs }: Pick<Wire, "random" | "latencyMs">): number {
  return random.magnitude(latencyMs.least, latencyMs.most);
}
