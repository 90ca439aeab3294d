import { connect, headers as newHeaders, type NatsConnection } from "@nats-io/transport-node";
import type { Message } from "@toolbus/contracts";
import type { RawBus } from "./raw-bus.ts";

const NAMESPACE = "toolbus";
const LATE_MS = 5000;
/** The highest number of unconfirmed messages in a flood. If there were more, the server would refuse some. */
const AT_ONCE = 500;

/**
 * Connects to NATS through its own client, but without the client's JetStream part. It sends requests directly to the subjects of the JetStream API.
 */
export async function natsClientOf(url: string): Promise<RawBus> {
  const { hostname, port, username, password } = new URL(url);
  const nc = await connect({
    servers: [`${hostname}:${port}`],
    ...(username === "" ? {} : { user: username, pass: password }),
    inboxPrefix: inboxOf(username === "" ? "all" : username),
    reconnect: false,
    timeout: LATE_MS,
  });
  const refusals: string[] = [];
  void watch(nc, refusals);
  const ask = async (subject: string, question: object = {}): Promise<void> => await request(subject, JSON.stringify(question));
  return {
    async publish(message) {
      const { subject } = placeOf(message.topic);
      await request(subject, message.body, headersOf(message));
    },
    async flood(messages) {
      const underWay = new Set<Promise<void>>();
      for (const message of messages) {
        const { subject } = placeOf(message.topic);
        const sent: Promise<void> = request(subject, message.body, headersOf(message)).finally(() => underWay.delete(sent));
        underWay.add(sent);
        if (underWay.size >= AT_ONCE) await Promise.race(underWay);
      }
      await Promise.all(underWay);
    },
    take: (topic) => ask(`$JS.API.CONSUMER.MSG.NEXT.${streamOf(topic)}.${placeOf(topic).durable}`, { batch: 1, no_wait: true }),
    async readAlong(topic) {
      let came = false;
      const { subject } = placeOf(topic);
      const subscription = nc.subscribe(subject, { callback: () => void (came = true) });
      await settled();
      return {
        async end() {
          await nc.flush();
          subscription.unsubscribe();
          return came;
        },
      };
    },
    purge: (topic) => ask(`$JS.API.STREAM.PURGE.${streamOf(topic)}`, { filter: placeOf(topic).subject }),
    remove: (topic) => ask(`$JS.API.CONSUMER.DELETE.${streamOf(topic)}.${placeOf(topic).durable}`),
    async overhear(user) {
      nc.subscribe(`${inboxOf(user)}.>`, { callback: () => undefined });
      await settled();
    },
    [Symbol.asyncDispose]: () => nc.close(),
  };

  async function request(subject: string, body: string, headers?: ReturnType<typeof headersOf>): Promise<void> {
    const answer = await nc.request(subject, body, { timeout: LATE_MS, ...(headers ? { headers } : {}) });
    const { error } = answer.string().startsWith("{") ? (answer.json() as { readonly error?: unknown }) : {};
    if (error !== undefined) throw new Error(JSON.stringify(error));
  }

  /**
   * Throws if the server has refused a request. The server reports a refusal before it answers a ping. The client reports the refusal to us only in a
   * later tick of the event loop, so this waits for that tick too.
   */
  async function settled(): Promise<void> {
    await nc.flush();
    await new Promise((resolve) => setImmediate(resolve));
    const [refusal] = refusals.splice(0);
    if (refusal !== undefined) throw new Error(refusal);
  }
}

async function watch(nc: NatsConnection, refusals: string[]): Promise<void> {
  for await (const status of nc.status()) if (status.type === "error") refusals.push(status.error.message);
}

function headersOf({ id, topic, type, source, time, correlationId, replyTo, attributes }: Message) {
  const headers = newHeaders();
  const all = {
    "Nats-Msg-Id": `${topic}/${id}`,
    "ce-id": id,
    "ce-specversion": "1.0",
    "ce-type": type,
    "ce-source": source,
    "ce-time": time,
    ...(correlationId === undefined ? {} : { "toolbus-correlation-id": correlationId }),
    ...(replyTo === undefined ? {} : { "toolbus-reply-to": replyTo }),
    ...attributes,
  };
  for (const [name, value] of Object.entries(all)) headers.set(name, value.replaceAll(/[^!#$&-~]/g, encodeURIComponent));
  return headers;
}

function placeOf(topic: string): { readonly subject: string; readonly durable: string } {
  return { subject: `${NAMESPACE}.${kindOf(topic)}.${topic}`, durable: `${NAMESPACE}_${topic.replaceAll("_", "=").replaceAll(".", "_")}` };
}

function streamOf(topic: string): string {
  return `${NAMESPACE}_${kindOf(topic)}`.toUpperCase();
}

function kindOf(topic: string): string {
  if (topic.startsWith("dead.")) return "dead";
  if (topic.startsWith("tool.invoke.") || topic.startsWith("tool.plan.")) return "invoke";
  if (topic.startsWith("tool.result.")) return "reply";
  return topic.startsWith("approval.") ? "approval" : "work";
}

function inboxOf(user: string): string {
  return `_INBOX_${NAMESPACE}_${user.replaceAll(/[^\w-]/g, "-")}`;
}
