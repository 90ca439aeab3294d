import { type JsonObject, keys, type Plan } from "@toolbus/contracts";
import { generateSigningKey, planHash, type Signer, signerOf, signPlan } from "@toolbus/grants";
import type { Arena, Attacker, Held } from "../arena.ts";
import { answered, type Attack, both, held, reached, refusedWith, service, serverOr } from "../attack.ts";
import { ask } from "../http.ts";
import { cardOf, newPayee, plannedMessage, plannedWrite, roundShown, shownLimit, storedPlans } from "../planned-write.ts";
import { textIn } from "../text-in.ts";

/** How approvals refuses what no worker of the toolset said. */
export const REFUSED = service("message_refused", /message_refused/);

const UNTRUE: Plan = { before: { limit: 100 }, after: { limit: 1 } };
const WITHOUT_PROOF = async () => async () => ({ said: { plan: UNTRUE }, proof: null });

/** Answers to the question what a write would change, by somebody who does not have the key of its toolset. */
export const plans: readonly Attack[] = [
  forgedAnswer("a plan is answered without a proof", "agent", serverOr(REFUSED), WITHOUT_PROOF),
  forgedAnswer("a plan is answered with the agent's own key", "agent", serverOr(REFUSED), (arena) => signedBy(arena, "agent")),
  forgedAnswer("a plan is answered with another toolset's key", "neighbour", both(REFUSED), (arena) => signedBy(arena, "neighbour")),
  forgedAnswer("a plan is answered by the toolset's login without a proof", "worker", both(REFUSED), WITHOUT_PROOF),
  forgedAnswer("a plan is answered by the toolset's login with an own key under the toolset's key id", "worker", both(REFUSED), (arena) =>
    signedBy(arena, "nobody"),
  ),
  forgedAnswer("a problem is answered in place of a plan, to end the approval", "worker", both(REFUSED), async (arena) => {
    const make = await signedBy(arena, "nobody");
    return async (write) => ({ ...(await make(write)), said: { problem: "It cannot be done." } });
  }),
  forgedAnswer("the genuine plan of another approval is answered", "worker", both(REFUSED), async (arena) => {
    const other = await planOfAnother(arena, newPayee(), 60);
    return async () => other;
  }),
  forgedAnswer(
    "the genuine plan of another approval with the same arguments is answered",
    "worker",
    both(REFUSED),
    async (arena, payee) => {
      const other = await planOfAnother(arena, payee, 70);
      return async () => other;
    },
  ),
  forgedAnswer("a made-up plan is answered with the genuine proof of another", "worker", both(REFUSED), async (arena, payee) => {
    const { proof } = await planOfAnother(arena, payee, 70);
    return async () => ({ said: { plan: UNTRUE }, proof });
  }),
  {
    name: "the genuine plan of arguments that an approver has changed since is answered again",
    attacker: "worker",
    // Approvals takes no notice of the answer, because the worker may have sent it before the change. So nobody can approve the write yet.
    expected: both(answered(409)),
    async run(arena) {
      const write = await plannedWrite(arena, newPayee(), 70);
      const first = (await storedPlans(arena, write))[0] ?? {};
      const show = arena.system.target.hideLimits();
      try {
        await decision(arena, write, { arguments: { ...write.args, amount: 50 } });
        await arena.as("worker").publish(plannedMessage(write, { plan: first["content"] ?? null }, textIn(first["proof"])));
        await afterwards(arena, write);
        const card = await cardOf(arena, write);
        const status = await decision(arena, write, { planHash: textIn(first["hash"]) });
        return card["planning"] === true
          ? refusedWith(status, "the card waits for the plan of the changed arguments")
          : reached(`the card shows ${shownLimit(card)}`);
      } finally {
        show();
        await arena.decide(write, "deny");
      }
    },
  },
];

interface Answer {
  readonly said: JsonObject;
  readonly proof: string | null;
}

type MakeAnswer = (write: Held) => Promise<Answer>;

