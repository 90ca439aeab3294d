import { readFileSync } from "node:fs";
import { type Toolset, toolset } from "@toolbus/tool-kit";
import type { Shop } from "./shop/shop.ts";
import { calculateShipping } from "./tools/calculate-shipping.ts";
import { createSupportTicket } from "./tools/create-support-ticket.ts";
import { formatTable } from "./tools/format-table.ts";
import { getBalance } from "./tools/get-balance.ts";
import { issueRefund } from "./tools/issue-refund.ts";
import { lookupOrder } from "./tools/lookup-order.ts";
import { searchPolicy } from "./tools/search-policy.ts";
import { sendEmail } from "./tools/send-email.ts";
import { updateAddress } from "./tools/update-address.ts";
import { validateIban } from "./tools/validate-iban.ts";

/** The whole worker: four reads, two computes and four writes, for an agent that helps the customers of a shop. */
export function orders(shop: Shop): Toolset {
  return toolset({
    name: "orders",
    guide: readFileSync(new URL("guide.md", import.meta.url), "utf8"),
    tools: [
      lookupOrder(shop),
      getBalance(shop),
      searchPolicy(shop),
      calculateShipping(shop),
      validateIban,
      formatTable,
      issueRefund(shop),
      sendEmail(shop),
      updateAddress(shop),
      createSupportTicket(shop),
    ],
    unavailable: (signal) => shop.fault(signal),
  });
}
