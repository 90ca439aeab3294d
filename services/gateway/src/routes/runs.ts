import { keys, type Role, shardOf } from "@toolbus/contracts";
import { HttpProblem, type Principal, type Route } from "@toolbus/runtime";
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptCancel, cancelEntryId } from "../accept.ts";
import type { Gateway } from "../gateway.ts";
import { ownRun } from "../run-access.ts";
import { runView } from "../run-view.ts";
import { parseEventId } from "../stream/event-id.ts";
import { streamRun } from "../stream/stream-run.ts";
import { paramOf } from "./investigations.ts";

const CALLERS: readonly Role[] = ["user", "operator"];

export function runRoutes(gateway: Gateway): Route[] {
  return [
    {
      method: "GET",
      url: "/v1/runs/:id",
      access: CALLERS,
      handle: async (request, _reply, principal) => runView(await ownRun(gateway.state, paramOf(request), principal)),
    },
    {
      method: "GET",
      url: "/v1/runs/:id/events",
      access: CALLERS,
      handle: (request, reply, principal) => events(gateway, request, reply, principal),
    },
    {
      method: "POST",
      url: "/v1/runs/:id/cancel",
      access: CALLERS,
      handle: (request, reply, principal) => cancel(gateway, request, reply, principal),
    },
  ];
}

async function events(gateway: Gateway, request: FastifyRequest, reply: FastifyReply, principal: Principal): Promise<void> {
  const accept = request.headers.accept ?? "*/*";
  if (!/text\/event-stream|text\/\*|\*\/\*/.test(accept)) {
    throw new HttpProblem("not_acceptable", "This route answers with server-sent events.", {
      remedy: 'Ask with "Accept: text/event-stream".',
    });
  }
  const own = await ownRun(gateway.state, paramOf(request), principal);
  const { runId } = own;
  const after = parseEventId(request.headers["last-event-id"], runId);
  if (after === null || !(await happened(gateway, runId, after)))
    throw new HttpProblem("invalid_request", "The Last-Event-ID is not one of this run.", {
      remedy: `Use the id of an event of this stream, "${runId}:<number>", or none.`,
    });
  await streamRun(gateway, { own, after, principal, request, reply });
}

/** Whether the run has an event of this number: after one that never happened, a client would wait for events that it then misses. */
async function happened({ state }: Gateway, runId: string, sequence: number): Promise<boolean> {
  if (sequence === 0) return true;
  const entries = await state.range(keys.events(runId), { after: sequence - 1, limit: 1 });
  return entries[0]?.sequence === sequence;
}

async function cancel(
  { state, outbox, config }: Gateway,
  request: FastifyRequest,
  reply: FastifyReply,
  principal: Principal,
): Promise<unknown> {
  if (request.body !== undefined && request.body !== null && JSON.stringify(request.body) !== "{}") {
    throw new HttpProblem("invalid_request", "A cancel takes no body.", { remedy: "Send none." });
  }
  const own = await ownRun(state, paramOf(request), principal);
  if (own.run && own.run.endedAt !== null) {
    if (own.run.status !== "cancelled")
      throw new HttpProblem("conflict", `The run has ended already: ${own.run.status}.`, { remedy: `Read it at /v1/runs/${own.runId}.` });
    return runView(own);
  }
  await outbox.commit(shardOf(own.runId), acceptCancel(own.runId, principal, own.now, config));
  // Stale: the wish was accepted before, which is the same answer.
  const { documents } = await state.read([keys.inbox(shardOf(own.runId), cancelEntryId(own.runId))]);
  if (!documents[0]) throw new HttpProblem("conflict", "The cancel could not be stored.", { remedy: "Repeat it." });
  reply.code(202);
  return runView(await ownRun(state, own.runId, principal));
}
