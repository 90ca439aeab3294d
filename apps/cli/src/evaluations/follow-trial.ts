import { isRunEnd, type NumberedRunEvent, type RunView } from "@toolbus/contracts";
import { type Observation, observationOf, type Scenario } from "@toolbus/evals";
import { readRun } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import { type StreamItem, watchRun } from "../runs/watch-run.ts";

export interface FollowTrial {
  readonly gateway: Client;
  readonly newId: () => string;
  /** Called for each run as soon as its id is known. `rounds` counts those of the earlier runs of the scenario. */
  readonly onRun?: (runId: string, rounds: number) => void;
  /**
   * Decides about a write that waits for people, and returns whether it did. A run that waits only for what nobody decides is cancelled. Without this
   * function, whoever else may decide does, and the run waits until its time is over.
   */
  readonly decide?: (held: Held) => Promise<boolean>;
}

export type Held = Extract<NumberedRunEvent, { type: "call.held" }>;

/**
 * Sends the input of a scenario, follows its runs over HTTP and returns what the last one did. If the signal aborts, it cancels the run that is under way
 * and rejects with the signal's reason.
 */
export async function followTrial(
  scenario: Pick<Scenario, "input" | "profile">,
  options: FollowTrial,
  signal: AbortSignal,
): Promise<Observation> {
  let run: RunView | null = null;
  let observation: Observation | null = null;
  let rounds = 0;
  for (const [path, body] of requestsOf(scenario)) {
    const to = path.replace(CONVERSATION, run?.conversationId ?? "");
    run = readRun(await untilAborted(options.gateway.post(to, body, { "idempotency-key": options.newId() }), signal));
    options.onRun?.(run.runId, rounds);
    observation = await followed(run, options, signal);
    rounds += observation.rounds.length;
  }
  if (!observation) throw new Error("The scenario has no message.");
  return observation;
}

const CONVERSATION = "{conversation}";

function requestsOf({ input, profile }: Pick<Scenario, "input" | "profile">): readonly (readonly [path: string, body: object])[] {
  if (input.kind === "messages") {
    const named = profile === null ? {} : { profile };
    return input.messages.map((content, n) =>
      n === 0 ? ["/v1/messages", { content, ...named }] : [`/v1/conversations/${CONVERSATION}/messages`, { content }],
    );
  }
  const about =
    input.kind === "release"
      ? { releaseId: input.release, changes: input.changes, measurements: input.measurements }
      : { alert: input.alert };
  return [["/v1/investigations", { ...about, ...(input.note === undefined ? {} : { note: input.note }) }]];
}

async function followed({ runId }: RunView, { gateway, decide }: FollowTrial, signal: AbortSignal): Promise<Observation> {
  const events: NumberedRunEvent[] = [];
  const failing = new AbortController();
  const until = AbortSignal.any([signal, failing.signal]);
  const leftOpen = new Set<string>();
  let reacting: Promise<void> = Promise.resolve();
  try {
    await watchRun(gateway, runId, {
      signal: until,
      onItem(item) {
        if (!isDurable(item)) return;
        events.push(item);
        if (decide && MAY_STAND_STILL.has(item.type))
          reacting = reacting.then(() => react(item, decide)).catch((error: unknown) => failing.abort(error));
      },
    });
    await untilAborted(reacting, until);
    const { createdAt, activeMs = 0 } = readRun(await gateway.get(`/v1/runs/${runId}`));
    const observation = observationOf(runId, events, { createdAt, activeMs });
    if (!observation) throw new Error(`The stream of the run ${runId} ended before the run.`);
    return observation;
  } catch (error) {
    // What the run does from now on is of no use to anybody.
    await cancel().catch(() => undefined);
    throw error;
  }

  async function react(event: NumberedRunEvent, decides: NonNullable<FollowTrial["decide"]>): Promise<void> {
    if (event.type === "call.held" && !(await decides(event))) leftOpen.add(event.callId);
    if (events.some(isRunEnd) || !isUpToNobody(readRun(await gateway.get(`/v1/runs/${runId}`)), leftOpen)) return;
    await cancel();
  }

  async function cancel(): Promise<void> {
    await gateway.post(`/v1/runs/${runId}/cancel`, {}).catch((error: unknown) => {
      // The run has ended in the meantime.
      if (!(error instanceof Answered && error.status === 409)) throw error;
    });
  }
}

/** The events after which a run may wait only for people. */
const MAY_STAND_STILL: ReadonlySet<string> = new Set(["call.held", "call.asked", "question.asked", "call.decided", "call.resolved"]);

/**
 * Returns whether a run waits only for decisions and answers that nobody gives. `leftOpen` are the calls about which nobody decides. The run may
 * already wait for an approval whose event has not arrived. Such an approval may still be decided.
 */
function isUpToNobody({ waits = [] }: RunView, leftOpen: ReadonlySet<string>): boolean {
  const isOpen = ({ kind, callId = "" }: (typeof waits)[number]): boolean =>
    (kind === "approval" && leftOpen.has(callId)) || kind === "answer";
  return waits.some(isOpen) && waits.every((wait) => isOpen(wait) || wait.kind === "calls");
}

function isDurable(item: StreamItem): item is NumberedRunEvent {
  return "sequence" in item;
}

/** Waits for a promise that knows nothing of the signal. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