/** Sends an answer while no worker can make the plan. People must then see only the worker's own plan. */
function forgedAnswer(
  name: string,
  attacker: Exclude<Attacker, "http">,
  expected: Attack["expected"],
  prepare: (arena: Arena, payee: string) => Promise<MakeAnswer>,
): Attack {
  return {
    name,
    attacker,
    expected,
    async run(arena) {
      const payee = newPayee();
      const make = await prepare(arena, payee);
      const show = arena.system.target.hideLimits();
      const write = await arena.held("planned", { payee, amount: 70 });
      try {
        const { said, proof } = await make(write);
        await arena.as(attacker).publish(plannedMessage(write, said, proof));
        await refusedOr(arena, write, async () => (await cardOf(arena, write))["planning"] !== true);
        const card = await cardOf(arena, write);
        if (card["planning"] !== true) return reached(`it is ${textIn(card["status"])}, and the card shows "${shownLimit(card)}"`);
        show();
        const shown = shownLimit(await roundShown(arena, write, 1));
        return shown === "100 to 70" ? held("people saw only the worker's own plan", write.callId) : reached(`people saw ${shown}`);
      } finally {
        show();
        await arena.decide(write, "deny");
      }
    },
  };
}

/** Returns a maker of a signed plan. `nobody` has only the id of the toolset's key, and signs with another key. */
export async function signedBy(
  arena: Arena,
  who: "agent" | "neighbour" | "nobody",
  more: { readonly drifted?: number } = {},
): Promise<MakeAnswer> {
  const { signer: genuine } = await arena.as(who === "nobody" ? "worker" : who).identity();
  const signer: Signer = who === "nobody" ? { ...(await signerOf(await generateSigningKey())), kid: genuine.kid } : genuine;
  return async ({ callId, approvalId, tool }) => {
    const { toolHash, argsHash } = (await arena.stored(keys.approval(approvalId))) as Readonly<Record<"toolHash" | "argsHash", string>>;
    const claims = { callId, toolset: "payments", tool, toolHash, argsHash, planHash: planHash(UNTRUE), at: Date.now(), ...more };
    return { said: { plan: UNTRUE, ...more }, proof: await signPlan(claims, signer) };
  };
}

/** Makes another write with a plan, and denies it. Returns what the worker answered for it. */
async function planOfAnother(arena: Arena, payee: string, amount: number): Promise<Answer> {
  const other = await plannedWrite(arena, payee, amount);
  const plan = (await storedPlans(arena, other))[0] ?? {};
  await arena.decide(other, "deny");
  return { said: { plan: plan["content"] ?? null }, proof: textIn(plan["proof"]) };
}

/** Waits until approvals has refused a message about the write, or until something else has come of it. */
export async function refusedOr(arena: Arena, { callId }: Held, isOtherwise: () => Promise<boolean>): Promise<void> {
  await arena.until("what approvals makes of it", async () => (refusals(arena, callId) > 0 || (await isOtherwise()) ? true : null));
}

/** Resolves when approvals has taken all earlier messages about a write. A message without a proof shows this, because approvals refuses it. */
export async function afterwards(arena: Arena, write: Held): Promise<void> {
  const before = refusals(arena, write.callId);
  await arena.as("worker").publish(plannedMessage(write, { plan: UNTRUE }, null));
  await arena.until("approvals to have taken it", () => (refusals(arena, write.callId) > before ? true : null));
}

function refusals(arena: Arena, callId: string): number {
  return arena.system.lines().filter((line) => line.includes(callId) && line.includes("message_refused")).length;
}

/** Approves as Amy, with what she sends besides her token. Returns the HTTP status. */
async function decision(arena: Arena, { approvalId }: Held, sent: JsonObject): Promise<number> {
  const url = arena.approvals(`/v1/approvals/${encodeURIComponent(approvalId)}`);
  const { amy } = arena.system.people;
  const card = (await ask(url, amy)).body as JsonObject;
  const argumentsHash = card["argumentsHash"];
  const body = { decision: "approve", token: card["decisionToken"] ?? "none-was-given-to-her-any-more-at-all", argumentsHash, ...sent };
  return (await ask(`${url}/decision`, amy, body)).status;
}
