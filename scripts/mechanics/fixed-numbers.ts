import { readFileSync } from "node:fs";
import path from "node:path";
import { markdownTable } from "../markdown-table.ts";
import { durationText } from "./durations.ts";

/** A number in the source that decides behaviour and that no setting changes. */
export interface FixedNumber {
  /** The name in the source: a constant, or a field of a constant. */
  readonly name: string;
  /** The path of the file, relative to the root of the repository. */
  readonly file: string;
  readonly says: string;
}

/** Returns a table of the numbers, each with the value from its file. */
export function numberTable(root: string, numbers: readonly FixedNumber[]): string {
  const rows = numbers.map(({ name, file, says }) => {
    const value = valueIn(readFileSync(path.join(root, file), "utf8"), name);
    if (value === null) throw new Error(`${file} has no number "${name}": correct scripts/mechanics/fixed-numbers.ts.`);
    return [`[\`${name}\`](../${file})`, value, says];
  });
  return markdownTable(["Number", "Value", "What it is"], rows);
}

/** Returns the value that a source text gives this name, as words. Returns null if the source has no value that this function can read. */
export function valueIn(source: string, name: string): string | null {
  const declared = new RegExp(`^[ ]*(?:export )?(?:const )?${name}(?::[^=\\n]+)? ?[=:] (.+?)(?: as const)?[;,]$`, "m").exec(source)?.[1];
  const list = declared === undefined ? null : (/^\[(.+)\]$/.exec(declared)?.[1] ?? /^\{ ?(.+?) ?\}$/.exec(declared)?.[1] ?? declared);
  if (list === null) return null;
  const words = list.split(/, ?/).map((each) => {
    const { field = "", expression = "" } = /^(?:(?<field>\w+): )?(?<expression>.+)$/.exec(each)?.groups ?? {};
    const value = productOf(expression, source);
    return value === null ? null : `${field} ${inWords(name, value)}`.trim();
  });
  return words.includes(null) ? null : words.join(", ");
}

/** Returns the value of `30 * 86_400_000`, or of `3 * OTHER` if the same file declares the other constant. */
function productOf(expression: string, source: string): number | null {
  const factors = expression.split(" * ").map((factor) => {
    if (/^[\d_]+(?:\.\d+)?$/.test(factor)) return Number(factor.replaceAll("_", ""));
    const other = /^[A-Z_]+$/.test(factor) ? new RegExp(`^(?:export )?const ${factor} = (.+);$`, "m").exec(source)?.[1] : undefined;
    return other === undefined ? null : productOf(other, source);
  });
  return factors.reduce((product, factor) => (product === null || factor === null ? null : product * factor), 1);
}

function inWords(name: string, value: number): string {
  if (/_MS$|Ms$/.test(name)) return durationText(value);
  return name.endsWith("_BYTES") ? `${value / 1024} KiB` : String(value);
}

