import {
  type Role,
  derivedIds,
  keys,
  newConversationId,
  newRunId,
  parseInvestigationRequest,
  parseRunOrigin,
  shardOf,
} from "@toolbus/contracts";
import { HttpProblem, type Principal, type Route } from "@toolbus/runtime";
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptMessage, requestHash } from "../accept.ts";
import type { Gateway } from "../gateway.ts";
import { ownRun } from "../run-access.ts";
import { runView } from "../run-view.ts";

/** The profile that `POST /v1/investigations` starts. */
const PROFILE = "release-investigation";
const ROUTE = "POST /v1/investigations";
const CALLERS: readonly Role[] = ["user", "operator"];

export function investigationRoutes(gateway: Gateway): Route[] {
  return [
    {
      method: "POST",
      url: "/v1/investigations",
      access: CALLERS,
      handle: (request, reply, principal) => create(gateway, request, reply, principal),
    },
    {
      method: "GET",
      url: "/v1/investigations/:id",
      access: CALLERS,
      handle: async (request, _reply, principal) => runView(await ownRun(gateway.state, paramOf(request), principal)),
    },
  ];
}

export function paramOf(request: FastifyRequest): string {
  return (request.params as { readonly id: string }).id;
}

async function create(
  { state, outbox, config, random, clock }: Gateway,
  request: FastifyRequest,
  reply: FastifyReply,
  principal: Principal,
): Promise<unknown> {
  const body = parseInvestigationRequest(request.body ?? {});
  if (!body.ok) {
    throw new HttpProblem("invalid_request", "The body is no investigation request.", {
      remedy: 'Send {"releaseId": "…"}, optionally with "note".',
      errors: body.problems,
    });
  }
  const { releaseId, note } = body.value;
  const messageHash = requestHash(body.value);
  const key = idempotencyKey(request);
  const ids =
    key === undefined ? freshIds() : derivedIds({ tenant: principal.tenant, principal: principal.id, route: ROUTE, key }, state.shards);
  const { now } = await state.read([]);
  const change = acceptMessage(
    {
      now,
      requestId: Buffer.from(random(12)).toString("base64url"),
      ...ids,
      principal,
      profile: PROFILE,
      text: `Investigate the release ${releaseId}.${note ? `\n${note}` : ""}`,
      input: { releaseId, ...(note === undefined ? {} : { note }) },
      messageHash,
    },
    config,
  );
  const { outcome } = await outbox.commit(shardOf(ids.runId), change);
  if (outcome !== "ok") await checkRepeat(ids.runId, messageHash);
  reply.code(202).header("location", `/v1/runs/${ids.runId}`);
  return runView(await ownRun(state, ids.runId, principal));

  function freshIds(): { conversationId: string; runId: string } {
    const conversationId = newConversationId({ now: clock(), random: random(32) }, state.shards);
    return { conversationId, runId: newRunId({ now: clock(), random: random(32) }, conversationId) };
  }

  /** The ids exist already: the same request again is answered as the first one, another one is refused. */
  async function checkRepeat(runId: string, hash: string): Promise<void> {
    const { documents } = await state.read([keys.runOrigin(runId)]);
    const origin = documents[0] && parseRunOrigin(documents[0].value);
    if (!origin?.ok) throw new HttpProblem("conflict", "The request could not be stored; nothing was accepted.", { remedy: "Repeat it." });
    if (origin.value.messageHash !== hash) {
      throw new HttpProblem("idempotency_key_reused", "This Idempotency-Key was used for another request.", {
        remedy: "Use a new key for a new request.",
      });
    }
    reply.header("idempotent-replay", "true");
  }
}

/** The request's `Idempotency-Key`, if it has one that can be used. */
function idempotencyKey(request: FastifyRequest): string | undefined {
  const value = request.headers["idempotency-key"];
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw new HttpProblem("invalid_request", "The Idempotency-Key must be 1 to 255 visible ASCII characters.", {
    remedy: "A UUID is a good one.",
  });
}
