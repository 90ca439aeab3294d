import { defineTool, type Tool } from "@toolbus/tool-kit";
import { SHOP, type Shop } from "../shop/shop.ts";

/** This tool is a read and not a compute, because the price comes from the shop's table of rates, which may change. */
export function calculateShipping(shop: Shop): Tool {
  return defineTool({
    name: "calculate_shipping",
    description:
      "Calculates the price of a parcel, e.g. to DE with 2.5 kg. The weight is above 0 and up to 30 kg. Output: price in EUR and days. Not for pallets.",
    kind: "read",
    parameters: {
      type: "object",
      properties: {
        country: { type: "string", pattern: "^[A-Z]{2}$", description: "Two capital letters (ISO 3166)" },
        weight_kg: { type: "number", exclusiveMinimum: 0, maximum: 30 },
      },
      required: ["country", "weight_kg"],
      additionalProperties: false,
    },
    scopes: ["tools:read"],
    owner: "logistics",
    dependencies: [SHOP],
    run: ({ country, weight_kg: weight }: { readonly country: string; readonly weight_kg: number }, { signal }) =>
      // The shop counts in whole grams. The weight is rounded up, so the price is never too low. `toFixed` writes a very small weight in a form that
      // the shop can read.
      shop.look(`/shipping-rates?country=${country}&weight_kg=${(Math.ceil(weight * 1000) / 1000).toFixed(3)}`, signal),
  });
}
