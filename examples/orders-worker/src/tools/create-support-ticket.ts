import { defineTool, type Reconciliation, type Tool, ToolProblem } from "@toolbus/tool-kit";
import { SHOP, type Shop } from "../shop/shop.ts";

type Ticket = { readonly subject: string; readonly text: string };

/** Policy grants a ticket, because it only asks colleagues to look at something. */
export function createSupportTicket(shop: Shop): Tool {
  return defineTool({
    name: "create_support_ticket",
    description:
      "Creates a ticket for the shop's support, e.g. with the subject Parcel ORD-8821 is late. The subject has up to 120 characters, the text up to 2000. Gives the ticket's id. Not for refunds.",
    kind: "write",
    parameters: {
      type: "object",
      properties: { subject: { type: "string", minLength: 1, maxLength: 120 }, text: { type: "string", minLength: 1, maxLength: 2000 } },
      required: ["subject", "text"],
      additionalProperties: false,
    },
    risk: { tier: "low" },
    // The shop refuses a second ticket with the same reference, but does not repeat its first answer. So after an unknown outcome the worker asks the
    // shop what happened.
    idempotency: { mode: "reconcile" },
    effect: 'Create the support ticket "{subject}".',
    scopes: ["tools:write"],
    owner: "support",
    dependencies: [SHOP],
    prepare: async (ticket: Ticket) => ticket,
    run: (ticket, { idempotencyKey: reference, signal }) =>
      shop.change({ method: "POST", path: "/tickets", body: { ...ticket, reference } }, signal),
    reconcile: async (_, { idempotencyKey: reference, signal }) => {
      const path = `/ticket-references/${encodeURIComponent(reference)}/settle`;
      return reconciliationOf(await shop.change({ method: "POST", path, body: {} }, signal));
    },
  });
}

function reconciliationOf(answer: Awaited<ReturnType<Shop["change"]>>): Reconciliation {
  if (typeof answer !== "object" || answer === null || answer instanceof ToolProblem || Array.isArray(answer)) return { kind: "unknown" };
  const { state, ticket } = answer as { readonly [name: string]: unknown };
  if (state === "created" && typeof ticket === "string") return { kind: "happened", content: { ticket } };
  return state === "void" ? { kind: "voided" } : { kind: "unknown" };
}
