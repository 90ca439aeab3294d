import {
  attributes,
  type Json,
  keys,
  message,
  messageIds,
  messageTypes,
  parseRunOrigin,
  type RunOrigin,
  type RunWake,
  shardOf,
  topics,
  type WebhookDelivery,
} from "@toolbus/contracts";
import { HttpProblem, type Principal, type Route, webhookRoutes } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Gateway } from "../gateway.ts";
import { newRequestId } from "../inbound/inbound.ts";
import { GATEWAY_SERVICE } from "../settings.ts";
import type { Limits } from "./limits.ts";

/**
 * Returns the routes `/v1/webhooks…` for the failed webhook deliveries about runs. The agent sends deliveries. The gateway shows them and forwards
 * requests to send them again.
 */
export function failedWebhookRoutes(gateway: Gateway, limits: Limits): readonly Route[] {
  return webhookRoutes({
    state: gateway.state,
    service: "agent",
    rate: limits.actions,
    async mayShow(deliveries, { tenant }) {
      const origins = await originsOf(gateway.state, deliveries);
      return deliveries.filter((_, n) => origins[n]?.tenant === tenant);
    },
    sendAgain: (delivery, operator) => askAgain(gateway, delivery, operator),
  });
}

/** Returns the origins of the runs that these deliveries are about, from the gateway's own records. */
async function originsOf(state: StateStore, deliveries: readonly WebhookDelivery[]): Promise<readonly (RunOrigin | null)[]> {
  if (deliveries.length === 0) return [];
  const { documents } = await state.read(deliveries.map(({ subject }) => keys.runOrigin(subject)));
  return documents.map((document) => {
    const origin = parseRunOrigin(document?.value);
    return origin.ok ? origin.value : null;
  });
}

/** Asks the agent to send a delivery again. If that message is lost, the delivery stays in the list and can be requested once more. */
async function askAgain(gateway: Gateway, { deliveryId, subject }: WebhookDelivery, { id: by }: Principal): Promise<void> {
  const { state, outbox } = gateway;
  const [key, originKey] = [keys.replayRequest(deliveryId), keys.runOrigin(subject)];
  const { now, documents } = await state.read([key, originKey]);
  const origin = parseRunOrigin(documents[1]?.value);
  const requestId = newRequestId(gateway);
  const body: RunWake = { runId: subject, delivery: deliveryId };
  const wake = message({
    id: messageIds.other("wake", `${subject}:${deliveryId}:${requestId}`, 1),
    topic: topics.runWake,
    type: messageTypes.runWake,
    source: "/gateway",
    now,
    attributes: { [attributes.agent]: origin.ok ? origin.value.agent : undefined },
    body,
  });
  const { outcome } = await outbox.commit(shardOf(deliveryId), {
    op: `tell-again:${deliveryId}:${requestId}`,
    guards: [{ key, version: documents[0]?.version ?? 0 }],
    put: [{ key, value: { deliveryId, by, askedAt: now }, expiresAt: now + KEPT_MS }],
    outbox: [{ service: GATEWAY_SERVICE, id: wake.id, topic: wake.topic, message: wake as unknown as Json, dueIn: 0 }],
  });
  if (outcome !== "ok")
    throw new HttpProblem("conflict", "Somebody else asked for it at the same moment.", { remedy: "Read the list again." });
}

const KEPT_MS = 86_400_000;
