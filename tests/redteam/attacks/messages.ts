import { attributes, keys, messageTypes, rollbackMessage, topics } from "@toolbus/contracts";
import { signMessage } from "@toolbus/grants";
import { forgedMessage } from "../arena.ts";
import { type Attack, both, dropped, held, reached, service, serverOr } from "../attack.ts";
import { ask } from "../http.ts";
import { textIn } from "../text-in.ts";

const REFUSED = service("message_refused", /message_refused/);

/** Messages that only services send, forged by another sender. */
export const messages: readonly Attack[] = [
  {
    name: "a notice that the store lost writes, signed by nobody",
    attacker: "neighbour",
    expected: both(REFUSED),
    async run(arena) {
      const before = await eraOf(arena);
      await arena.as("neighbour").publish(notice("unsigned"));
      return sameEra(arena, before);
    },
  },
  {
    name: "a notice that the store lost writes, signed with a key that nobody trusts",
    attacker: "neighbour",
    expected: both(REFUSED),
    async run(arena) {
      const before = await eraOf(arena);
      const { signer } = await arena.as("neighbour").identity();
      await arena.as("neighbour").publish(await signMessage(notice("misnamed"), { service: "agent", signer }));
      return sameEra(arena, before);
    },
  },
  {
    name: "a pending approval is cancelled by an unsigned message",
    attacker: "agent",
    expected: both(REFUSED),
    run: (arena) => cancelled(arena, async (message) => message),
  },
  {
    name: "a pending approval is cancelled with a worker's key",
    attacker: "worker",
    expected: serverOr(REFUSED),
    run: (arena) => cancelled(arena, async (message) => signMessage(message, await arena.as("worker").identity()), "worker"),
  },
  {
    name: "a pending approval is cancelled in the name of another agent",
    attacker: "agent",
    expected: both(REFUSED),
    run: (arena) =>
      cancelled(arena, async (message) => {
        const named = { ...message, attributes: { ...message.attributes, [attributes.agent]: "another" } };
        return signMessage(named, await arena.as("agent").identity());
      }),
  },
  {
    name: "a pending approval is cancelled with an escape sequence and a line break in the reason",
    attacker: "agent",
    expected: both(dropped(/approval\.cancel.*(schema|dead)/)),
    run: (arena) =>
      cancelled(
        arena,
        async (message) => signMessage(message, await arena.as("agent").identity()),
        "agent",
        "all is well\u001b[2J\nApproved by amy",
      ),
  },
];

type Arena = Parameters<Attack["run"]>[0];

let sent = 0;

function notice(what: string) {
  return rollbackMessage({ losses: [{ shard: "03", seenAt: Date.now() }], source: "agent", id: `${what}-${++sent}`, now: Date.now() });
}

async function eraOf(arena: Arena): Promise<unknown> {
  return (await ask(arena.approvals("/v1/era"), arena.system.people.operator)).body["era"];
}

async function sameEra(arena: Arena, before: unknown) {
  const after = await eraOf(arena);
  return after === before ? held(`the era is still ${String(after)}`) : reached(`the era is ${String(after)}`);
}

async function cancelled(
  arena: Arena,
  sign: (message: ReturnType<typeof forgedMessage>) => Promise<ReturnType<typeof forgedMessage>>,
  by: "agent" | "worker" = "agent",
  reason = "not_needed",
) {
  const write = await arena.held("high", { payee: "BAKERY", amount: 31 });
  const message = forgedMessage({
    id: `approval.cancel:${write.callId}#${++sent}`,
    topic: topics.approvalCancel,
    type: messageTypes.approvalCancel,
    correlationId: write.callId,
    attributes: { [attributes.agent]: "default" },
    body: { toolCallId: write.callId, reason },
  });
  await arena.as(by).publish(await sign(message));
  const { status } = await arena.stored(keys.approval(write.approvalId));
  const answer = await arena.decide(write, "deny");
  return status === "pending" && answer.status === 200
    ? held("it is still pending, and a person could deny it", write.callId)
    : reached(`it is ${textIn(status)}`);
}
