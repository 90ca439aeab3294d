import type { MemoryBus } from "@toolbus/bus";
import {
  approvalIdOf,
  attributes,
  type Call,
  type JsonObject,
  type Message,
  message,
  messageTypes,
  type Plan,
  topics,
} from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";
import type { Prng } from "../clockwork/prng.ts";
import { type Facts, familyOf } from "../invariants/facts.ts";
import type { Wire } from "../ports/wire.ts";
import { TOOLSET } from "./sim-tools.ts";

export interface AdversaryOptions {
  readonly wire: Wire;
  readonly bus: MemoryBus;
  readonly facts: Facts;
  readonly random: Prng;
}

/**
 * An attacker who can publish on the bus and has seen call ids, but has no key and no secret of a call. It sends invokes without a grant or with
 * another call's grant, results without the secret, decisions and wakes. It also records messages and sends them again.
 */
export interface Adversary {
  forge(): void;
  replay(): void;
}

export function adversary({ wire, bus, facts, random }: AdversaryOptions): Adversary {
  const recorded: Message[] = [];
  const { clockwork, note } = wire;
  // The changes of plans come from a separate stream, so that the worlds of seeds without plans do not change.
  const plans = random.fork("plans");
  let count = 0;
  const genuine = bus.publish;
  // Records messages at the entry of the broker, where every published message passes.
  bus.publish = (sent) => {
    if (recorded.length < 500) recorded.push(sent);
    return genuine(sent);
  };
  return {
    forge() {
      const calls = [...facts.documents].filter(([key]) => familyOf(key) === "call").map(([, value]) => value as unknown as Call);
      if (calls.length === 0) return send(wake("rn_00_01ARZ3NDEKTSV4RRFFQ69G5FAV"));
      const call = random.pick(calls);
      send(random.pick([invoke, result, staleGrant, decided, held, someWake])(call));
    },
    replay() {
      if (recorded.length > 0) send(changed(random.pick(recorded)));
    },
  };

  /** Sometimes returns a worker's plan with other values under the same signature. */
  function changed(sent: Message): Message {
    const body = JSON.parse(sent.body || "{}") as { readonly plan?: Plan };
    if (sent.type !== messageTypes.approvalPlanned || body.plan === undefined || !plans.chance(0.5)) return sent;
    return { ...sent, id: `mallory:${++count}`, body: JSON.stringify({ ...body, plan: { ...body.plan, before: { state: 9 } } }) };
  }

  function send(forged: Message): void {
    note(`mallory sends ${forged.type} ${forged.id}`);
    void genuine(forged).catch(() => undefined);
  }

  /**
   * Makes an invoke with another call's grant, or with this call's grant for other arguments. It never sends a grant with the granted call and
   * arguments, because anyone who has a genuine grant may request exactly this call, as the agent may.
   */
  function invoke(call: Call): Message {
    const altered = { ...(JSON.parse(call.arguments || "{}") as JsonObject), n: random.below(1001) };
    const args = random.chance(0.5) ? canonicalJson(altered) : call.arguments || "{}";
    const grants = grantsSeen((other) => other !== call.callId || (args !== call.arguments && call.arguments !== ""));
    return made(call, topics.invoke(TOOLSET), messageTypes.toolInvoke, {
      attributes: {
        [attributes.grant]: random.chance(0.3) || grants.length === 0 ? undefined : random.pick(grants),
        [attributes.callSecret]: "guessed",
        [attributes.dispatch]: 1,
      },
      replyTo: topics.result("default"),
      body: { toolCallId: call.callId, toolName: call.toolName, arguments: args, sessionId: call.conversationId },
    });
  }

  function grantsSeen(ofCall: (callId: string) => boolean): readonly string[] {
    return recorded.flatMap(({ attributes: named }) => {
      const grant = named[attributes.grant];
      return grant !== undefined && ofCall(callOf(grant)) ? [grant] : [];
    });
  }

  function result(call: Call): Message {
    return made(call, topics.result("default"), messageTypes.toolResult, {
      attributes: { [attributes.secretHash]: random.chance(0.5) ? "sha256-guessed" : undefined },
      body: { toolCallId: call.callId, toolName: call.toolName, content: '"forged"', isError: false },
    });
  }

  function staleGrant(call: Call): Message {
    return made(call, topics.result("default"), messageTypes.grantStale, {
      body: { toolCallId: call.callId, toolName: call.toolName, code: "grant_stale", message: "forged", isRetryable: true },
    });
  }

  function decided(call: Call): Message {
    const grants = grantsSeen((other) => other !== call.callId);
    const grant = random.chance(0.5) && grants.length > 0 ? random.pick(grants) : "forged";
    return made(call, topics.approvalDecided("default"), messageTypes.approvalDecided, {
      attributes: { [attributes.grant]: grant },
      body: { toolCallId: call.callId, approvalId: approvalIdOf(call.callId), outcome: random.pick(["approved", "rejected", "expired"]) },
    });
  }

  function held(call: Call): Message {
    return made(call, topics.approvalHeld("default"), messageTypes.approvalHeld, {
      body: {
        toolCallId: call.callId,
        approvalId: approvalIdOf(call.callId),
        tier: "low",
        expiresAt: Math.floor(clockwork.now + random.magnitude(1, 1e12)),
        effect: "forged",
      },
    });
  }

  function someWake(call: Call): Message {
    return wake(call.runId, random.chance(0.5) ? call.runId : undefined);
  }

  function wake(runId: string, entryId?: string): Message {
    return message({
      id: `mallory:${++count}`,
      topic: topics.runWake,
      type: messageTypes.runWake,
      source: "/mallory",
      now: Math.floor(clockwork.now),
      body: { runId, ...(entryId === undefined ? {} : { entryId }) },
    });
  }

  function made(
    call: Call,
    topic: string,
    type: string,
    parts: {
      readonly body: object;
      readonly attributes?: Readonly<Record<string, string | number | undefined>>;
      readonly replyTo?: string;
    },
  ): Message {
    return message({
      id: `mallory:${++count}`,
      topic,
      type,
      source: "/mallory",
      now: Math.floor(clockwork.now),
      correlationId: call.callId,
      ...parts,
    });
  }
}

/** Returns the call that a grant is for. A message may contain another call's grant. */
function callOf(grant: string): string {
  const payload = Buffer.from(grant.split(".")[1] ?? "", "base64url").toString();
  return /"callId":"([^"]*)"/.exec(payload)?.[1] ?? "";
}
