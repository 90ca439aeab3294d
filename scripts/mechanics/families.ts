import { type Access, isNamed, rightsOf, type ServiceRights, storeNames } from "@toolbus/contracts";
import { markdownTable } from "../markdown-table.ts";
import { namesOf, PARTS } from "./services.ts";

/**
 * Returns a table of every family of documents and logs. Each row has the family's content, the services that write the family, and the services that
 * may read it.
 */
export function familyTable(): string {
  const families = storeNames(PARTS).families.filter((family) => !family.endsWith(".stranger"));
  return tableOf(families, HELD, ({ store }) => [store.documents, store.logs, store.live]);
}

/** Returns a table of every index, which is a sorted list over all shards. */
export function indexTable(): string {
  const named = rightsOf(PARTS).flatMap(({ store: { indexes } }) => [...indexes.writes, ...indexes.reads]);
  return tableOf([...new Set(named)].toSorted(), LISTED, ({ store }) => [store.indexes]);
}

function tableOf(
  names: readonly string[],
  words: Readonly<Record<string, string>>,
  rightsIn: (service: ServiceRights) => readonly Access[],
): string {
  const all = rightsOf(PARTS);
  const rows = names.map((name) => {
    const may = (right: keyof Access, services: readonly ServiceRights[]): readonly ServiceRights[] =>
      services.filter((service) => rightsIn(service).some((access) => covers(access[right], name)));
    const writers = may("writes", all);
    const others = all.filter((service) => !writers.includes(service));
    const readers = may("reads", others);
    return [
      `\`${name}\``,
      wordsFor(name, words),
      writers.length === all.length ? "every service" : namesOf(writers) || GUIDES_WORKERS,
      readers.length > 0 && readers.length === others.length ? "every other service" : namesOf(readers) || "nobody else",
    ];
  });
  return markdownTable(["Name", "Holds", "Written by", "Read by"], rows);
}

/** Returns whether a list of rights covers a name. A right to one id of a family counts as a right to the family. A `*` matches any name. */
function covers(named: readonly string[], name: string): boolean {
  const families = named.map((each) => each.split(":", 1)[0] ?? "");
  return isNamed(families, name.replace("*", "any"));
}

function wordsFor(name: string, words: Readonly<Record<string, string>>): string {
  const said = words[name];
  if (said === undefined) throw new Error(`No line says what "${name}" holds: add one to scripts/mechanics/families.ts.`);
  return said;
}

/** The only workers with rights of their own. The table of services has one row for all workers. */
const GUIDES_WORKERS = "workers of `guides`";

const HELD: Readonly<Record<string, string>> = {
  origin: "the owner of a conversation; principal, tenant, rights and agent of a run. Approvals trusts no other source about the requester",
  inbox:
    "accepted entries for the agent: a message, a cancel, an answer, a deletion. The version of an entry decides its place in the order",
  ticket: "a browser's right to read the stream of one run, under the hash of the ticket",
  conversation: "the active run, the queue, the usage",
  run: "the state of a run: status, round, epoch, lease, tools, open calls",
  call: "the state of a call: secret, dispatch, not-after, grant, result",
  stop: "a mark for a cancelled call: no worker may begin or send this call",
  transcript: "a log: what the model sees of a conversation",
  context: "which part of a transcript the model sees, and the summary of the rest",
  events: "a log: the durable events of a run; the sequence is the id of the event on the stream",
  live: "text and progress of the round that is being written; kept for a minute, may be lost",
  budget: "usage of a run, or of a principal's or tenant's day; reservations",
  working: "a tool's result that is too long for the model",
  profile: "the profiles of an agent, and its last heartbeat; the text of each profile, under its hash",
  approval: "a write that needs a grant, its decisions and its end; sealed",
  token:
    "an approver's right to decide one approval once, under the hash of the token; a request to approvals with an `Idempotency-Key`; a session on the approval page; a used sign-in through OIDC; sealed",
  audit: "a log: who did what to which write",
  pin: "the enabled definition of a write, with the keys that sign its receipts; signed",
  policy: "no documents yet; the name is reserved",
  era: "the era and the shards that lost writes; the probe of approvals' keys; signed",
  quota: "the number of grants by policy for a tool, in a run and in an hour; the waiting writes of a requester; sealed",
  security:
    "a log for each service: security events, which no honest service or user causes. Approvals and operations read the logs of all services",
  dead: "a dead letter and its replays",
  replay: "an operator's request to send a dead letter or a webhook again; a note that dismisses a dead letter",
  removal: "an operator's request to remove a registration; signed",
  summary: "the words of a model about the enabled tools of an MCP server, for the search. They expire after a month",
  skill:
    "a skill of a tenant, the names of a tenant's skills, and the outcome of a call that saved one. The workers that write it also read `origin`",
  "registry.<toolset>":
    "the definitions of the toolset with their hashes, including replaced ones; its guide; the living replicas; for `mcp`, the registered servers (signed) and the lease",
  "ledger.<toolset>": "one row for each write; locks on resources; marks of repeated calls",
  "question.<toolset>": "the questions of a call to the requester of its run, with their deadlines and ends",
  "answer.<toolset>": "the requester's answer to one question of a tool; kept for ten minutes after the deadline of the question",
  "rate.gateway": "the requests of a caller in the current minute",
  "rate.approvals": "the requests of an approver in the current minute",
  "hook.agent": "an unsent webhook about a run",
  "hook.approvals": "an unsent webhook, mail or message about an approval; the id of its message in Slack",
};

const LISTED: Readonly<Record<string, string>> = {
  "index.agents": "every agent that has ever started",
  "index.approvals.*": "pending approvals; each tenant's ended approvals; the tenants that have ended approvals",
  "index.dead": "dead letters by time",
  "index.dead.*": "dead letters of one queue by time",
  "index.hooks.agent": "given-up webhooks about runs",
  "index.hooks.approvals": "given-up webhooks, mails and messages about approvals",
  "index.registry": "registered tools",
  "index.removals": "registrations that an operator wants to remove",
  "index.runs.*": "a principal's runs, open runs and conversations",
};
