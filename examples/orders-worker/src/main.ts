// Serves the toolset in a process of its own. Any number of replicas may run at the same time. Start it with: npx node
// examples/orders-worker/src/main.ts
import { runToolset } from "@toolbus/tool-kit";
import { orders } from "./orders.ts";
import { shopAt } from "./shop/shop-at.ts";

const { BUS_URL = "", STATE_URL = "", JWKS_URL = "http://127.0.0.1:8081/.well-known/jwks.json", RECEIPT_KEY_FILE = "" } = process.env;
// The address of examples/orders-shop, which must be running too.
const { SHOP_URL = "http://127.0.0.1:4020" } = process.env;

await runToolset(orders(shopAt(SHOP_URL)), {
  busUrl: BUS_URL,
  stateUrl: STATE_URL,
  jwksUrl: JWKS_URL,
  // "toolbus keys" makes this key. Its public half is pinned with the tool, so anybody can verify the result of a refund later.
  receiptKeyFile: RECEIPT_KEY_FILE,
});
console.log(`The toolset orders is served on ${new URL(BUS_URL).host || BUS_URL}. Stop with Ctrl-C.`);
