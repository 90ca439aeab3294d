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
  /** Verifies approvals' signatures. */
  readonly trusted: TrustedKeys;
  /** Wall clock in milliseconds, for message times. */
  readonly clock: () => number;
  /** How long a dead letter is kept. */
  readonly keptMs: number;
  /** How many unusable requests per minute become dead letters. */
  readonly lettersPerMinute?: number;
  /** How often it checks for queues that nobody announced; 30 s by default. */
  readonly lookEveryMs?: number;
  /** How often expired dead letters are removed from their lists; an hour by default. */
  readonly forgetEveryMs?: number;
  /** How often it checks for registrations to remove; 2 s by default. */
  readonly removeEveryMs?: number;
}

/**
 * The worker of `operations`: keeps every dead letter for operators, replays those that they choose, and removes registrations. It has no tools. Any number
 * may run in parallel. Resolves when dead letters of the currently known queues are kept.
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
