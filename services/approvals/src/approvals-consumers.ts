import { consumeQueue } from "@toolbus/bus";
import { ApprovalCancel, ApprovalPlanned, ApprovalRequest, ApprovalRollback, messageTypes, parser, topics } from "@toolbus/contracts";
import { type Infrastructure, startTimerLoop } from "@toolbus/runtime";
import type { StateStore, TimerRow } from "@toolbus/state";
import type { handleRollbacks } from "./eras/rollbacks.ts";
import type { Plans } from "./requests/plans.ts";
import type { Requests } from "./requests/requests.ts";
import { APPROVALS_SERVICE, type ApprovalsConfig } from "./settings.ts";

/** The functions that handle the messages and timers of approvals. */
export interface ConsumersOptions {
  readonly infrastructure: Pick<Infrastructure, "bus" | "log" | "clock">;
  readonly config: ApprovalsConfig;
  readonly state: StateStore;
  readonly requests: Requests;
  readonly plans: Plans;
  readonly rollbacks: ReturnType<typeof handleRollbacks>;
  /** Ends an approval whose time is over. */
  readonly onExpiry: (timer: TimerRow) => Promise<void>;
  /** Handles a due timer of a delivery. Resolves to false for any other timer. */
  readonly onDelivery: (timer: TimerRow) => Promise<boolean>;
  /** Returns a random number from 0 to 1. */
  readonly fraction: () => number;
}

/** Consumes the queues and timers of approvals. Everything that it starts is added to `open`, which stops it. */
export async function startConsumers(
  open: AsyncDisposableStack,
  { infrastructure: { bus, log, clock }, config, state, requests, plans, rollbacks, onExpiry, onDelivery, fraction }: ConsumersOptions,
): Promise<void> {
  const timers = startTimerLoop({
    state,
    service: APPROVALS_SERVICE,
    handle: async (timer) => void ((await onDelivery(timer)) || (await plans.onTimer(timer)) || (await onExpiry(timer))),
    log,
    clock,
    ...TIMERS,
    pollMs: config.POLL_MS,
    random: fraction,
  });
  open.defer(() => timers.stop());
  const queue = {
    concurrency: CONCURRENCY,
    deadlineMs: DEADLINE_MS,
    lettersPerMinute: config.DEAD_LETTERS_PER_MINUTE,
    log,
    clock,
  } as const;
  const asked = await consumeQueue(bus, {
    ...queue,
    topic: topics.approvalRequest,
    types: [messageTypes.approvalRequest],
    parse: parser(ApprovalRequest),
    handler: requests.request,
  });
  open.defer(() => asked.stop());
  const cancelled = await consumeQueue(bus, {
    ...queue,
    topic: topics.approvalCancel,
    types: [messageTypes.approvalCancel],
    parse: parser(ApprovalCancel),
    handler: requests.cancel,
  });
  open.defer(() => cancelled.stop());
  const planned = await consumeQueue(bus, {
    ...queue,
    topic: topics.approvalPlanned,
    types: [messageTypes.approvalPlanned],
    parse: parser(ApprovalPlanned),
    handler: plans.arrived,
  });
  open.defer(() => planned.stop());
  const rolledBack = await consumeQueue(bus, {
    ...queue,
    topic: topics.approvalRollback,
    types: [messageTypes.approvalRollback],
    parse: parser(ApprovalRollback),
    // A store that loses writes may be unavailable for a long time.
    backoffMs: ROLLBACK_BACKOFF_MS,
    handler: rollbacks,
  });
  open.defer(() => rolledBack.stop());
}

const CONCURRENCY = 16;
const DEADLINE_MS = 10_000;
const ROLLBACK_BACKOFF_MS = [1000, 5000, 30_000, 60_000, 300_000] as const;
const TIMERS = { visibleMs: 10_000 } as const;
