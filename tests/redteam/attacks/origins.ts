import { type Json, type JsonObject, keys } from "@toolbus/contracts";
import { generateSigningKey, signDocument, signerOf } from "@toolbus/grants";
import type { Arena, Attacker, Held } from "../arena.ts";
import { type Attack, both, dropped, type Expected, held, type Outcome, reached, service, serverOr } from "../attack.ts";
import { ask } from "../http.ts";
import { TOOLS } from "../payments.ts";
import { askAgain } from "./approval-documents.ts";
import { statusOf } from "./status-of.ts";

const REFUSED = service("document_refused", /document_refused/);
const UNASKED = service("message_refused", /message_refused/);
const LIMIT = dropped(/"status":"refused".*a write asked for a grant/);

/** Attacks that forge the requester of a run, and attacks in which the agent changes a requester's rights. */
export const origins: readonly Attack[] = [
  forged("the requester of a run is somebody else, so that the requester may approve it", REFUSED, () => ({ principal: "una" })),
  forged("a run is of another tenant, whose approvers then decide", REFUSED, () => ({ tenant: "globex" })),
  forged("the scopes of a requester are raised", REFUSED, () => ({ scopes: ["*"] })),
  forged("the origin of another run is copied under this one", REFUSED, async (arena) => {
    const other = await arena.done("high", { payee: "BAKERY", amount: 61 });
    return arena.stored(keys.runOrigin(other.runId));
  }),
  forged("an origin is signed with a key of the attacker's own", REFUSED, async (arena, { runId }, stored) => {
    const key = keys.runOrigin(runId);
    const content = { ...stored, principal: "una" };
    return signDocument("tb-origin+jwt", { key, revision: 1, content }, await signerOf(await generateSigningKey()));
  }),
  forged("an origin is signed with the agent's own genuine key", REFUSED, async (arena, { runId }, stored) => {
    const key = keys.runOrigin(runId);
    const content = { ...stored, principal: "una" };
    return signDocument("tb-origin+jwt", { key, revision: 1, content }, (await arena.as("agent").identity()).signer);
  }),
  forged("the origin of a run is removed", UNASKED, () => null),
  {
    name: "the agent asks for a write that the requester's key does not name",
    attacker: "agent",
    expected: both(LIMIT),
    async run(arena) {
      const write = await arena.asked("low", { payee: "BAKERY", amount: 1 }, { as: "clerk" });
      const other = await arena.held("high", { payee: "BAKERY", amount: 62 });
      const { toolHash } = await arena.stored(keys.call(other.callId));
      const { conversationId: sessionId } = await arena.stored(keys.runOrigin(write.runId));
      const callId = write.callId.replace(/\d+$/, "7");
      await askAgain(arena, other, { toolCallId: callId, toolName: TOOLS.high, toolHash: toolHash ?? "", sessionId: sessionId ?? "" });
      const status = await statusOf(arena, callId);
      await arena.decide(other, "deny");
      return status === "refused" ? held("it was refused", callId) : reached(`it is ${status}`);
    },
  },
  {
    name: "the tools of a requester's key are taken off its run, and the agent asks for more",
    attacker: "agent",
    expected: serverOr(REFUSED),
    async run(arena) {
      const write = await arena.asked("low", { payee: "BAKERY", amount: 1 }, { as: "clerk" });
      const key = keys.runOrigin(write.runId);
      const { tools: _, ...stored } = await arena.stored(key);
      await arena.as("agent").overwrite(key, stored);
      const other = await arena.held("high", { payee: "BAKERY", amount: 63 });
      const callId = write.callId.replace(/\d+$/, "8");
      await askAgain(arena, other, { toolCallId: callId, sessionId: stored["conversationId"] ?? "" });
      const status = await statusOf(arena, callId);
      await arena.decide(other, "deny");
      return status === "refused" ? held("it was refused", write.runId) : reached(`it is ${status}`);
    },
  },
  wrote("the gateway's login stores an approval as approved", "gateway", REFUSED, (arena, { approvalId }) => keys.approval(approvalId)),
];

type Change = (arena: Arena, write: Held, stored: JsonObject) => JsonObject | null | Promise<JsonObject | null>;

/** The attacker changes the origin of a run while one of the run's writes waits for a decision. Then the agent asks for another write of the run. */
function forged(name: string, expected: Expected, change: Change): Attack {
  return {
    name,
    attacker: "agent",
    expected: serverOr(expected),
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 64 });
      const key = keys.runOrigin(write.runId);
      const before = await arena.eye.text(key);
      const stored = await arena.stored(key);
      const changed = await change(arena, write, stored);
      await (changed === null ? arena.as("agent").putBack(key, null) : arena.as("agent").overwrite(key, { ...stored, ...changed } as Json));
      try {
        const callId = write.callId.replace(/\d+$/, "9");
        await askAgain(arena, write, { toolCallId: callId });
        const status = await statusOf(arena, callId);
        // Rita also has an approver's key. If the change made somebody else the requester, she could approve the waiting write.
        const url = arena.approvals(`/v1/approvals/${encodeURIComponent(write.approvalId)}`);
        const { ritaApproving, foreignApprover } = arena.system.people;
        const shown = [await ask(url, ritaApproving), await ask(url, foreignApprover)];
        const given = shown.find(({ body }) => body["decisionToken"] !== undefined);
        if (given) return reached(`it was shown with a token: ${JSON.stringify(given.body)}`);
        return status === "refused"
          ? held("a write of the run was refused, and its requester got no token", callId)
          : reached(`it is ${status}`);
      } finally {
        await arena.eye.putBack(key, before);
        await arena.decide(write, "deny");
      }
    },
  };
}

/** Writes a document of approvals with the login of another service. */
function wrote(
  name: string,
  attacker: Exclude<Attacker, "http">,
  expected: Expected,
  keyFor: (arena: Arena, write: Held) => string,
): Attack {
  return {
    name,
    attacker,
    expected: serverOr(expected),
    async run(arena): Promise<Outcome> {
      const write = await arena.held("high", { payee: "BAKERY", amount: 65 });
      const key = keyFor(arena, write);
      await arena.as(attacker).overwrite(key, { ...(await arena.stored(key)), status: "approved" });
      await askAgain(arena, write);
      await arena.ended(write.runId);
      const ran = arena.system.target.journal().some(({ callId }) => callId === write.callId);
      return ran ? reached("it ran") : held("nothing came to the target", write.callId);
    },
  };
}
