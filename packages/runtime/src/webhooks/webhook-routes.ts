import {
  declared,
  deliveriesQuery,
  DeliveryPage,
  DeliveryView,
  ID_PATTERNS,
  isDeliveryId,
  type JsonObject,
  keys,
  parseWebhookDelivery,
  shardOf,
  type WebhookDelivery,
} from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Principal } from "../http/api-keys.ts";
import { channelOf } from "./channel.ts";
import { HttpProblem } from "../http/problem.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import { getRoute, noBody, postRoute, type Route } from "../http/route.ts";

export interface WebhookRoutesOptions {
  readonly state: StateStore;
  /** The service whose deliveries the routes show. */
  readonly service: string;
  /** Returns the deliveries that the operator may see, by the tenant of each run or approval. */
  readonly mayShow: (deliveries: readonly WebhookDelivery[], operator: Principal) => Promise<readonly WebhookDelivery[]>;
  /** Sends a delivery again after it was given up. */
  readonly sendAgain: (delivery: WebhookDelivery, operator: Principal) => Promise<void>;
  /** The limit of an operator's requests per minute. Null means no limit. */
  readonly rate: RateLimit | null;
}

/** The tag of these routes in a service's API description. */
export const WEBHOOKS_TAG = "Webhooks";
const OPERATORS = ["operator"] as const;
const LISTED = 20;

/** Returns the routes `/v1/webhooks…`, at which operators see the deliveries that were given up and send them again. */
export function webhookRoutes({ state, service, mayShow, sendAgain, rate }: WebhookRoutesOptions): readonly Route[] {
  return [
    getRoute({
      url: "/v1/webhooks",
      access: OPERATORS,
      docs: {
        operationId: "listFailedWebhooks",
        tag: WEBHOOKS_TAG,
        summary: "Deliveries of webhooks that were given up, newest first.",
        description: "Those that are about the operator's tenant. A page may contain fewer than its limit even if another page follows.",
        answers: { 200: { says: "A page of deliveries.", body: PAGE, example: { deliveries: [example] } } },
        problems: ["invalid_cursor"],
      },
      query: deliveriesQuery,
      async handle({ principal, query: { limit = LISTED, cursor } }) {
        const page = await pageAt(limit, cursor);
        const found = await read(page.members.map(({ member }) => member));
        const deliveries = (await mayShow(found, principal)).map(viewOf);
        return { deliveries, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) };
      },
    }),
    postRoute({
      url: "/v1/webhooks/:id/send",
      access: OPERATORS,
      docs: {
        operationId: "sendWebhookAgain",
        tag: WEBHOOKS_TAG,
        summary: "Sends a given-up delivery again.",
        description: "Under its old `webhook-id`, and with the full number of attempts. The event is unchanged.",
        id: { says: "The delivery.", pattern: ID_PATTERNS.delivery, example: DELIVERY },
        answers: { 202: { says: "The request was accepted.", body: VIEW, example: { ...example, state: "waiting" } } },
        problems: ["conflict"],
      },
      body: noBody,
      rate,
      async handle({ id, principal, reply }) {
        const known = isDeliveryId(id) && Number.parseInt(shardOf(id), 16) < state.shards;
        const [delivery] = known ? await mayShow(await read([id]), principal) : [];
        if (!delivery) throw notFound();
        if (delivery.state === "waiting")
          throw new HttpProblem("conflict", "This delivery was not given up: it is retried automatically.", { remedy: "Wait for it." });
        await sendAgain(delivery, principal);
        reply.code(202);
        return viewOf({ ...delivery, state: "waiting" });
      },
    }),
  ];

  async function read(ids: readonly string[]): Promise<readonly WebhookDelivery[]> {
    if (ids.length === 0) return [];
    const { documents } = await state.read(ids.map((id) => keys.delivery(service, id)));
    return documents.flatMap((document) => {
      const parsed = parseWebhookDelivery(document?.value);
      return parsed.ok ? [parsed.value] : [];
    });
  }

  async function pageAt(limit: number, cursor: string | undefined) {
    try {
      return await state.page(keys.failedDeliveries(service), { limit, order: "desc", ...(cursor === undefined ? {} : { cursor }) });
    } catch (error) {
      if (error instanceof RangeError)
        throw new HttpProblem("invalid_cursor", "This cursor does not come from a page.", { remedy: "Start again without a cursor." });
      throw error;
    }
  }
}

function viewOf({ deliveryId: id, ...delivery }: WebhookDelivery): DeliveryView {
  return { id, ...delivery, channel: channelOf(delivery), links: { send: `/v1/webhooks/${id}/send` } };
}

function notFound(): HttpProblem {
  return new HttpProblem("not_found", "There is no such delivery.", { remedy: "Use an id from the list of failed deliveries." });
}

const PAGE = declared("DeliveryPage", DeliveryPage);
const VIEW = declared("Delivery", DeliveryView);
const DELIVERY = "wh_05_01JD0000000000000000000001";
const AT = 1_763_718_400_000;

const example: JsonObject = {
  id: DELIVERY,
  event: "run.ended",
  subject: "rn_05_01JD0000000000000000000001",
  target: "ops",
  channel: "webhook",
  at: AT,
  attempts: 8,
  state: "failed",
  failedAt: AT + 63_335_000,
  reason: "it answered 500",
  links: { send: `/v1/webhooks/${DELIVERY}/send` },
};
