import { attributes, isJsonObject, type JsonObject, type Message, messageTypes, topics } from "@toolbus/contracts";
import { argumentsHash, canonicalJson, generateSigningKey, parseGrantClaims, type Signer, signerOf, signGrant } from "@toolbus/grants";
import { type Arena, type Attacker, forgedMessage, type UnderWay } from "../arena.ts";
import { type Attack, both, dropped, held, type Outcome, reached, service, serverOr } from "../attack.ts";
import { TOOLS } from "../payments.ts";
import { textIn } from "../text-in.ts";

const MISSING = service("missing", /"reason":"missing"/);
const SIGNATURE = service("signature", /"reason":"signature"/);

/** Calls that no genuine agent sends: without a grant, with another call's grant, or with a forged grant. */
export const calls: readonly Attack[] = [
  invoked("a write is sent to its worker without a grant", "agent", both(MISSING), ({ another }) => another()),
  invoked("a critical write is sent to its worker without a grant", "agent", both(MISSING), ({ another }) =>
    another({ toolName: TOOLS.critical }),
  ),
  invoked("the worker of another toolset sends a write without a grant", "neighbour", serverOr(MISSING), ({ another }) => another()),
  invoked("the gateway sends a write without a grant", "gateway", serverOr(MISSING), ({ another }) => another()),
  invoked("somebody without a login and a key sends a write", "stranger", serverOr(MISSING), ({ another }) => another()),
  invoked(
    "a write is sent with the genuine grant of another call",
    "agent",
    both(service("call", /"reason":"call"/)),
    ({ another, grant }) => granted(another(), grant),
  ),
  invoked("a granted write is sent with other arguments", "agent", both(service("arguments", /"reason":"arguments"/)), ({ same, grant }) =>
    granted(same({ arguments: canonicalJson(EVE) }), grant),
  ),
  invoked("the grant of a high write is used for a critical one", "agent", both(service("tool", /"reason":"tool"/)), ({ same, grant }) =>
    granted(same({ toolName: TOOLS.critical }), grant),
  ),
  invoked("the claims of a grant are reworded under its old signature", "agent", both(SIGNATURE), ({ another, claims, grant }) => {
    const message = another();
    const [header, , signature] = grant.split(".");
    const payload = Buffer.from(canonicalJson({ ...claims, callId: message.correlationId ?? "", exp: Number(claims["exp"]) + 86_400 }));
    return granted(message, [header, payload.toString("base64url"), signature].join("."));
  }),
  invoked("a grant is signed by the attacker under the name of the genuine key", "agent", both(SIGNATURE), async (genuine) => {
    const { kid } = headerOf(genuine.grant);
    const { key } = await signerOf(await generateSigningKey());
    return ownGrant(genuine, { kid, key });
  }),
  invoked("a grant is signed with a key that nobody knows", "agent", both(dropped(/a stale grant was answered/)), async (genuine) =>
    ownGrant(genuine, await signerOf(await generateSigningKey())),
  ),
  invoked(
    "a grant is signed with the agent's own genuine key",
    "agent",
    both(dropped(/a stale grant was answered/)),
    async (genuine, arena) => ownGrant(genuine, (await arena.as("agent").identity()).signer),
  ),
  invoked(
    "a grant without a signature asks for no algorithm",
    "agent",
    both(service("malformed", /"reason":"malformed"/)),
    ({ another, grant }) => {
      const header = Buffer.from(JSON.stringify({ ...headerOf(grant), alg: "none" })).toString("base64url");
      return granted(another(), `${header}.${grant.split(".")[1] ?? ""}.`);
    },
  ),
  invoked("a write that was done is sent again with its own grant", "agent", both(dropped(/a tool call was answered/)), ({ same, grant }) =>
    granted(same(), grant),
  ),
];

/** RabbitMQ also routes by the header `CC`, without a check of topic permissions (P2 in docs/permissions.md). So the consumer checks the topic. */
export const smuggled: Attack = {
  name: "an answer is routed to the queue of calls as well, by a header",
  attacker: "neighbour",
  expected: both(dropped(/published under another topic is dropped/)),
  broker: "rabbitmq",
  async run(arena) {
    const underWay = await arena.underWay("high", { payee: "BAKERY", amount: 43 });
    await underWay.finish();
    const before = arena.system.target.journal().length;
    const call = genuineOf(underWay).another();
    await arena.as("neighbour").broker((bus) => bus.publish({ ...call, topic: topics.result("default") }, call.topic));
    const outcome = await noEffect(arena, before, call.correlationId ?? "");
    return outcome.reached ? outcome : held(outcome.detail);
  },
};

