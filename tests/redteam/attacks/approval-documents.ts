import { attributes, type Json, type JsonObject, keys, messageTypes, topics } from "@toolbus/contracts";
import { argumentsHash, canonicalJson, secretHash } from "@toolbus/grants";
import { type Arena, forgedMessage, type Held } from "../arena.ts";
import { type Attack, held, type Outcome, reached, residual, server, service, serverOr } from "../attack.ts";
import { ask } from "../http.ts";
import type { Attacked } from "../payments.ts";
import { newPayee, plannedWrite } from "../planned-write.ts";
import { textIn } from "../text-in.ts";

/** How approvals must refuse a document that it did not write, if the store accepts the document. */
const REFUSED = service("document_refused", /document_refused/);

const BY_NOBODY = (names: readonly string[], ticket?: string) => (stored: JsonObject) => {
  const at = Number(stored["requestedAt"]);
  const decisions = names.map((approver) => ({
    approver,
    decision: "approve",
    at,
    via: "http",
    tokenHash: "none",
    ...(ticket === undefined ? {} : { ticket }),
  }));
  const grant = { issuedAt: at, expiresAt: at + 900_000, executeBy: at + 900_000, era: 1 };
  return { status: "approved", decisions, endedAt: at, grant };
};

/** Attacks with a login of the store. They write to the documents by which approvals decides. */
export const approvalDocuments: readonly Attack[] = [
  changedApproval("a pending approval is stored as approved by somebody who does not exist", BY_NOBODY(["eve"])),
  changedApproval(
    "a critical approval is stored as approved by two people who do not exist, with a ticket",
    BY_NOBODY(["eve", "mallory"], "OPS-1"),
    "critical",
  ),
  changedApproval("the card shows another payee than the one that is paid", () => ({ effect: "Wire 1 EUR to CHARITY." })),
  changedApproval("the card shows other arguments than those that are sent", () => {
    const args = canonicalJson({ payee: "CHARITY", amount: 1 });
    return { arguments: args, argsHash: argumentsHash(args) };
  }),
  changedApproval("the requester of an approval is somebody else, so that the requester may approve", () => ({ requester: "una" })),
  changedApproval("an approval goes to the approvers of another tenant", () => ({ tenant: "globex" })),
  changedApproval("an approval needs no approver any more", () => ({ need: 0 })),
  changedApproval("a high write is stored as a low one", () => ({ tier: "low", need: 0 })),
  {
    name: "a denied approval is put back as it was while it was pending",
    attacker: "agent",
    expected: serverOr(REFUSED),
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 21 });
      const key = keys.approval(write.approvalId);
      const pending = await arena.eye.text(key);
      await arena.decide(write, "deny");
      await arena.ended(write.runId);
      await arena.as("agent").putBack(key, pending);
      const answer = await arena.decide(write, "approve", "ben");
      await askAgain(arena, write);
      return answer.status === 409
        ? held("ben could not decide it again", write.callId)
        : reached(`ben's decision was answered ${answer.status}`);
    },
  },
  {
    name: "the approval of one write is copied to another",
    attacker: "agent",
    expected: serverOr(REFUSED),
    async run(arena) {
      const one = await arena.done("high", { payee: "BAKERY", amount: 22 });
      const two = await arena.held("high", { payee: "BAKERY", amount: 9000 });
      const stored = await arena.stored(keys.approval(one.approvalId));
      await arena.as("agent").overwrite(keys.approval(two.approvalId), stored);
      return notRun(arena, two);
    },
  },
  {
    name: "an approval is removed: its people are asked again",
    attacker: "agent",
    expected: { own: server, shared: residual("R6") },
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 23 });
      await arena.as("agent").putBack(keys.approval(write.approvalId), null);
      await askAgain(arena, write);
      const again = await arena.until("the approval to be there again", () =>
        arena.stored(keys.approval(write.approvalId)).catch(() => null),
      );
      await arena.decide(write, "deny");
      await arena.ended(write.runId);
      return again["status"] === "pending"
        ? reached("it is pending again, and nothing is granted", "R6")
        : reached(`it is ${textIn(again["status"])}`);
    },
  },
  {
    name: "a decision token of somebody's own is stored for an approver",
    attacker: "agent",
    expected: serverOr(service("unknown_token", /unknown_token/)),
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 24 });
      const [approval, token] = [await arena.stored(keys.approval(write.approvalId)), "made-up-by-somebody-else"];
      const { requestedAt: createdAt = 0, expiresAt = 0 } = approval;
      const value = { approvalId: write.approvalId, approver: "amy", createdAt, expiresAt, used: null };
      await arena.as("agent").overwrite(keys.token(write.approvalId, secretHash(token)), value);
      const answer = await decideWith(arena, write, token);
      await arena.decide(write, "deny");
      return answer === 403 ? held("the token decided nothing", write.callId) : reached(`the decision was answered ${answer}`);
    },
  },
  {
    name: "a used decision token is put back as new",
    attacker: "agent",
    expected: serverOr(REFUSED),
    async run(arena) {
      const write = await arena.held("critical", { payee: "BAKERY", amount: 25 });
      const url = arena.approvals(`/v1/approvals/${encodeURIComponent(write.approvalId)}`);
      const token = textIn((await ask(url, arena.system.people.amy)).body["decisionToken"]);
      const key = keys.token(write.approvalId, secretHash(token));
      const fresh = await arena.eye.text(key);
      // The test decides twice, so that the approvals process has surely seen the used token.
      await decideWith(arena, write, token, "OPS-2");
      await decideWith(arena, write, token, "OPS-2");
      await arena.as("agent").putBack(key, fresh);
      const answer = await decideWith(arena, write, token, "OPS-3");
      await arena.decide(write, "deny", "ben");
      return answer === 200 ? reached("it decided again") : held(`it was answered ${answer}`, write.callId);
    },
  },
  quota("the count of what policy granted is set back to none", REFUSED, (arena, key) => arena.as("agent").overwrite(key, { granted: 0 })),
  quota("the count of what policy granted is deleted", residual("R4"), (arena, key) => arena.as("agent").putBack(key, null)),
];

