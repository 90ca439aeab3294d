import { attributes, keys, type Message, messageTypes, topics } from "@toolbus/contracts";
import { generateSigningKey, signerOf, signGrant, signMessage } from "@toolbus/grants";
import { type Arena, forgedMessage, type Held } from "../arena.ts";
import { type Attack, both, type Expected, held, type Outcome, reached, service } from "../attack.ts";
import { timesOf } from "../planned-write.ts";
import { textIn } from "../text-in.ts";

const NOT_SIGNED = /a decision that approvals did not sign is dropped/;
const UNSIGNED = service("decision_unsigned", NOT_SIGNED);

/** Decisions that nobody made, by an attacker who has approvals' login of the broker, but not its key. */
export const forgedDecisions: readonly Attack[] = [
  forged("an approval is announced that nobody gave, with a made-up grant", UNSIGNED, async (write) =>
    decidedMessage(write, { outcome: "approved" }, "made-up"),
  ),
  forged("an approval is announced that nobody gave, with a grant by the attacker's key", UNSIGNED, async (write, arena) =>
    decidedMessage(write, { outcome: "approved" }, await ownGrant(write, arena)),
  ),
  forged(
    "an approval is announced that nobody gave, and the attacker's key signs its message too",
    service("decision_unknown_key", NOT_SIGNED),
    async (write, arena) => {
      const message = decidedMessage(write, { outcome: "approved" }, await ownGrant(write, arena));
      return signMessage(message, { service: "approvals", signer: await signerOf(await generateSigningKey()) });
    },
  ),
  forged("a denial is announced that nobody gave", UNSIGNED, async (write) => decidedMessage(write, { outcome: "rejected" })),
  forged("a refusal of the policy is announced that never was", UNSIGNED, async (write) =>
    decidedMessage(write, { outcome: "refused", reason: "No." }),
  ),
];

/**
 * Lets the attacker announce a decision about a write that waits. Then a person approves the write. It must be written once, and the run must tell of
 * this decision only.
 */
function forged(name: string, expected: Expected, make: (write: Held, arena: Arena) => Promise<Message>): Attack {
  return {
    name,
    attacker: "approvals",
    expected: both(expected),
    async run(arena): Promise<Outcome> {
      const write = await arena.held("high", { payee: "BAKERY", amount: 61 });
      await arena.as("approvals").publish(await make(write, arena));
      const isDropped = (): boolean => arena.system.lines().some((line) => line.includes(write.callId) && NOT_SIGNED.test(line));
      await arena.until("what the agent makes of it", async () => (isDropped() || (await decisions(arena, write)) > 0 ? true : null));
      const untrue = await decisions(arena, write);
      const { status } = await arena.decide(write, "approve");
      if (untrue > 0) return reached(`the run tells of a decision that nobody made; the real one was answered ${status}`);
      await arena.ended(write.runId);
      const [told, times] = [await decisions(arena, write), timesOf(arena, write)];
      return told === 1 && times === 1
        ? held("the run waited, and the real decision counted", write.callId)
        : reached(`the run tells of ${told} decisions, and it was written ${times} times`);
    },
  };
}

async function decisions(arena: Arena, { runId }: Held): Promise<number> {
  return (await arena.events(runId)).filter(({ type }) => type === "call.decided").length;
}

/** Makes the message with which approvals announces a decision, without its signature. */
export function decidedMessage(
  { callId, approvalId }: Held,
  said: { readonly outcome: string; readonly reason?: string },
  grant?: string,
): Message {
  const terms = grant === undefined ? {} : { grantExpiresAt: Date.now() + 900_000, executeBy: Date.now() + 900_000 };
  return forgedMessage({
    id: `decided:${approvalId}#forged`,
    topic: topics.approvalDecided("default"),
    type: messageTypes.approvalDecided,
    correlationId: callId,
    attributes: { [attributes.agent]: "default", ...(grant === undefined ? {} : { [attributes.grant]: grant }) },
    body: { toolCallId: callId, approvalId, decidedBy: ["amy"], ...said, ...terms },
  });
}

/** Makes a grant with everything that a genuine one has, except for the signature of approvals. */
async function ownGrant({ callId, runId, approvalId: jti, tool }: Held, arena: Arena): Promise<string> {
  const call = await arena.stored(keys.call(callId));
  const iat = Math.floor(Date.now() / 1000);
  const claims = {
    iss: "tb-approvals",
    aud: "tb-executor:payments",
    jti,
    iat,
    nbf: iat,
    exp: iat + 900,
    era: 1,
    tenant: "acme",
    runId,
    callId,
    tool,
    toolVersion: textIn(call["toolVersion"]),
    toolHash: textIn(call["toolHash"]),
    argsHash: textIn(call["argsHash"]),
    tier: "high",
    requester: "rita",
    approvers: [{ sub: "amy", at: Date.now(), via: "http" }],
    need: 1,
  } as const satisfies Omit<Parameters<typeof signGrant>[0], "approvers"> & { readonly approvers: readonly object[] };
  return signGrant({ ...claims, approvers: [...claims.approvers] }, await signerOf(await generateSigningKey()));
}
