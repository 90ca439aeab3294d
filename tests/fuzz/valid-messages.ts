import { deadLetterMessage } from "@toolbus/bus";
import {
  APPROVAL_OUTCOMES,
  type ApprovalDecided,
  type ApprovalRequest,
  approvalIdOf,
  attributes,
  callParts,
  DEFAULT_AGENT,
  failedResult,
  type Message,
  message,
  messageTypes,
  topics,
  type ToolInvoke,
} from "@toolbus/contracts";
import { canonicalJson, secretHash } from "@toolbus/grants";
import { grantStaleMessage, resultMessage, type Toolset } from "@toolbus/tool-kit";
import { TOOLSET } from "./fuzz-tools.ts";
import type { Random } from "./random.ts";
import { SECRET_MARK } from "./witness.ts";

/** A sender's knowledge about the system. */
export interface Known {
  readonly random: Random;
  readonly toolset: Toolset;
  /** The wall-clock time in milliseconds. */
  readonly now: number;
  /** The number of the next message. */
  readonly n: number;
  /** A call of an active run, of an ended run, of a run that does not exist, or of a missing shard. */
  readonly callId: string;
  readonly conversationId: string;
  /** The secret of the call's invoke, if the sender has read it. */
  readonly callSecret: string | undefined;
  /** The id of a stored dead letter, or of a dead letter that does not exist. */
  readonly letterId: string;
}

/** Returns a message for this topic with a valid form, about the known call. The message may have no effect. */
export function validMessage(topic: string, known: Known): Message {
  const make = makers[topic];
  if (!make) throw new Error(`There is no valid message for ${topic}.`);
  return make(known);
}

type Make = (known: Known) => Message;

const makers: Readonly<Record<string, Make>> = {
  [topics.runWake]: wake,
  [topics.approvalRequest]: request,
  [topics.approvalCancel]: (known) =>
    made(known, topics.approvalCancel, messageTypes.approvalCancel, { toolCallId: known.callId, reason: "Nobody needs it." }),
  [topics.approvalRollback]: (known) =>
    made(known, topics.approvalRollback, messageTypes.approvalRollback, { losses: [{ shard: "0f", seenAt: 0 }] }),
  [topics.approvalPlanned]: planned,
  [topics.plan(TOOLSET)]: (known) => made(known, topics.plan(TOOLSET), messageTypes.toolPlan, questionOf(known)),
  [topics.operationsReplay]: (known) => made(known, topics.operationsReplay, messageTypes.operationsReplay, { letterId: known.letterId }),
  [topics.approvalHeld(DEFAULT_AGENT)]: held,
  [topics.approvalDecided(DEFAULT_AGENT)]: decided,
  [topics.result(DEFAULT_AGENT)]: result,
  [topics.invoke(TOOLSET)]: (known) => invoke(known),
  [topics.progress(DEFAULT_AGENT)]: progress,
  [topics.toolCancel]: (known) => made(known, topics.toolCancel, messageTypes.toolCancel, { toolCallId: known.callId }),
  [topics.toolAnnounce]: (known) => made(known, topics.toolAnnounce, messageTypes.toolAnnounce, { toolset: TOOLSET, tools: ["look"] }),
  [topics.toolRefresh]: (known) =>
    made(
      known,
      topics.toolRefresh,
      messageTypes.toolRefresh,
      known.random.chance(0.1) ? {} : { toolset: known.random.pick([TOOLSET, "other"]) },
    ),
  [topics.mcpServersIndexed]: (known) =>
    made(known, topics.mcpServersIndexed, messageTypes.mcpServersIndexed, {
      servers: [{ name: "memory", tools: known.random.below(9), available: known.random.chance(0.5), indexedAt: null }],
    }),
};

/** Returns a dead letter for a message that its queue gave up. */
export function letterOf(given: Message, queue: string, { random, now }: Known): Message {
  const deliveries = 1 + random.below(10);
  const history = Array.from({ length: deliveries - 1 }, (_, i) => ({ at: now - 1000 * i, reason: "the handler failed (TypeError)" }));
  return deadLetterMessage(given, { queue, reason: "the body breaks its schema: /toolCallId is required", deliveries, history, now });
}

/** Returns a text that looks like a grant: a JWS with claims for this call, but without a valid signature. */
export function forgedGrant({ callId, now, random }: Known): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    iss: "tb-approvals",
    aud: `tb-executor:${TOOLSET}`,
    jti: approvalIdOf(callId),
    callId,
    era: 1,
    exp: Math.floor(now / 1000) + 900,
  };
  return `${part({ alg: random.pick(["EdDSA", "Ed25519", "none", "HS256"]), kid: "k" })}.${part(claims)}.${SECRET_MARK}${random.below(1e9)}`;
}

export const madeUpSecret = ({ random }: Pick<Known, "random">): string => `${SECRET_MARK}${random.below(1e9)}`;

function wake(known: Known): Message {
  const { random, callId, n } = known;
  const { runId } = callParts(callId);
  const body = random.pick([
    { runId },
    { runId, entryId: runId },
    { runId, entryId: `entry-${n}` },
    { runId, call: { callId, dispatch: random.below(3), requests: random.below(3) } },
  ]);
  return made(known, topics.runWake, messageTypes.runWake, body);
}

