import { eventsQuery, historyQuery, type RunHistory } from "@toolbus/contracts";
import { getRoute, HttpProblem, type Incoming, noBody, postRoute, type Route } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";
import { ownRun } from "../run-access.ts";
import { placeOf, runHistory } from "../run-history.ts";
import { parseEventId } from "../stream/event-id.ts";
import { streamRun } from "../stream/stream-run.ts";
import { issueTicket, ticketHolder } from "../stream/stream-ticket.ts";
import { CALLERS } from "./callers.ts";
import { examples, recorded, runId, views } from "./documented.ts";
import { STREAM } from "./event-docs.ts";
import type { Limits } from "./limits.ts";

const TAG = "Runs";

const EVENTS = 100;

interface Wanted extends Pick<Incoming, "id" | "principal"> {
  readonly after: number;
  readonly limit: number;
}

/**
 * Returns the routes for the stream of a run, for a page of its events, and for the ticket with which a browser's own EventSource reads the stream.
 */
export function runEventRoutes(gateway: Gateway, limits: Limits): readonly Route[] {
  return [
    getRoute({
      url: "/v1/runs/:id/events",
      access: CALLERS,
      credential: (request, apiKeys) => ticketHolder(gateway.state, request, apiKeys),
      docs: {
        operationId: "streamRun",
        tag: TAG,
        summary: "Streams the events of a run, past and live.",
        description: [
          "With `Last-Event-ID`, the stream continues after that event. The run continues when a client disconnects, and several clients may watch.",
          "A browser's own EventSource authenticates with the cookie of a stream ticket.",
        ].join("\n\n"),
        id: runId,
        headers: { "Last-Event-ID": "The id of the last durable event that the client has." },
        answers: {
          200: { says: "The stream.", ...STREAM },
          204: { says: "The run has ended and the client has its last event, so the client does not need to reconnect." },
        },
        problems: ["not_acceptable", "expired", "rate_limited"],
      },
      query: eventsQuery,
      handle: (incoming) => events(gateway, incoming),
    }),
    getRoute({
      url: "/v1/runs/:id/history",
      access: CALLERS,
      docs: {
        operationId: "listRunEvents",
        tag: TAG,
        summary: "Lists the durable events of a run so far, as JSON.",
        description:
          "These are the durable events of the stream, for clients that do not wait for more. A page may have fewer events than its limit. If it has a `next`, another page follows.",
        id: runId,
        answers: { 200: { says: "A page of events, in their order.", body: views.history, example: recorded.history } },
        problems: ["expired"],
      },
      query: historyQuery,
      handle: ({ id, principal, query: { after = 0, limit = EVENTS } }) => history(gateway, { id, principal, after, limit }),
    }),
    postRoute({
      url: "/v1/runs/:id/stream-ticket",
      access: CALLERS,
      docs: {
        operationId: "issueStreamTicket",
        tag: TAG,
        summary: "Lets a browser's EventSource read the stream of a run.",
        description:
          "The ticket is a cookie for the address of this stream only, because an EventSource sends no Authorization header. A repeat gives a new ticket. With the same Idempotency-Key, the new ticket replaces the earlier one.",
        id: runId,
        answers: {
          201: {
            says: "The ticket is set.",
            body: views.ticket,
            example: examples.ticket,
            headers: { "Set-Cookie": "The ticket, with HttpOnly and SameSite=Strict." },
          },
        },
        problems: ["expired"],
      },
      body: noBody,
      rate: limits.actions,
      handle: (incoming) => ticket(gateway, incoming),
    }),
  ];
}

async function events(
  gateway: Gateway,
  { id, principal, request, reply, query }: Incoming & { readonly query: { readonly lastEventId?: string } },
): Promise<unknown> {
  const accept = request.headers.accept ?? "*/*";
  if (!/text\/event-stream|text\/\*|\*\/\*/.test(accept)) {
    throw new HttpProblem("not_acceptable", "This route answers with server-sent events.", {
      remedy: 'Ask with "Accept: text/event-stream".',
    });
  }
  const own = await ownRun(gateway.state, id, principal);
  const { run } = own;
  // If a page creates a new EventSource, the EventSource cannot send this header.
  const after = parseEventId(request.headers["last-event-id"] ?? query.lastEventId, own.runId);
  const place = after === null ? "nowhere" : await placeOf(gateway.state, own.runId, after);
  if (after === null || place === "nowhere")
    throw new HttpProblem("invalid_request", "The Last-Event-ID is not one of this run.", {
      remedy: `Use the id of an event of this stream, "${own.runId}:<number>", or none.`,
    });
  // After 204, a browser's EventSource does not reconnect. A client that has the run's end does not need to reconnect.
  if (place === "last" && run !== null && run.endedAt !== null) return reply.code(204).send();
  await streamRun(gateway, { own, after, principal, reply });
  return undefined;
}

async function history({ state }: Gateway, { id, principal, after, limit }: Wanted): Promise<RunHistory> {
  const { runId: run, origin } = await ownRun(state, id, principal);
  if ((await placeOf(state, run, after)) === "nowhere")
    throw new HttpProblem("invalid_request", `This run has no event ${after}.`, {
      remedy: "Use the sequence of one of its events, next of a page, or nothing for all of them.",
    });
  return runHistory(state, { runId: run, conversationId: origin.conversationId }, { after, limit });
}

async function ticket(gateway: Gateway, { id, principal, request, reply, key }: Incoming & { readonly key?: string | undefined }) {
  const { runId: run } = await ownRun(gateway.state, id, principal);
  const { cookie, expiresAt } = await issueTicket(gateway, { runId: run, principal, origin: request.headers.origin, key });
  reply.code(201).header("set-cookie", cookie);
  return { runId: run, expiresAt };
}
