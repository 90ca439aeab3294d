import { brokerRights, BusUnavailable, connectBus, natsRights } from "@toolbus/bus";
import { ACK, allArrived, collect, probe, record } from "@toolbus/bus/conformance";
import { topics } from "@toolbus/contracts";
import { type PrivateServer, startPrivateServer } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { natsClient } from "./nats-client.ts";

const NAMESPACE = "rights";
const SETTINGS = { maxBytes: 4_194_304 };
const PATIENCE_MS = 10_000;
const INVOKE = topics.invoke("release");
const RESULT = topics.result("default");

const duties = {
  agent: { publishes: [INVOKE], consumes: [RESULT], announces: [topics.toolCancel], listens: [] },
  worker: { publishes: [RESULT], consumes: [INVOKE], announces: [], listens: [topics.toolCancel] },
} as const;

/** Returns the users in the form of the server's configuration. Each user has the rights of its duties. The operator has all rights. */
function authorization(): string {
  const users = Object.entries(duties).map(([user, its]) => ({ user, password: user, permissions: natsRights(NAMESPACE, user, its) }));
  return JSON.stringify({ users: [...users, { user: "operator", password: "operator" }] });
}

describe("the rights that a service needs on NATS, and no more", () => {
  let server: PrivateServer;
  beforeAll(async () => {
    server = await startPrivateServer("nats", { settings: { authorization: authorization(), no_auth_user: "operator" } });
    const read = brokerRights(`${server.url}?namespace=${NAMESPACE}&max-bytes=${SETTINGS.maxBytes}`);
    if (!read.ok) throw new Error(read.reason);
    await read.rights.setUp({ agents: ["default"], toolsets: ["release"] });
  });
  afterAll(() => server.remove());

  /** Connects a bus with the rights of one user, and records its log. */
  async function busOf(user: string, maxBytes = SETTINGS.maxBytes) {
    const lines = record<string>({ patienceMs: PATIENCE_MS });
    const keep = (fields: object, words: string) => lines.add(`${words} ${JSON.stringify(fields)}`);
    const url = `nats://${user}:${user}@127.0.0.1:${server.port}?namespace=${NAMESPACE}&max-bytes=${maxBytes}`;
    const bus = await connectBus(url, { clock: Date.now, confirmMs: 5000, drainMs: 300, log: { warn: keep, error: keep } });
    const context = { bus, connect: async () => bus, drainMs: 300, patienceMs: PATIENCE_MS };
    return { bus, context, lines, [Symbol.asyncDispose]: () => bus.close() };
  }

  it("let a call go to its worker and back, with a dead letter and a broadcast", async () => {
    await using agent = await busOf("agent");
    await using worker = await busOf("worker");
    const { deliveries: results } = await collect(agent.context, RESULT);
    await collect(worker.context, INVOKE, async ({ message }) => {
      if (message.id === "hopeless") return { kind: "dead-letter", reason: "it is hopeless" };
      await worker.bus.publish(probe(RESULT, `${message.id}#r`));
      return ACK;
    });
    const cancelled = record<string>({ patienceMs: PATIENCE_MS });
    await worker.bus.listen(topics.toolCancel, ({ id }) => cancelled.add(id));

    await agent.bus.publish(probe(INVOKE, "hopeless"));
    await agent.bus.publish(probe(INVOKE, "call"));
    await results.until("the answer arrives", allArrived(["call#r"]));
    await agent.bus.announce(probe(topics.toolCancel, "cancel"));
    await cancelled.until("the announcement is heard", ({ length }) => length === 1);
    expect([...agent.lines.items, ...worker.lines.items]).toEqual([]);
    await using operator = await natsClient(server.url);
    const info = await operator.ask(`$JS.API.STREAM.INFO.${NAMESPACE.toUpperCase()}_DEAD`);
    expect(info.get("state")).toMatchObject({ messages: 1 });
  });

  it("leave a stream unchanged, whatever the URL says about it", async () => {
    await using worker = await busOf("worker", 2 * SETTINGS.maxBytes);
    await collect(worker.context, INVOKE);
    const [line] = worker.lines.items.filter((one) => one.includes("a stream has other settings and keeps them"));
    expect(line).toContain('"differs":["max_bytes"]');
    expect(line).toContain("this login has no right to $JS.API.STREAM.UPDATE");
    await using operator = await natsClient(server.url);
    const info = await operator.ask(`$JS.API.STREAM.INFO.${NAMESPACE.toUpperCase()}_INVOKE`);
    expect(info.get("config")).toMatchObject({ max_bytes: SETTINGS.maxBytes });
  });

  it("let no foreign message pass for an announcement or another's message, though NATS delivers pulled messages wherever the caller says", async () => {
    await using agent = await busOf("agent");
    await using worker = await busOf("worker");
    const heard = record<string>({ patienceMs: PATIENCE_MS });
    await worker.bus.listen(topics.toolCancel, ({ id }) => heard.add(id));
    const { deliveries } = await collect(worker.context, INVOKE);
    const stream = `${NAMESPACE.toUpperCase()}_REPLY`;
    await using thief = await natsClient(server.url);
    for (const target of [`${NAMESPACE}.broadcast.${topics.toolCancel}`, `${NAMESPACE}.invoke.${INVOKE}`]) {
      await worker.bus.publish(probe(RESULT, `own for ${target}`));
      const request = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${NAMESPACE}_tool_result_default`;
      await thief.publish(`${request} ${target}`, '{"batch":1,"no_wait":true}');
    }
    await agent.bus.announce(probe(topics.toolCancel, "genuine"));
    await agent.bus.publish(probe(INVOKE, "genuine"));
    await heard.until("the genuine one is heard", ({ length }) => length > 0);
    await deliveries.until("the genuine call arrives", allArrived(["genuine"]));
    expect(heard.items).toEqual(["genuine"]);
    expect(deliveries.items.map(({ message }) => message.id)).toEqual(["genuine"]);
    // A consumer that stops sends the acks that wait for others.
    await worker.bus.close();
    // The server did store the stolen message under that subject.
    await using operator = await natsClient(server.url);
    const info = await operator.ask(`$JS.API.STREAM.INFO.${NAMESPACE.toUpperCase()}_INVOKE`);
    expect(info.get("state")).toMatchObject({ messages: 1 });
  });

  it("refuse a user the topics of another one, each in one sentence", async () => {
    await using agent = await busOf("agent");
    await using worker = await busOf("worker");
    await expect(worker.bus.publish(probe(INVOKE, "forged"))).rejects.toBeInstanceOf(BusUnavailable);
    await expect(agent.bus.publish(probe(RESULT, "forged"))).rejects.toThrow(
      "This login may not publish to rights.reply.tool.result.default",
    );
    await expect(agent.bus.consume(INVOKE, async () => ACK, { concurrency: 1 })).rejects.toThrow("this login has no right to");
    const heard = record<string>({ patienceMs: PATIENCE_MS });
    await agent.bus.listen(topics.toolCancel, ({ id }) => heard.add(id));
    await worker.bus.announce(probe(topics.toolCancel, "forged"));
    await worker.lines.until("the announcement is refused", (all) =>
      all.some((line) => line.includes("NATS refuses this login a subject")),
    );
    expect(heard.items).toEqual([]);
  });
});
