// Runs in a pod, in the image of the services, with the login of one service. Prints one line of JSON (`RightsReport`).
import { createRequire } from "node:module";
// The folder of the services in the image.
const app = "/app";
const require = createRequire(`${app}/packages/bus/package.json`);
const { storeRights } = await import(`${app}/packages/state/src/index.ts`);
const { rightsOf } = await import(`${app}/packages/contracts/src/index.ts`);
const { BUS_URL, STATE_URL, SERVICE } = process.env;
const parts = { agents: ["default"], toolsets: ["release", "mcp"] };
const services = rightsOf(parts);
const own = services.find(({ service }) => service === SERVICE);
const tried = await storeRights(STATE_URL).tryRights(own, services, parts);
console.log(
  JSON.stringify({
    secret: SERVICE,
    decisionPublished: BUS_URL.startsWith("nats") ? await byNats() : await byRabbitmq(),
    redisRefused: tried.filter(({ found }) => found === "refused").length,
    redisAllowed: tried.filter(({ found }) => found === "allowed").length,
    deviations: tried.filter(({ expected, found }) => expected !== found).map(({ what, found }) => found + ": " + what),
  }),
);
process.exit(0);

async function byRabbitmq() {
  const amqp = require("amqplib");
  const connection = await amqp.connect(BUS_URL);
  const channel = await connection.createConfirmChannel();
  const answer = new Promise((resolve) => channel.once("error", (error) => resolve("refused (" + error.code + ")")));
  channel.publish("toolbus.work", "approval.decided.default", Buffer.from("{}"));
  return Promise.race([
    answer,
    channel.waitForConfirms().then(
      () => "allowed",
      () => answer,
    ),
  ]);
}

async function byNats() {
  const { connect } = await import(require.resolve("@nats-io/transport-node"));
  const url = new URL(BUS_URL);
  const connection = await connect({
    servers: url.host,
    user: url.username,
    pass: url.password,
    inboxPrefix: "_INBOX_toolbus_" + url.username,
  });
  try {
    await connection.request("toolbus.approval.approval.decided.default", "{}", { timeout: 5000 });
    return "allowed";
  } catch (error) {
    return /permission/i.test(String(error) + String(error.cause)) ? "refused" : "otherwise: " + String(error);
  }
}
