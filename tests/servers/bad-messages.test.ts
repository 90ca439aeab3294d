import { topics } from "@toolbus/contracts";
import { describeOnPrivateServer, describeOnServer } from "@toolbus/testing/servers";
import { management } from "./amqp-management.ts";
import { amqpTrial } from "./amqp-trial.ts";
import type { ForeignMessage } from "./foreign-messages.ts";
import { natsClient } from "./nats-client.ts";
import { natsSpace } from "./nats-space.ts";
import { type Stranger, testStrangers } from "./strangers.ts";

const NAMESPACE = "strangers";

describeOnPrivateServer(
  "rabbitmq",
  "messages of another program on RabbitMQ",
  (server) => {
    testStrangers({
      connect: async () => (await amqpTrial({ url: server().url, namespace: NAMESPACE })).bus,
      stranger: async () => amqpStranger(management(server()).publish),
    });
  },
  { management: true },
);

describeOnServer("nats", "messages of another program on NATS", (server) => {
  const space = natsSpace(server);
  testStrangers({
    connect: () => space.connect({ namespace: NAMESPACE }),
    stranger: async () => natsStranger(await natsClient(server().url), space.namespaceOf(NAMESPACE)),
  });
});

type Publish = ReturnType<typeof management>["publish"];

function amqpStranger(publish: Publish): Stranger {
  const send = (topic: string, body: Uint8Array, properties: object) => {
    const [exchange, key] = topic.startsWith("dead.") ? ["dead", topic.slice("dead.".length)] : ["work", topic];
    return publish(`${NAMESPACE}.${exchange}`, key, Buffer.from(body), properties);
  };
  const propertiesOf = ({ fields: { id, type, source, time, correlationId, replyTo }, headers }: ForeignMessage): object => {
    const named = { message_id: id, type, correlation_id: correlationId, reply_to: replyTo };
    return {
      ...named,
      headers: Object.fromEntries([...headers, ["ce-source", source], ["ce-time", time]].filter(([, value]) => value !== undefined)),
    };
  };
  return {
    refused: [],
    async send(message) {
      if (message.about.kind !== "broadcast") await send(message.about.topic, message.body, propertiesOf(message));
      else await publish(`${NAMESPACE}.broadcast`, message.about.topic, Buffer.from(message.body), propertiesOf(message));
      return true;
    },
    async sendOddities(topic, good) {
      for (const odd of AMQP_ODDITIES) {
        const { id, type, source, time, attributes, body } = good();
        const headers = { ...attributes, "ce-source": source, "ce-time": time, ...odd.headers };
        await send(topic, Buffer.from(body), { message_id: id, type, ...odd, headers });
      }
    },
    async [Symbol.asyncDispose]() {
      // There is nothing to close, because each request has had its own connection.
    },
  };
}

/** Properties that an AMQP client can send but a bus never sends. */
const AMQP_ODDITIES: readonly (Readonly<Record<string, unknown>> & { readonly headers?: object })[] = [
  { headers: { "toolbus-agent": { nested: { deep: [1, "x", true] } } } },
  { headers: { "toolbus-agent": 17, "toolbus-era": true, "toolbus-commit": 0.5 } },
  { headers: { "ce-time": 1_800_000_000, "ce-source": ["a", "b"] } },
  { headers: { "x-death": [{ queue: 5 }, "x", { reason: "expired", queue: `${NAMESPACE}.queue.${topics.runWake}` }] } },
  { headers: { "x-toolbus-deliveries": 1_000_000_000_000 } },
  { headers: { "x-toolbus-deliveries": "-3" } },
  { headers: { "x-toolbus-elsewhere": "{" } },
  { headers: { "x-toolbus-elsewhere": '{"id":5,"time":{},"attributes":[["__proto__","x"],[1],"x",[["a"],"b"]]}' } },
  { headers: { "x-toolbus-elsewhere": `{"attributes":${"[".repeat(3000)}${"]".repeat(3000)}}` } },
  { content_encoding: "gzip" },
  { content_encoding: "utf-16le" },
  { content_type: "text/xml", content_encoding: "" },
  { delivery_mode: 1, priority: 255, app_id: "another", timestamp: 1, cluster_id: "x" },
];

function natsStranger(client: Awaited<ReturnType<typeof natsClient>>, namespace: string): Stranger {
  const subjectOf = (topic: string): string => `${namespace}.${kindOf(topic)}.${topic}`;
  return {
    // JetStream stores at most 64 KiB of headers.
    refused: ["headers over the limit"],
    async send({ about: { kind, topic }, fields, headers, body }) {
      const { id, type, source, time, correlationId, replyTo } = fields;
      const named = { "ce-id": id, "ce-type": type, "ce-source": source, "ce-time": time };
      const routed = { "toolbus-correlation-id": correlationId, "toolbus-reply-to": replyTo };
      const lines = [...Object.entries({ ...named, ...routed }), ...headers].flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}: ${value}`],
      );
      const given = lines.length > 0 ? lines : undefined;
      if (kind === "broadcast") return client.publish(`${namespace}.broadcast.${topic}`, body, given).then(() => true);
      return client.store(subjectOf(topic), body, given).then(
        () => true,
        (error: unknown) => {
          if (String(error).includes("header size exceeds maximum")) return false;
          throw error;
        },
      );
    },
    async sendOddities(topic, good) {
      for (const odd of NATS_ODDITIES) {
        const { id, type, source, time, attributes, body } = good();
        const lines = { "ce-id": id, "ce-type": type, "ce-source": source, "ce-time": time, ...attributes };
        await client.store(subjectOf(topic), body, [...Object.entries(lines).map(([name, value]) => `${name}: ${value}`), ...odd]);
      }
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

function kindOf(topic: string): string {
  const kinds = { "dead.": "dead", "tool.invoke.": "invoke", "tool.plan.": "invoke", "tool.result.": "reply", "approval.": "approval" };
  return Object.entries(kinds).find(([prefix]) => topic.startsWith(prefix))?.[1] ?? "work";
}

/** Header lines that our own client never writes. */
const NATS_ODDITIES: readonly (readonly string[])[] = [
  ["no colon"],
  [": no name"],
  ["a : spaces  "],
  ["ce-time: then", "CE-TIME: now"],
  ["ce-source: %zz%e2%82"],
  ["toolbus-agent:"],
  [`toolbus-agent: ${"é".repeat(1000)}`],
  ["__proto__: x", "constructor: x"],
  ["Nats-Sequence: 5", "Nats-Num-Pending: 7"],
  ["Status: 503", "Description: No Responders"],
  Array.from({ length: 2000 }, (_, i) => `h${i}: x`),
];