/** A genuine write that was granted and has ended, with everything that the agent knows about it. */
interface Genuine {
  readonly grant: string;
  readonly claims: JsonObject;
  /** Makes the same call again, with `change` in its body. */
  same(change?: JsonObject): Message;
  /** Makes a call of the run that nobody requested, with another payee. */
  another(change?: JsonObject): Message;
}

const EVE = { payee: "EVE", amount: 9000 };
let sent = 0;

function invoked(
  name: string,
  attacker: Exclude<Attacker, "http">,
  expected: Attack["expected"],
  make: (genuine: Genuine, arena: Arena) => Message | Promise<Message>,
): Attack {
  return {
    name,
    attacker,
    expected,
    async run(arena) {
      const underWay = await arena.underWay("high", { payee: "BAKERY", amount: 41 });
      await underWay.finish();
      const before = arena.system.target.journal().length;
      const message = await make(genuineOf(underWay), arena);
      await arena.as(attacker).publish(message);
      return noEffect(arena, before, message.correlationId ?? "");
    },
  };
}

/** Completes a genuine write. After that, the worker has consumed all earlier messages. Returns whether any other effect reached the target. */
export async function noEffect(arena: Arena, before: number, callId: string): Promise<Outcome> {
  const { callId: genuine } = await arena.done("high", { payee: "BAKERY", amount: 42 });
  const more = arena.system.target
    .journal()
    .slice(before)
    .filter((effect) => effect.callId !== genuine);
  return more.length > 0 ? reached(`it ran: ${JSON.stringify(more)}`) : held("nothing came to the target", callId);
}

function genuineOf({ write, call }: UnderWay): Genuine {
  const grant = textIn(call["grant"]);
  return {
    grant,
    claims: claimsOf(grant),
    same: (change = {}) => invokeOf(call, write.callId, change),
    another: (change = {}) =>
      invokeOf(call, write.callId.replace(/\d+$/, String(100 + ++sent)), { arguments: canonicalJson(EVE), ...change }),
  };
}

/** Makes the message that would run a call, with `change` in its body. No agent waits for an answer with its secret. */
export function invokeOf(call: JsonObject, callId: string, change: JsonObject = {}): Message {
  const { toolVersion, toolHash, toolName, arguments: args, conversationId: sessionId } = call;
  return forgedMessage({
    id: `${callId}#forged-${++sent}`,
    topic: topics.invoke("payments"),
    type: messageTypes.toolInvoke,
    correlationId: callId,
    replyTo: topics.result("default"),
    attributes: {
      [attributes.callSecret]: "a-secret-of-somebody-elses",
      [attributes.dispatch]: 1,
      [attributes.notAfter]: Date.now() + 600_000,
      [attributes.toolVersion]: textIn(toolVersion),
      ...("toolName" in change ? {} : { [attributes.toolHash]: textIn(toolHash) }),
    },
    body: { toolCallId: callId, toolName, arguments: args, sessionId, ...change },
  });
}

export function granted(message: Message, grant: string): Message {
  return { ...message, attributes: { ...message.attributes, [attributes.grant]: grant } };
}

/** Makes a call of the attacker. Its grant has all claims of the genuine grant, but the attacker's own signature. */
async function ownGrant({ another, claims }: Genuine, signer: Signer): Promise<Message> {
  const message = another();
  const args = (JSON.parse(message.body) as { readonly arguments: string }).arguments;
  const callId = message.correlationId ?? "";
  const parsed = parseGrantClaims({ ...claims, callId, jti: `ap_${callId}`, argsHash: argumentsHash(args) });
  if (!parsed.ok) throw new Error("The genuine grant holds no claims.");
  return granted(message, await signGrant(parsed.value, signer));
}

function claimsOf(grant: string): JsonObject {
  return partOf(grant, 1);
}

function headerOf(grant: string): { readonly kid: string } {
  return { kid: textIn(partOf(grant, 0)["kid"]) };
}

function partOf(grant: string, part: number): JsonObject {
  const parsed = JSON.parse(Buffer.from(grant.split(".")[part] ?? "", "base64url").toString());
  if (!isJsonObject(parsed)) throw new Error("A grant's part is no object.");
  return parsed;
}
