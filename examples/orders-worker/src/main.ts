// node examples/orders-worker/src/main.ts: serves the toolset in a process of its own, beside any number of replicas of it.
import { serveToolset } from "@toolbus/tool-kit";
import { orders } from "./orders.ts";

const { BUS_URL = "memory:", STATE_URL = "memory:", JWKS_URL = "http://127.0.0.1:8081/.well-known/jwks.json" } = process.env;

await serveToolset(orders({ refund: async (_, key) => ({ refundId: `refund of ${key}` }) }), {
  busUrl: BUS_URL,
  stateUrl: STATE_URL,
  jwksUrl: JWKS_URL,
});
console.log(`The toolset orders is served on ${BUS_URL}. Stop with Ctrl-C.`);
