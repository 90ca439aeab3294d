import type { FaultName } from "../ports/faults.ts";

/**
 * A row of the crash table that is a kill: the role of the killed process, and the event before the kill. If the label of this event ends in ">", its
 * request was executed and not answered yet. If it ends in "<", the request was answered.
 */
export interface CrashRow {
  readonly row: string;
  readonly says: string;
  /** The role of the killed process. Null means every role. An agent may also be the worker of its toolset. */
  readonly role: "gateway" | "agent" | "worker" | "approvals" | null;
  readonly after: RegExp;
}

export const CRASH_ROWS: readonly CrashRow[] = [
  { row: "1", says: "gateway: before a run is created", role: "gateway", after: /^POST |^read origin/ },
  { row: "2", says: "gateway: created, and not answered yet", role: "gateway", after: /^commit accept:.* [<>]$/ },
  {
    row: "3",
    says: "agent: a run taken, before and during the model call",
    role: "agent",
    after: /^commit (?:acquire|launch|continue):.* <$|^range transcript|^model .* >$/,
  },
  { row: "4", says: "agent: the model answered, nothing committed", role: "agent", after: /^model .* <$/ },
  { row: "5", says: "agent: a turn committed, the reply lost", role: "agent", after: /^commit turn:.* >$/ },
  { row: "7", says: "a relay has claimed rows, and not published", role: null, after: /^claim \w+ outbox </ },
  { row: "8", says: "published, and not confirmed or not taken out", role: null, after: /^publish .* [<>]$|^settle .* >$/ },
  { row: "11", says: "worker: delivered, before it begins", role: "worker", after: /^gets rn_/ },
  { row: "12", says: "worker: begun, before it sends", role: null, after: /^commit begin:.* [<>]$|^target prepare/ },
  {
    row: "13, 14",
    says: "worker: sending, before or after the effect",
    role: null,
    after: /^commit sending:.* [<>]$|^target change .* >$/,
  },
  { row: "15", says: "worker: the effect happened, not finished", role: null, after: /^target change .* <$/ },
  { row: "16", says: "worker: finished, before it publishes", role: null, after: /^commit finish:.* [<>]$/ },
  { row: "17", says: "worker: published, before the ack", role: "worker", after: /^publish rn_.*#r\d+ [<>]$/ },
  { row: "19", says: "agent: a result delivered, nothing committed", role: "agent", after: /^gets rn_.*#r/ },
  { row: "20", says: "agent: a result joined, before the ack", role: "agent", after: /^commit (?:join|continue):.* [<>]$/ },
  { row: "20b", says: "agent: a local call, nothing committed", role: "agent", after: /^target look .* [<>]$/ },
  { row: "20d", says: "agent: a round committed at once", role: "agent", after: /^commit round:.* [<>]$/ },
  {
    row: "22",
    says: "approvals: a request delivered, before it is kept",
    role: "approvals",
    after: /^gets request:|^read pin|^read quota/,
  },
  { row: "23", says: "approvals: kept, nobody told yet", role: "approvals", after: /^commit hold:.* [<>]$/ },
  { row: "24", says: "approvals: decided, the answer lost", role: "approvals", after: /^commit decide:.* >$/ },
  { row: "26", says: "approvals: decided, before the relay", role: "approvals", after: /^commit decide:.* <$|^publish decided:.* >$/ },
];

/** Rows that are not kills, each with the faults that cause them. */
export const FAULT_ROWS: readonly { readonly row: string; readonly says: string; readonly faults: readonly FaultName[] }[] = [
  { row: "6", says: "an old holder wakes after its lease", faults: ["pause"] },
  { row: "9, 18, 27", says: "the broker confirms a message and loses it", faults: ["lost_message"] },
  { row: "29, 32", says: "the store answers nobody for a while", faults: ["outage"] },
  { row: "34", says: "messages come twice, late and overtaken", faults: ["duplicate", "reorder", "late_message"] },
];

/** Rows that no seed reaches, each with the place where it is tested. */
export const ROWS_ELSEWHERE: readonly (readonly [row: string, where: string])[] = [
  ["10", "unroutable messages: the bus's conformance suite, on both brokers"],
  ["20c", "kills while a change rides: rows 3, 4 and 20b in worlds with local tools, and services/agent/src/incoming/local-round.test.ts"],
  ["21", "the delivery limit: the bus's conformance suite, and tests/e2e/dead-letters"],
  ["25", "approvers who race: habits of the simulated people, judged by G6"],
  ["28", "a run cancelled while a write is on its way: habits of the simulated people, judged by I6 and G4"],
  ["30", "a restart of Redis: tests/e2e/apart"],
  ["31", "a store that lost a suffix: tests/servers/redis-rollback and tests/outside/emptied-store"],
  ["33", "no broker: tests/servers/amqp-outages, nats-outages"],
  ["35, 36", "clocks: each process has a skew, and tests/outside/clocks"],
];