function request(known: Known): Message {
  return made(known, topics.approvalRequest, messageTypes.approvalRequest, questionOf(known));
}

/** Returns the body of a request for a grant, which is also the body of a question for a plan. */
function questionOf(known: Known): ApprovalRequest {
  const { toolName, arguments: args } = callOf(known);
  const executor = known.toolset.find(toolName);
  return {
    toolCallId: known.callId,
    toolName,
    toolVersion: executor?.definition.version ?? "1",
    toolHash: executor?.hash ?? "sha256-none",
    arguments: args,
    sessionId: known.conversationId,
  };
}

/** Only a worker can sign a plan, so approvals refuses this message. */
function planned(known: Known): Message {
  const { random, callId, n } = known;
  const said = random.chance(0.5) ? { plan: { before: { sent: 0 }, after: { sent: n } } } : { problem: "There is no such account." };
  const body = { toolCallId: callId, toolName: callOf(known).toolName, ...said, ...(random.chance(0.5) ? { drifted: 1 } : {}) };
  return made(known, topics.approvalPlanned, messageTypes.approvalPlanned, body, {
    // A receipt is not secret, so a dead letter may contain it. The mark that the tests use to find secrets is removed.
    [attributes.receipt]: forgedGrant(known).replace(SECRET_MARK, ""),
  });
}

function held(known: Known): Message {
  const { random, callId, now } = known;
  const expiresAt = now + random.pick([1, 60_000, 900_000]);
  const body = { toolCallId: callId, approvalId: approvalIdOf(callId), tier: "high", expiresAt, effect: "Wire 3 to nobody." };
  return made(known, topics.approvalHeld(DEFAULT_AGENT), messageTypes.approvalHeld, body);
}

function decided(known: Known): Message {
  const { random, callId, now } = known;
  // Only approvals can sign a write's grant. So the worker refuses an "approved" with a forged grant.
  const outcome = random.pick(APPROVAL_OUTCOMES);
  const body: ApprovalDecided = {
    toolCallId: callId,
    approvalId: approvalIdOf(callId),
    outcome,
    comment: "So it is.",
    decidedBy: ["mallory"],
    ...(outcome === "approved" ? { grantExpiresAt: now + 900_000, executeBy: now + 86_400_000 } : {}),
  };
  return made(known, topics.approvalDecided(DEFAULT_AGENT), messageTypes.approvalDecided, body, { [attributes.grant]: forgedGrant(known) });
}

function invoke(known: Known): Message {
  const { random, callId, now, conversationId, toolset } = known;
  const { toolName, arguments: args } = callOf(known);
  const executor = toolset.find(toolName);
  const body: ToolInvoke = { toolCallId: callId, toolName, arguments: args, sessionId: conversationId };
  return {
    ...made(known, topics.invoke(TOOLSET), messageTypes.toolInvoke, body, {
      [attributes.grant]: random.chance(0.8) ? forgedGrant(known) : undefined,
      [attributes.callSecret]: madeUpSecret(known),
      [attributes.dispatch]: 1 + random.below(5),
      [attributes.notAfter]: now + 900_000,
      [attributes.toolVersion]: executor?.definition.version,
      [attributes.toolHash]: executor?.hash,
      [attributes.era]: 1,
    }),
    replyTo: topics.result(DEFAULT_AGENT),
  };
}

function result(known: Known): Message {
  const { random, callId, n, now } = known;
  const secret = known.callSecret ?? madeUpSecret(known);
  const parts = {
    invoke: { ...invoke(known), attributes: { [attributes.callSecret]: secret } },
    call: { toolCallId: callId, toolName: "look" },
    dispatch: 1 + random.below(5),
    source: "worker.fuzz",
    now,
  };
  if (random.chance(0.2)) return { ...grantStaleMessage({ ...parts, reason: "expired" }), id: `stale:${n}` };
  const ended = random.pick([
    { status: "ok", content: '{"found":3}', isError: false },
    failedResult("timeout", "It took too long."),
    failedResult("invalid_arguments", "They are not valid.", { details: [{ path: "/n", message: "must be integer" }] }),
  ] as const);
  return { ...resultMessage({ ...parts, result: ended }), id: `${callId}#r${n}` };
}

function progress(known: Known): Message {
  const { random, callId, n } = known;
  const body = {
    toolCallId: callId,
    toolName: "look",
    n: n + 1,
    message: "Half of it.",
    fraction: random.next(),
    secretHash: secretHash(known.callSecret ?? "guessed"),
  };
  return made(known, topics.progress(DEFAULT_AGENT), messageTypes.toolProgress, body);
}

function callOf({ random }: Known): { readonly toolName: string; readonly arguments: string } {
  const toolName = random.pick(["look", "note", "wire", "nothing"]);
  return { toolName, arguments: canonicalJson({ n: random.below(1001), to: "nobody" }) };
}

function made(
  { n, now, callId }: Known,
  topic: string,
  type: string,
  body: object,
  more: Readonly<Record<string, string | number | undefined>> = {},
): Message {
  return message({
    id: `${callId}#f${n}`,
    topic,
    type,
    source: "/fuzz",
    now,
    correlationId: callId,
    attributes: {
      [attributes.agent]: DEFAULT_AGENT,
      [attributes.traceparent]: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      ...more,
    },
    body,
  });
}