/** An attacker with the agent's login changes a pending approval. Then the agent asks for it again. */
export function changedApproval(name: string, change: (stored: JsonObject) => JsonObject, which: Attacked = "high"): Attack {
  return {
    name,
    attacker: "agent",
    expected: serverOr(REFUSED),
    async run(arena) {
      const write = await (which === "planned" ? plannedWrite(arena, newPayee(), 9) : arena.held(which, { payee: "BAKERY", amount: 9 }));
      const key = keys.approval(write.approvalId);
      const stored = await arena.stored(key);
      await arena.as("agent").overwrite(key, { ...stored, ...change(stored) } as Json);
      const url = arena.approvals(`/v1/approvals/${encodeURIComponent(write.approvalId)}`);
      const { amy, ritaApproving, foreignApprover } = arena.system.people;
      const shown = await ask(url, amy);
      // An accomplice of the attacker, who may not decide this write, tries to decide it.
      for (const key of [ritaApproving, foreignApprover]) {
        const { decisionToken: token } = (await ask(url, key)).body;
        if (token !== undefined) await ask(`${url}/decision`, key, { decision: "approve", token });
      }
      const outcome = await notRun(arena, write);
      return shown.status === 200 ? reached(`the approver was shown it: ${JSON.stringify(shown.body)}; ${outcome.detail}`) : outcome;
    },
  };
}

/** Asks for the write once more as the agent. Returns whether the run ended without an effect. */
async function notRun(arena: Arena, write: Held): Promise<Outcome> {
  await askAgain(arena, write);
  const events = await arena.ended(write.runId);
  const effect = arena.system.target.journal().find(({ callId }) => callId === write.callId);
  const outcome = events.find((event) => event.type === "call.decided");
  const said = outcome?.type === "call.decided" ? outcome.outcome : "none";
  return effect ? reached(`it ran: ${JSON.stringify(effect)}`) : held(`its outcome is ${said}`, write.callId);
}

let asked = 100;

/** Sends the agent's request again with `change` applied, as an attacker with the agent's login. */
export async function askAgain(arena: Arena, { callId }: Pick<Held, "callId">, change: JsonObject = {}): Promise<void> {
  const call = await arena.stored(keys.call(callId));
  const { toolName, toolVersion, toolHash, arguments: args, conversationId: sessionId } = call;
  await arena.as("agent").publish(
    forgedMessage({
      id: `approval.request:${callId}#${++asked}`,
      topic: topics.approvalRequest,
      type: messageTypes.approvalRequest,
      correlationId: `00000000-0000-4000-8000-${String(asked).padStart(12, "0")}`,
      attributes: { [attributes.agent]: "default" },
      body: { toolCallId: callId, toolName, toolVersion, toolHash, arguments: args, sessionId, ...change },
    }),
  );
}

async function decideWith(arena: Arena, { approvalId }: Held, token: string, ticket?: string): Promise<number> {
  const url = arena.approvals(`/v1/approvals/${encodeURIComponent(approvalId)}/decision`);
  const body = { decision: "approve", token, ...(ticket === undefined ? {} : { ticket }) };
  return (await ask(url, arena.system.people.amy, body)).status;
}

/** Policy grants three low writes in a run. The attack tries to get a grant for a fourth. */
function quota(name: string, expected: Attack["expected"]["shared"], act: (arena: Arena, key: string) => Promise<void>): Attack {
  return {
    name,
    attacker: "agent",
    expected: { own: server, shared: expected },
    async run(arena) {
      const write = await arena.asked("low", { payee: "BAKERY", amount: 1 });
      await arena.ended(write.runId);
      for (const index of [1, 2]) await outcomeOf(arena, write, index);
      await act(arena, keys.quota(write.runId, write.tool));
      const outcome = await outcomeOf(arena, write, 3);
      return outcome === "approved"
        ? reached("a fourth low write was granted in one run", "R4")
        : held(`the fourth one ended as ${outcome}`, write.runId);
    },
  };
}

/** Asks as the agent for a grant for one more write of the run. The agent never sends this write. Returns how the request ended. */
async function outcomeOf(arena: Arena, write: Held, index: number): Promise<string> {
  const callId = write.callId.replace(/\d+$/, String(index));
  await askAgain(arena, write, { toolCallId: callId });
  return arena.until(`what becomes of ${callId}`, async () => {
    const stored = await arena.stored(keys.approval(`ap_${callId}`)).catch(() => null);
    return stored && textIn(stored["status"]);
  });
}
