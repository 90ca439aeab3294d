import { type Json, type JsonObject, keys } from "@toolbus/contracts";
import { generateSigningKey, publicKeySet, signDocument, signerOf } from "@toolbus/grants";
import type { Arena } from "../arena.ts";
import { type Attack, type Expected, held, reached, residual, server, service, serverOr } from "../attack.ts";
import { ask } from "../http.ts";
import { TOOLS } from "../payments.ts";
import { granted, invokeOf } from "./calls.ts";
import { textIn } from "../text-in.ts";

const REFUSED = service("document_refused", /document_refused/);

/** Attacks on documents that approvals signs for other services. */
export const pins: readonly Attack[] = [
  forgedPin("the pin of a high write says that it is a low one", ({ definition }) => ({
    definition: { ...asObject(definition), risk: { tier: "low" } },
  })),
  forgedPin("the pin of a write has the hash of another definition", () => ({ hash: `sha256-${"A".repeat(43)}` })),
  forgedPin("the pin of a write names another toolset", () => ({ toolset: "notes" })),
  forgedPin("the pin of a write has a receipt key of the attacker's", async () => {
    const { keys: receiptKeys } = publicKeySet([await generateSigningKey()]);
    return { receiptKeys: receiptKeys as unknown as Json };
  }),
  forgedPin("a pin is signed with a key of the attacker's own", async (stored) => {
    const { signature: _, ...content } = stored;
    const signed = await signDocument(
      "tb-pin+jwt",
      { key: keys.pin(TOOLS.high), revision: 99, content: { ...content, toolset: "notes" } },
      await signerOf(await generateSigningKey()),
    );
    return signed as unknown as JsonObject;
  }),
  {
    name: "a pin from before the operator switched the write off is put back",
    attacker: "agent",
    expected: serverOr(REFUSED),
    run: (arena) => olderPin(arena, false),
  },
  {
    name: "a pin from before the operator switched the write off is put back while approvals starts anew",
    attacker: "agent",
    expected: { own: server, shared: residual("R3") },
    run: (arena) => olderPin(arena, true),
  },
  forgedEra("the era is raised in the store, by who may not", 99),
  forgedEra("the era is lowered in the store, by who may not", 1),
  {
    name: "an invented era lets the worker take a grant",
    attacker: "agent",
    expected: serverOr(service("era_forged", /"reason":"era_forged"/)),
    async run(arena) {
      const underWay = await arena.underWay("high", { payee: "BAKERY", amount: 71 });
      await underWay.finish();
      const key = keys.era();
      const before = await arena.eye.text(key);
      await arena.as("agent").overwrite(key, { era: 1, raisedAt: 0, reason: "made up" });
      try {
        const callId = underWay.write.callId.replace(/\d+$/, "77");
        await arena.as("agent").publish(granted(invokeOf(underWay.call, callId), textIn(underWay.call["grant"])));
        await arena.until("the worker's line", () =>
          arena.system.lines().some((line) => line.includes(callId) && /era_forged|dropped/.test(line)) ? true : null,
        );
        return held("the call was dropped", callId);
      } finally {
        await arena.eye.putBack(key, before);
      }
    },
  },
];

function forgedPin(name: string, change: (stored: JsonObject) => JsonObject | Promise<JsonObject>, expected: Expected = REFUSED): Attack {
  return {
    name,
    attacker: "agent",
    expected: serverOr(expected),
    async run(arena) {
      const key = keys.pin(TOOLS.high);
      const before = await arena.eye.text(key);
      const stored = await arena.stored(key);
      await arena.as("agent").overwrite(key, { ...stored, ...(await change(stored)) });
      try {
        return await refusedWrite(arena);
      } finally {
        await arena.eye.putBack(key, before);
        await genuineAgain(arena);
      }
    },
  };
}

/** Asks for the write as a person. The run must end without a grant. */
async function refusedWrite(arena: Arena) {
  const write = await arena.asked("high", { payee: "BAKERY", amount: 72 });
  const events = await arena.ended(write.runId);
  const decided = events.find((event) => event.type === "call.decided");
  const outcome = decided?.type === "call.decided" ? decided.outcome : "none";
  return outcome === "approved" ? reached("it was granted") : held(`a write asked for meanwhile ended as ${outcome}`, keys.pin(TOOLS.high));
}

/**
 * Asks for a genuine write and denies it. The request shows that the repaired document is valid again, so the next attack begins with the original
 * state.
 */
async function genuineAgain(arena: Arena): Promise<void> {
  await arena.decide(await arena.held("high", { payee: "BAKERY", amount: 75 }), "deny");
}

async function olderPin(arena: Arena, anew: boolean) {
  const key = keys.pin(TOOLS.high);
  const { operator } = arena.system.people;
  const enabled = await arena.eye.text(key);
  const off = await ask(arena.approvals(`/v1/writes/${TOOLS.high}/disable`), operator, {});
  if (off.status !== 200) throw new Error(`Approvals answered ${off.status}: ${JSON.stringify(off.body)}`);
  const disabled = await arena.eye.text(key);
  try {
    await refusedWrite(arena);
    await arena.as("agent").putBack(key, enabled);
    if (!anew) return await refusedWrite(arena);
    await arena.system.apart.restart("approvals", 1);
    const write = await arena.held("high", { payee: "BAKERY", amount: 73 });
    await arena.decide(write, "deny");
    return reached("the write may be asked for again; nothing is granted without its people", "R3");
  } finally {
    await arena.eye.putBack(key, disabled);
    const { toolset, hash } = await arena.stored(key);
    await ask(arena.approvals(`/v1/writes/${TOOLS.high}/enable`), operator, { toolset, hash });
  }
}

function forgedEra(name: string, era: number): Attack {
  return {
    name,
    attacker: "agent",
    expected: serverOr(REFUSED),
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 74 });
      const key = keys.era();
      const before = await arena.eye.text(key);
      await arena.as("agent").overwrite(key, { era, raisedAt: 0, reason: "made up" });
      try {
        const answer = await arena.decide(write, "approve");
        return answer.status >= 400
          ? held(`a decision was answered ${answer.status} while it stood`, key)
          : reached(`it was decided with ${answer.status}`);
      } finally {
        await arena.eye.putBack(key, before);
        await arena.decide(write, "deny");
      }
    },
  };
}

function asObject(value: Json | undefined): JsonObject {
  return value as JsonObject;
}
