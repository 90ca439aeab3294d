import {
  type Approval,
  approvalIdOf,
  attributes,
  type Call,
  callIdOf,
  keys,
  type LedgerRow,
  type Message,
  type ResultStatus,
  type Run,
} from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { TOOLSET } from "../world/sim-tools.ts";
import type { BudgetRules } from "./budget-invariants.ts";
import { type Changed, type Facts, familyOf } from "./facts.ts";

/** The facts about a simulated history that the checks depend on, such as settings of its services. */
export interface Rules {
  /** Whether the agent sends the later writes of a round after an earlier one failed. */
  readonly goesOn: boolean;
  /** The time after which the agent sends a call again. It doubles with each repeat, up to `redispatchMaxMs`. Null if the world does not set it. */
  readonly redispatchMs: number | null;
  readonly redispatchMaxMs: number | null;
  /** The time after which the agent makes a call of a toolset in its own process again, if that is shorter. Null if no agent has such a toolset. */
  readonly redispatchLocalMs: number | null;
  /** The largest error of a process's estimate of the store's time. The process extrapolates from an answer that took time to arrive. */
  readonly slackMs: number;
  /** Whether nobody forges decisions. An agent's record of an approval must then match the approval. */
  readonly honestBus: boolean;
  /** Whether real services made the commits. Each change of a status must then be in a table of transitions. */
  readonly tables: boolean;
  readonly budgets: BudgetRules;
  /** How many people a write needs at least by the policy of this world. 0 if it has no policy. */
  readonly leastApprovers: number;
}

/** Results after which the agent does not send the later writes of the round, unless the profile says so. */
const STOPS: ReadonlySet<string> = new Set(["denied", "outcome_unknown", "cancelled", "not_executed"]);

/** The code that the model reads for an approval that ended without a grant. */
const TOLD: Readonly<Partial<Record<Approval["status"], string>>> = {
  rejected: "denied_by_user",
  revision_requested: "revision_requested",
  expired: "approval_expired",
  limit: "limit",
  refused: "policy_denied",
};

/**
 * Checks a commit's changes of calls and the start times of runs. Calls must be sent in order and not too often, and must end as people and the
 * ledger decided.
 */
export function brokenByCall(facts: Facts, changed: readonly Changed[], at: number, rules: Rules): readonly string[] {
  return changed.flatMap(({ key, before, after }) => {
    const family = familyOf(key);
    if (family === "run") return runBroken({ before, after } as unknown as Pick<Changed<Run>, "before" | "after">, at, rules);
    if (family !== "call" || after === undefined) return [];
    const call = after as unknown as Call;
    const earlier = before as unknown as Call | undefined;
    return [
      ...(call.dispatch > (earlier?.dispatch ?? 0) ? sentBroken(facts, call, earlier, rules) : []),
      ...(call.result && !earlier?.result ? endBroken(facts, call, at, rules) : []),
    ];
  });
}

function runBroken({ before, after }: Pick<Changed<Run>, "before" | "after">, at: number, { slackMs }: Rules): readonly string[] {
  if (!after || after.status === "queued") return [];
  const { runId, startedAt, status } = after;
  const begins = !before || before.status === "queued";
  if (!begins || (status !== "ready" && status !== "waiting")) return [];
  // The process asked the store for the time before it made the commit, and the commit takes time to reach the store.
  return startedAt !== null && startedAt <= at + slackMs && startedAt > at - LONGEST_WAY_MS
    ? []
    : [`G2: ${runId} began at ${at} and says ${startedAt}`];
}
const LONGEST_WAY_MS = 120_000;

