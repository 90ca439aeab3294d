import { defineTool, type Tool } from "@toolbus/tool-kit";
import { SHOP, type Shop } from "../shop/shop.ts";

type Mail = { readonly to: string; readonly subject: string; readonly text: string };

/** Policy grants mail to colleagues. A person decides about mail to anybody else. */
export function sendEmail(shop: Shop): Tool {
  return defineTool({
    name: "send_email",
    description:
      "Sends one plain mail to one person, e.g. to ada@customer.example. The subject has up to 120 characters, the text up to 2000. Gives the mail's id. Not for newsletters.",
    kind: "write",
    parameters: {
      type: "object",
      properties: {
        // The pattern allows only one spelling of each address, so an address outside the shop cannot look like one inside.
        to: { type: "string", maxLength: 200, pattern: "^[a-z0-9._+-]{1,64}@[a-z0-9-]{1,63}(\\.[a-z0-9-]{1,63}){1,4}$" },
        subject: { type: "string", minLength: 1, maxLength: 120 },
        text: { type: "string", minLength: 1, maxLength: 2000 },
      },
      required: ["to", "subject", "text"],
      additionalProperties: false,
    },
    risk: {
      tier: "medium",
      rules: [
        { when: { not: { properties: { to: { pattern: "@shop\\.example$" } } } }, tier: "high", reason: "to somebody outside the shop" },
      ],
    },
    // A mail server accepts no idempotency key, and it cannot be asked whether a mail was sent.
    idempotency: { mode: "none" },
    effect: 'Send a mail to {to} with the subject "{subject}".',
    scopes: ["tools:write"],
    owner: "support",
    dependencies: [SHOP],
    prepare: async (mail: Mail) => mail,
    run: (mail, { signal }) => shop.change({ method: "POST", path: "/mails", body: mail }, signal),
  });
}
