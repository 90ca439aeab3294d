import type { Clockwork } from "../clockwork/clockwork.ts";
import type { Prng } from "../clockwork/prng.ts";
import type { SimProcess } from "../clockwork/sim-process.ts";
import type { Faults } from "./faults.ts";

/** The connection between a process and everything outside it: time that passes, and faults. */
export interface Wire {
  readonly clockwork: Clockwork;
  readonly faults: Faults;
  readonly random: Prng;
  /** The shortest and longest duration of one way, in milliseconds. */
  readonly latencyMs: { readonly least: number; readonly most: number };
  /** A line for the history. The labels of events are there anyway. */
  readonly note: (text: string) => void;
}

export interface PortCall<T> {
  /** Names both events in the history: `commit turn:…`. */
  readonly label: string;
  /** What the other side does, at one moment of virtual time. */
  readonly execute: () => Promise<T>;
  /** What the caller gets if no answer comes. */
  readonly unanswered: () => Error;
  /** How long it waits for an answer, in milliseconds. */
  readonly timeoutMs: number;
  /** How much longer than others this request takes. */
  readonly delayMs?: number;
  /** False if a second execution differs from the first: then no fault repeats it. */
  readonly repeatable?: boolean;
}

/**
 * One call of a port: the request is executed at some time, the reply arrives later, and anything may happen between the two. Either can be lost,
 * and a request can be executed twice. A caller that was killed gets nothing.
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
  // Like a client that repeats an unanswered request: its caller never learns that there were two.
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
