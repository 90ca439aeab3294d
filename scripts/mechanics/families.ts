import { type Access, isNamed, rightsOf, type ServiceRights, storeNames } from "@toolbus/contracts";
import { markdownTable } from "../markdown-table.ts";
import { namesOf, PARTS } from "./services.ts";

/** Every family of documents and logs: what it holds, who writes it and who may read it. */
export function familyTable(): string {
  const families = storeNames(PARTS).families.filter((family) => !family.endsWith(".stranger"));
  return tableOf(families, HELD, ({ store }) => [store.documents, store.logs, store.live, store.counters]);
}

/** Every index, which is a sorted list over all shards. */
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
      writers.length === all.length ? "every service" : namesOf(writers),
      readers.length > 0 && readers.length === others.length ? "every other service" : namesOf(readers) || "nobody else",
    ];
  });
  return markdownTable(["Name", "Holds", "Written by", "Read by"], rows);
}

/** A right to one id of a family is a right to the family here; a `*` stands for any name. */
function covers(named: readonly string[], name: string): boolean {
  const families = named.map((each) => each.split(":", 1)[0] ?? "");
  return isNamed(families, name.replace("*", "any"));
}

function wordsFor(name: string, words: Readonly<Record<string, string>>): string {
  const said = words[name];
  if (said === undefined) throw new Error(`Nothing says what "${name}" holds: add a line to scripts/mechanics/families.ts.`);
  return said;
}

const HELD: Readonly<Record<string, string>> = {
  origin:
    "who asked: the owner of a conversation; principal, tenant, rights and agent of a run. Approvals believes this about a requester, and nothing else",
  inbox: "what was accepted for the agent: a message, a cancel, an answer, a deletion. The version of the document is its order",
  ticket: "a browser's right to read the stream of one run, under its hash",
  conversation: "the active run, the queue, the usage",
  run: "the state of a run: status, round, epoch, lease, tools, open calls",
  call: "the state of a call: secret, dispatch, not-after, grant, result",
  stop: "that this call must not begin, or send, any more",
  transcript: "a log: what the model is shown of a conversation",
  context: "which part of a transcript the model is shown, and the summary of the rest",
  events: "a log: the durable events of a run; the sequence is the id of the event on the stream",
  live: "text and progress of the round that is being written; kept for a minute, may be lost",
  budget: "what a run, or a day of a principal or a tenant, has used; reservations",
  working: "a tool's result that is too long for the model",
  profile: "the profiles that an agent knows, and when it was last seen",
  approval: "a write that needs a grant, its decisions and its end; sealed",
  token: "an approver's right to decide one approval once, under its hash; what an `Idempotency-Key` of approvals was used for; sealed",
  audit: "a log: who did what to which write",
  pin: "the definition of a write that gets grants, with the keys of its receipts; signed",
  policy: "nothing yet; the name is reserved",
  era: "the era, and the shards that lost writes; signed",
  quota: "how often policy granted a tool in a run and in an hour, and the writes of a requester that wait for people; sealed",
  security: "a log for each service: what no honest party does. Approvals and operations read all of them",
  dead: "a dead letter, and what became of it",
  replay: "that an operator asked for a dead letter, or a webhook, to be sent again",
  removal: "that an operator wants a registration removed; signed",
  "registry.<toolset>": "the definitions of the toolset with their hashes, replaced ones too, and which replicas live",
  "ledger.<toolset>": "what became of each write; turns at resources; marks of calls that run again",
  "rate.gateway": "how much of a minute a caller has used",
  "rate.approvals": "how much of a minute an approver has used",
  "hook.agent": "a webhook about a run that has to be sent",
  "hook.approvals": "a webhook about an approval that has to be sent",
};

const LISTED: Readonly<Record<string, string>> = {
  "index.agents": "the agents that were ever started",
  "index.approvals.*": "approvals that are pending",
  "index.dead": "dead letters by time",
  "index.dead.*": "dead letters of one queue by time",
  "index.hooks.agent": "webhooks about runs that were given up",
  "index.hooks.approvals": "webhooks about approvals that were given up",
  "index.registry": "registered tools",
  "index.removals": "registrations that an operator wants removed",
  "index.runs.*": "the runs of a principal, those under way, and the principal's conversations",
};
