import type { Clockwork } from "../clockwork/clockwork.ts";
import type { Prng } from "../clockwork/prng.ts";
import type { SimProcess } from "../clockwork/sim-process.ts";
import type { Faults } from "./faults.ts";

/** The connection between a process and everything outside it, with its delays and faults. */
export interface Wire {
  readonly clockwork: Clockwork;
  readonly faults: Faults;
  readonly random: Prng;
  /** The shortest and longest duration of one way, in milliseconds. */
  readonly latencyMs: { readonly least: number; readonly most: number };
  /** Adds a line to the history. The history also has the label of every event. */
  readonly note: (text: string) => void;
}

export interface PortCall<T> {
  /** Names the request and the reply in the history: `commit turn:…`. */
  readonly label: string;
  /** The work of the receiver, at one moment of virtual time. */
  readonly execute: () => Promise<T>;
  /** Makes the error that the caller receives if no answer arrives. */
  readonly unanswered: () => Error;
  /** How long the caller waits for an answer, in milliseconds. */
  readonly timeoutMs: number;
  /** How much longer than usual this request takes, in milliseconds. */
  readonly delayMs?: number;
  /** Whether a fault may repeat the request. It must be false if a second execution would differ from the first. */
  readonly repeatable?: boolean;
}

/**
 * Sends one request through a port. The receiver executes the request after some time, the reply arrives later, and anything may happen in between.
 * Either the request or the reply can be lost, and the receiver may execute a request twice. A killed caller receives nothing.
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
  // The repeat acts like a client that repeats an unanswered request. The caller never learns that there were two requests.
  if (repeatable && faults.hit("executed_twice"))
    clockwork.schedule(
      null,
      oneWay(wire) + delayMs + wire.random.between(0, 100),
      `${label} > again`,
      () => void execute().catch(() => undefined),
    );
  return promise;
}

/** Returns the duration of one way, in milliseconds. */
export function oneWay({ random, latencyMs }: Pick<Wire, "random" | "latencyMs">): number {
  return random.magnitude(latencyMs.least, latencyMs.most);
}