export const fixedNumbers: readonly FixedNumber[] = [
  { name: "DEFAULT_SHARDS", file: "packages/contracts/src/ids.ts", says: "shards of a new store; a store keeps its number" },
  { name: "MAX_VALUE_BYTES", file: "packages/state/src/state-store.ts", says: "the largest document, log entry or outbox message" },
  { name: "MAX_BODY_BYTES", file: "packages/contracts/src/attributes.ts", says: "the largest body of a message" },
  { name: "REMEMBERED_MS", file: "packages/state/src/expiry.ts", says: "how long a removed document remembers its last op" },
  {
    name: "STEP_MS",
    file: "packages/state/src/clock-step.ts",
    says: "a larger step back of the store's clock is reported as `set_back`",
  },
  {
    name: "COMMAND_TIMEOUT_MS",
    file: "packages/state/src/redis/fail-fast-options.ts",
    says: "the longest wait for an answer of Redis; after it the store is unavailable",
  },
  { name: "maxDeliveries", file: "packages/bus/src/consume-pipeline.ts", says: "deliveries of a message before it becomes a dead letter" },
  {
    name: "backoffMs",
    file: "packages/bus/src/consume-pipeline.ts",
    says: "waits after the first, second and every later failure of a handler",
  },
  { name: "maxAgeMs", file: "packages/bus/src/consume-pipeline.ts", says: "an older message becomes an unread dead letter" },
  {
    name: "RUNGS_MS",
    file: "packages/bus/src/amqp/retry-ladder.ts",
    says: "the delays that RabbitMQ can give; a wait is rounded down to one of them",
  },
  {
    name: "ackWaitMs",
    file: "packages/bus/src/nats/timings.ts",
    says: "how long JetStream waits for a handler's signal before it delivers again",
  },
  { name: "workingMs", file: "packages/bus/src/nats/timings.ts", says: "how often a running handler signals JetStream" },
  {
    name: "pullMs",
    file: "packages/bus/src/nats/timings.ts",
    says: "how long a request for messages is open; a frozen process gets no message after this time",
  },
  {
    name: "HEARTBEAT_S",
    file: "packages/bus/src/amqp/amqp-url.ts",
    says: "the heartbeat of a connection to RabbitMQ, in seconds; a side that is silent for two to three heartbeats is taken for dead",
  },
  {
    name: "DUPLICATE_WINDOW_MS",
    file: "packages/bus/src/nats/topology.ts",
    says: "JetStream drops a second message with the same id within this time",
  },
  { name: "PARALLEL_CALLS", file: "services/agent/src/profile.ts", says: "the reads and computations of a turn that run in parallel" },
  {
    name: "CALLS_PER_TURN",
    file: "services/agent/src/profile.ts",
    says: "the most calls of a turn; if the turn has more, none of them runs",
  },
  { name: "MAX_QUEUED_RUNS", file: "packages/contracts/src/documents/agent.ts", says: "the most runs that may wait in one conversation" },
  {
    name: "MAX_INVOKES",
    file: "services/agent/src/transitions/redispatch.ts",
    says: "how many times the agent sends a call automatically",
  },
  {
    name: "FIRST_LOOK_MS",
    file: "services/agent/src/transitions/dispatch-call.ts",
    says: "the time from sending a call to the first check for a living worker",
  },
  {
    name: "LOOK_AGAIN_MS",
    file: "services/agent/src/transitions/unserved.ts",
    says: "the time between two further checks; the agent notices within this time that a worker stopped, died or came back",
  },
  {
    name: "GRANT_MARGIN_MS",
    file: "services/agent/src/transitions/next-write.ts",
    says: "if the grant of a write expires within this time, the agent does not send the write, but asks for a new grant",
  },
  {
    name: "RENEW_BELOW_MS",
    file: "services/approvals/src/machine/approval.ts",
    says: "if a grant has less time left, approvals signs it again when the agent asks for it again",
  },
  {
    name: "RECONCILE_FOR_MS",
    file: "services/agent/src/transitions/redispatch.ts",
    says: "how long after its deadline the agent still sends a write to a worker that can ask the target",
  },
  {
    name: "MAX_ATTEMPTS",
    file: "services/agent/src/transitions/end.ts",
    says: "the attempts at a round before the run fails as `poison_run`",
  },
  { name: "MAX_REPEATS", file: "services/agent/src/transitions/end.ts", says: "identical turns in a row before the run fails as `loop`" },
  {
    name: "MAX_FRUITLESS",
    file: "services/agent/src/transitions/end.ts",
    says: "rounds in a row without a success before the run fails as `loop`",
  },
  {
    name: "DEFAULT_TIMEOUT_MS",
    file: "packages/tool-kit/src/tool/define-tool.ts",
    says: "time-out of a tool that declares none; the worker counts it from the start of the tool",
  },
  {
    name: "MAX_FENCES",
    file: "packages/tool-kit/src/writes/run-write.ts",
    says: "how many attempts a worker makes at a write whose outcome is open",
  },
  {
    name: "ENOUGH_DEATHS",
    file: "packages/tool-kit/src/calls/crash-mark.ts",
    says: "after this number of marks of crashed workers, no worker runs the call, if it ran alone at the last crash",
  },
  {
    name: "MOST_DEATHS",
    file: "packages/tool-kit/src/calls/crash-mark.ts",
    says: "after this number of marks, no worker runs the call, even if other calls ran at the last crash",
  },
  {
    name: "ALONE_MS",
    file: "packages/tool-kit/src/calls/suspect-calls.ts",
    says: "how long a call whose workers crashed waits for other calls to end, and how long other calls wait for it to end",
  },
  {
    name: "turnMs",
    file: "packages/tool-kit/src/worker-timings.ts",
    says: "how long a write waits in the queue, delivery after delivery, while another write has its resource",
  },
  {
    name: "WAITS_FOR_TURN",
    file: "packages/tool-kit/src/writes/run-write.ts",
    says: "how many deliveries of a write may wait for a locked resource; after that, the agent sends the write again when its timer is due",
  },
  {
    name: "HAND_OVERS",
    file: "packages/tool-kit/src/registry/elsewhere.ts",
    says: "how many times workers hand back a call that another version of the toolset serves",
  },
  {
    name: "SEEN_EVERY_MS",
    file: "packages/contracts/src/documents/registry.ts",
    says: "how often a worker or an agent sends a heartbeat",
  },
  {
    name: "SEEN_FOR_MS",
    file: "packages/contracts/src/documents/registry.ts",
    says: "how long after its last heartbeat a worker is considered alive",
  },
  {
    name: "GONE_FOR_MS",
    file: "services/agent/src/tool-in-use.ts",
    says: "the agent does not offer a toolset to new runs after this time without a worker",
  },
  {
    name: "MOST_AGE_MS",
    file: "packages/tool-kit/src/registry/read-again.ts",
    says: "how long a process uses what it has read of the registry, if no commit of its shard follows",
  },
  {
    name: "MAX_APPROVAL_BYTES",
    file: "services/approvals/src/requests/judge-request.ts",
    says: "the largest write that approvals shows to an approver",
  },
  {
    name: "UNREAD_MS",
    file: "services/approvals/src/answers/unread-answers.ts",
    says: "how long approvals tries to send an answer that has no queue",
  },
  {
    name: "RAISE_EVERY_MS",
    file: "services/approvals/src/eras/era.ts",
    says: "the minimum time between two raises of the era for one shard",
  },
  {
    name: "RAISES_PER_HOUR",
    file: "services/approvals/src/eras/era.ts",
    says: "how many times an hour the reports of one sender may raise the era for one shard",
  },
  { name: "DRAIN_SHARE", file: "packages/runtime/src/run-services.ts", says: "the share of `DRAIN_MS` for running handlers" },
  {
    name: "LEDGER_KEEP_MS",
    file: "packages/tool-kit/src/writes/ledger-hold.ts",
    says: "how long a ledger row is kept after its last change",
  },
  {
    name: "LOG_KEPT_MS",
    file: "services/agent/src/transitions/pending-change.ts",
    says: "how long calls, stops, events and transcripts are kept",
  },
  {
    name: "LONGEST_WAIT_MS",
    file: "packages/contracts/src/approval-policy-file.ts",
    says: "the longest time that a write waits for people",
  },
  {
    name: "ORIGIN_KEPT_MS",
    file: "packages/contracts/src/documents/gateway.ts",
    says: "how long the gateway keeps the record of who asked for a run; without this record nobody can decide the run's writes",
  },
  { name: "FINISHED_KEPT_MS", file: "services/approvals/src/settings.ts", says: "how long an approval is kept after its end" },
  {
    name: "REPLACED_KEPT_MS",
    file: "packages/contracts/src/documents/registry.ts",
    says: "how long a replaced definition is kept for runs that began with it",
  },
  {
    name: "CONVERSATION_KEPT_MS",
    file: "services/gateway/src/accept.ts",
    says: "how long the gateway remembers the owner of a conversation after its last message",
  },
];