function sentBroken(
  facts: Facts,
  call: Call,
  before: Call | undefined,
  { goesOn, redispatchMs, redispatchMaxMs, redispatchLocalMs, slackMs }: Rules,
): readonly string[] {
  const { callId, runId, round, index, dispatch, kind, sentAt } = call;
  const broken: string[] = [];
  if (kind === "write" && dispatch === 1 && !goesOn) {
    for (let i = 0; i < index; i++) {
      const other = facts.documents.get(keys.call(callIdOf(runId, round, i))) as unknown as Call | undefined;
      const status = other?.kind === "write" ? other.result?.status : undefined;
      if (status !== undefined && STOPS.has(status))
        broken.push(`G2: ${callId} was sent although ${other?.callId} before it ended as ${status}`);
    }
  }
  if (kind !== "write" && before && before.dispatch > 0 && redispatchMs !== null && redispatchMaxMs !== null) {
    const least = Math.min(redispatchMs * 2 ** (before.dispatch - 1), redispatchMaxMs, redispatchLocalMs ?? Infinity);
    if (sentAt - before.sentAt < least - slackMs)
      broken.push(
        `I2: ${callId} was sent as dispatch ${dispatch} ${sentAt - before.sentAt} ms after the one before, and ${least} is the least`,
      );
  }
  return broken;
}

/**
 * Returns whether the two results agree. The agent resolves a stopped write that was not sent yet as cancelled at once. Its worker may record another
 * result at the same moment. In both cases the write did nothing.
 */
function agree(reported: ResultStatus, inLedger: ResultStatus): boolean {
  return reported === inLedger || (reported === "cancelled" && BEFORE_SENDING.has(inLedger));
}
const BEFORE_SENDING: ReadonlySet<ResultStatus> = new Set(["error", "timeout", "not_executed"]);

function endBroken(facts: Facts, { callId, kind, result, approvalId }: Call, at: number, { honestBus, slackMs }: Rules): readonly string[] {
  if (kind !== "write" || !result) return [];
  const row = facts.documents.get(keys.ledger(TOOLSET, callId)) as unknown as LedgerRow | undefined;
  const approval = facts.documents.get(keys.approval(approvalIdOf(callId))) as unknown as Approval | undefined;
  const broken: string[] = [];
  if (result.status === "outcome_unknown" && row?.state === "sending" && row.lease && row.lease.until > at + slackMs)
    broken.push(`G4: ${callId} was reported as unknown while attempt ${row.fence} still had ${row.lease.until - at} ms`);
  if (row?.state === "done" && row.result && !agree(result.status, row.result.status))
    broken.push(`G4: ${callId} was reported as ${result.status}, and its ledger says ${row.result.status}`);
  // A cancelled run does not wait for a decision.
  const reported = approval && approvalId !== undefined ? TOLD[approval.status] : undefined;
  const code = result.error?.code;
  if (honestBus && reported !== undefined && code !== reported && !OWN.has(code ?? ""))
    broken.push(`G6: ${callId} ended as ${code}, and its approval as ${approval?.status}`);
  return broken;
}
/** Codes that the agent sets by itself, whatever happens to the approval. */
const OWN: ReadonlySet<string> = new Set(["cancelled", "skipped", "approval_lapsed", "timeout"]);

/**
 * Checks that the body of an invoke has four fields, and that no call waits longer than its limit. Everything else about an invoke is an attribute,
 * which a worker reads without parsing.
 */
export function brokenByMessage(change: Change, { redispatchMaxMs }: Rules): readonly string[] {
  const invokes = (change.outbox ?? [])
    .map(({ message }) => message as unknown as Message)
    .filter((sent) => sent.type === "toolbus.tool.invoke");
  const fields = invokes.flatMap(({ id, body }) => {
    const names = Object.keys(JSON.parse(body) as object)
      .toSorted()
      .join(" ");
    return names === INVOKE_FIELDS ? [] : [`core: the body of ${id} has the fields ${names}`];
  });
  const unmarked = invokes.flatMap(({ id, attributes: named }) =>
    named[attributes.callSecret] === undefined ? [`core: ${id} has no secret`] : [],
  );
  const sent = new Set(invokes.map(({ correlationId }) => `call:${correlationId}`));
  const late = (change.timers ?? []).flatMap(({ id, dueIn }) =>
    redispatchMaxMs !== null && sent.has(id) && dueIn !== null && dueIn > redispatchMaxMs
      ? [`I2: ${id} is checked after ${dueIn} ms, and ${redispatchMaxMs} is the longest`]
      : [],
  );
  return [...fields, ...unmarked, ...late];
}
const INVOKE_FIELDS = "arguments sessionId toolCallId toolName";
