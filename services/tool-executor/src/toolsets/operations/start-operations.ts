import type { MessageBus } from "@toolbus/bus";
import type { TrustedKeys } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { consumeDeadQueues } from "./dead-queues.ts";
import { forgetLetters } from "./forget-letters.ts";
import { keepDelivery } from "./keep-letter.ts";
import { removeRegistrations } from "./remove-registrations.ts";
import { consumeReplays } from "./replay-letter.ts";

export interface OperationsOptions {
  readonly bus: MessageBus;
  readonly state: StateStore;
  readonly log: Log;
  /** The keys that verify the signatures of approvals. */
  readonly trusted: TrustedKeys;
  /** Returns the wall-clock time in milliseconds, for the times of messages. */
  readonly clock: () => number;
  /** The time for which a dead letter is kept, in milliseconds. */
  readonly keptMs: number;
  /** The number of unusable requests that become dead letters in a minute. */
  readonly lettersPerMinute?: number;
  /** The time between two checks for queues that nobody announced. The default is 30 s. */
  readonly lookEveryMs?: number;
  /** The time between two removals of expired dead letters from their lists. The default is an hour. */
  readonly forgetEveryMs?: number;
  /** The time between two checks for registrations to remove. The default is 2 s. */
  readonly removeEveryMs?: number;
}

/**
 * Starts a worker of `operations`. The worker keeps every dead letter for operators, replays those that they choose, and removes registrations. It
 * has no tools. Any number of workers may run in parallel. Resolves when the dead letters of the currently known queues are consumed.
 */
export async function startOperations(options: OperationsOptions): Promise<{ stop(): Promise<void> }> {
  const {
    bus,
    state,
    log,
    trusted,
    clock,
    keptMs,
    lettersPerMinute,
    lookEveryMs = 30_000,
    forgetEveryMs = 3_600_000,
    removeEveryMs = 2000,
  } = options;
  const parts: { stop(): Promise<void> }[] = [];
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopping ??= stopAll(parts));
  try {
    const handle = keepDelivery.bind(null, { state, log, keptMs });
    parts.push(await consumeDeadQueues({ bus, state, log, everyMs: lookEveryMs, handle }));
    parts.push(await consumeReplays({ bus, state, log, clock, lettersPerMinute }));
    parts.push(removeRegistrations({ state, log, trusted, everyMs: removeEveryMs }));
    parts.push(forgetLetters({ state, log, everyMs: forgetEveryMs }));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function stopAll(parts: readonly { stop(): Promise<void> }[]): Promise<void> {
  for (const part of parts.toReversed()) await part.stop();
}
