import type { ChainedRecord, JsonObject } from "@toolbus/contracts";

/** How the approvals of one tool or one approver ended, and how long they waited for people. */
export interface Insight {
  readonly name: string;
  /** The number of approvals that ended after people were asked. */
  readonly ended: number;
  readonly approved: number;
  readonly denied: number;
  readonly expired: number;
  /** The number of writes that policy granted at once, without people. */
  readonly byPolicy: number;
  /** The median and the 95th percentile of the waiting time in milliseconds. They are null if nothing waited. */
  readonly waitP50Ms: number | null;
  readonly waitP95Ms: number | null;
}

export interface Insights {
  readonly all: Insight;
  readonly byTool: readonly Insight[];
  /** One insight for each person whose decision ended approvals. Expired approvals count for no person. */
  readonly byApprover: readonly Insight[];
}

interface Ended {
  readonly tool: string;
  readonly approver: string | null;
  readonly outcome: string;
  /** Null if people were not asked. */
  readonly waitedMs: number | null;
}

/**
 * Returns the insights about the approvals that ended at or after a time. `records` are the records of the audit in the order of the chain. They must
 * include the records in which these approvals began to wait. If this record of an approval is missing, its waiting time is not counted.
 */
export async function insightsOf(
  records: AsyncIterable<Pick<ChainedRecord, "record">> | Iterable<Pick<ChainedRecord, "record">>,
  since: number,
): Promise<Insights> {
  const heldAt = new Map<string, number>();
  const ended: Ended[] = [];
  for await (const { record } of records) {
    const { event, approvalId, at } = record;
    if (typeof approvalId !== "string" || typeof at !== "number" || typeof event !== "string") continue;
    if (event === "held") heldAt.set(approvalId, at);
    if (!ENDS.has(event)) continue;
    const held = heldAt.get(approvalId);
    heldAt.delete(approvalId);
    if (at >= since)
      ended.push({
        tool: textOf(record, "tool"),
        approver: personOf(record),
        outcome: event,
        waitedMs: held === undefined ? null : at - held,
      });
  }
  return {
    all: insightOf("all", ended),
    byTool: grouped(ended, ({ tool }) => tool),
    byApprover: grouped(ended, ({ approver }) => approver),
  };
}

const ENDS: ReadonlySet<string> = new Set(["approved", "rejected", "revision_requested", "expired", "cancelled"]);
// No person decides these ends. An agent cancels approvals, and the clock lets them expire.
const NO_PERSON: ReadonlySet<string> = new Set(["expired", "cancelled"]);

function personOf(record: JsonObject): string | null {
  const by = textOf(record, "by");
  return by === "policy" || NO_PERSON.has(textOf(record, "event")) ? null : by;
}

function grouped(ended: readonly Ended[], nameOf: (one: Ended) => string | null): readonly Insight[] {
  return [...Map.groupBy(ended, nameOf)]
    .flatMap(([name, some]) => (name === null ? [] : [insightOf(name, some)]))
    .toSorted((a, b) => b.ended - a.ended || a.name.localeCompare(b.name));
}

function insightOf(name: string, ended: readonly Ended[]): Insight {
  const asked = ended.filter(({ outcome, approver }) => approver !== null || outcome !== "approved");
  const count = (...outcomes: readonly string[]): number => asked.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const waits = asked.flatMap(({ waitedMs }) => waitedMs ?? []).toSorted((a, b) => a - b);
  return {
    name,
    ended: asked.length,
    approved: count("approved"),
    denied: count("rejected", "revision_requested"),
    expired: count("expired"),
    byPolicy: ended.length - asked.length,
    waitP50Ms: percentile(waits, 0.5),
    waitP95Ms: percentile(waits, 0.95),
  };
}

/** Returns the smallest value that is at least as large as this share of the sorted values. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

function textOf(record: JsonObject, name: string): string {
  const text = record[name];
  return typeof text === "string" ? text : "";
}
