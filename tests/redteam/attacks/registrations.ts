import { type Json, type JsonObject, keys } from "@toolbus/contracts";
import { generateSigningKey, publicKeySet, toolHash } from "@toolbus/grants";
import type { Arena } from "../arena.ts";
import { type Attack, dropped, held, reached, serverOr, service } from "../attack.ts";
import { TOOLS } from "../payments.ts";
import { answeredWrite } from "./answers.ts";
import { textIn } from "../text-in.ts";

/** Tools that an attacker registers. */
export const registrations: readonly Attack[] = [
  changed("a write is registered as a read", serverOr(service("missing", /"reason":"missing"/)), (definition) => ({
    ...definition,
    kind: "read",
  })),
  changed("a high write is registered as a low one", serverOr(dropped(/"status":"refused".*a write asked for a grant/)), (definition) => ({
    ...definition,
    risk: { tier: "low" },
  })),
  changed(
    "a write is registered with a schema that takes anything",
    serverOr(dropped(/"status":"refused".*a write asked for a grant/)),
    (definition) => ({ ...definition, parameters: { type: "object", additionalProperties: true } }),
  ),
  {
    name: "the registration of a write names a receipt key of the attacker's",
    attacker: "agent",
    expected: serverOr(dropped(/answer to a write that no worker of its toolset signed/)),
    async run(arena) {
      const key = keys.registration("payments", TOOLS.high, "1");
      const before = await arena.eye.text(key);
      const [receiptKey] = publicKeySet([await generateSigningKey()]).keys;
      await arena.as("agent").register(key, { ...(await arena.stored(key)), receiptKey } as Json);
      try {
        return await answeredWrite(arena, "neighbour", async ({ secret }) => ({ secret: textIn(secret) }));
      } finally {
        await arena.eye.putBack(key, before);
        await arena.eye.commitInRegistry();
      }
    },
  },
];

/** The attacker changes the registration. Then a person's run asks for the changed write. */
function changed(name: string, expected: Attack["expected"], change: (definition: JsonObject) => JsonObject): Attack {
  return {
    name,
    attacker: "agent",
    expected,
    async run(arena) {
      const key = keys.registration("payments", TOOLS.high, "1");
      const before = await arena.eye.text(key);
      const stored = await arena.stored(key);
      const definition = change(stored["definition"] as JsonObject);
      await arena.as("agent").register(key, { ...stored, definition, hash: toolHash(definition as never) } as Json);
      try {
        return await askedFor(arena);
      } finally {
        await arena.eye.putBack(key, before);
        await arena.eye.commitInRegistry();
      }
    },
  };
}

async function askedFor(arena: Arena) {
  const write = await arena.asked("high", { payee: "EVE", amount: 9000 });
  await arena.until("what becomes of it", () =>
    arena.system.lines().some((line) => line.includes(write.callId) && /"reason":"missing"|"status":"refused"/.test(line)) ? true : null,
  );
  const ran = arena.system.target.journal().some(({ callId }) => callId === write.callId);
  return ran ? reached("it ran") : held("nothing came to the target", write.callId);
}
