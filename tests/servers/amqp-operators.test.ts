import { type AmqpPolicy, amqpPolicies, brokerSetup, consumeQueue, type Disposition, NotPermitted } from "@toolbus/bus";
import { ACK, allArrived, collect, probe } from "@toolbus/bus/conformance";
import { attributes, messageTypes, type Parsed, parseDeadLetter, topics } from "@toolbus/contracts";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { describe, expect, it } from "vitest";
import { management } from "./amqp-management.ts";
import { amqpUrl } from "./amqp-space.ts";
import { amqpTrial } from "./amqp-trial.ts";

const LATER: Disposition = { kind: "retry", after: 250, reason: "later" };
const AT_ONCE: Disposition = { kind: "retry", after: 0, reason: "at once" };

describeOnPrivateServer(
  "rabbitmq",
  "a bus on a RabbitMQ with operator policies",
  (server) => {
    const api = () => management(server());
    const setPolicy = ({ name, pattern, definition }: AmqpPolicy) =>
      api().ask("PUT", `policies/%2F/${name}`, { pattern, definition, "apply-to": "queues", priority: 10 });
    const trialOf = (namespace: string, query = {}) => amqpTrial({ url: server().url, namespace, query });

    describe("with policies", () => {
      const checked = (namespace: string) => trialOf(namespace, { management: server().managementUrl ?? "" });

      it("reports at start which policies are not set", async () => {
        await using trial = await checked("unset");
        await trial.logged("is not set", 3);
        expect(trial.lines.items.map((line) => line.replace(/ \{.*/, ""))).toEqual([
          'Policy "unset-queues" is not set.',
          'Policy "unset-dead" is not set.',
          'Policy "unset-listeners" is not set.',
        ]);
      });

      it("reports at start which value differs, and nothing about correct ones", async () => {
        const [queues, ...rest] = amqpPolicies("differ");
        if (queues) await setPolicy({ ...queues, definition: { ...queues.definition, "max-length": 5 } });
        for (const policy of rest) await setPolicy(policy);
        await using trial = await checked("differ");
        await trial.logged("max-length");
        expect(trial.lines.items).toEqual(['Policy "differ-queues" has max-length 5, and should have 100000. {"namespace":"differ"}']);
      });

      it("finds no difference once RabbitMQ has read the definitions for operators", async () => {
        const url = amqpUrl(server().url, "given", { management: server().managementUrl ?? "" });
        const read = brokerSetup(url);
        if (!read.ok || read.setup.broker !== "rabbitmq" || !read.setup.check) throw new Error("There is nothing to check.");
        const { check, ...definitions } = read.setup;
        const { signal } = new AbortController();
        expect(await check(signal)).toEqual(definitions.policies.map(({ name }) => `Policy "${name}" is not set.`));
        await api().ask("POST", "definitions", definitions);
        expect(await check(signal)).toEqual([]);
      });

      it("still starts if the management does not answer", async () => {
        await using trial = await trialOf("unasked", { management: "http://127.0.0.1:1" });
        await trial.logged("The policies could not be checked: the management plugin does not answer.");
      });

      it("rejects messages that a full queue refuses, and delivers those that it accepted", async () => {
        const [queues] = amqpPolicies("full");
        if (queues) await setPolicy({ ...queues, definition: { ...queues.definition, "max-length": 1 } });
        await using trial = await trialOf("full");
        const { subscription } = await collect(trial, "orders");
        await subscription.stop();
        const outcomes = [];
        for (let n = 0; n < 5; n++) outcomes.push(await trial.bus.publish(probe("orders", `order-${n}`)).then(String, String));
        expect(outcomes[0]).toBe("undefined");
        expect(outcomes[4]).toBe('BusUnavailable: RabbitMQ refused a message for "orders": its queue is full, or its node is going down.');
        const { deliveries } = await collect(trial, "orders");
        await deliveries.until("the first one arrives", allArrived(["order-0"]));
      });

      it("returns a message that RabbitMQ itself gave up as a dead letter without secrets", async () => {
        const [queues] = amqpPolicies("buried");
        if (queues) await setPolicy({ ...queues, definition: { ...queues.definition, "delivery-limit": 0 } });
        await using trial = await trialOf("buried");
        const never = Promise.withResolvers<never>();
        const { deliveries, subscription } = await collect(trial, "orders", () => never.promise);
        const secrets = { [attributes.grant]: "eyJ.grant", [attributes.callSecret]: "the-call-secret", [attributes.era]: "3" };
        await trial.bus.publish(probe("orders", "deadly", { attributes: secrets }));
        await deliveries.until("a consumer holds it", allArrived(["deadly"]));
        await subscription.stop();
        const { deliveries: dead } = await collect(trial, topics.dead("orders"));
        const [delivery] = await dead.until("the dead letter arrives", ({ length }) => length > 0);
        expect(delivery?.message.type).toBe(messageTypes.deadLetter);
        const letter = parseDeadLetter(JSON.parse(delivery?.message.body ?? ""));
        expect(letter).toMatchObject({
          ok: true,
          value: {
            queue: "orders",
            reason: "RabbitMQ gave up on it: delivery_limit",
            message: { id: "deadly", attributes: { [attributes.era]: "3" } },
          },
        });
        expect(JSON.stringify(delivery?.message)).not.toMatch(/eyJ|the-call-secret/);
      });
    });

    describe("with rights by topic", () => {
      const worker = { name: "worker", password: "p@ss/word" };

      /** Gives the worker the right to publish under routing keys that match `write`. */
      const allow = (namespace: string, exchange: string, write: string) =>
        api().ask("PUT", `topic-permissions/%2F/${worker.name}`, { exchange: `${namespace}.${exchange}`, write, read: ".*" });

      /**
       * Creates a user with three rights: to publish results, and to consume and to retry one topic. The only queue that the user may declare is the
       * queue of its listeners.
       */
      async function grantRights(namespace: string): Promise<string> {
        const own = "(dead\\.)?tool\\.invoke\\.orders$";
        await api().ask("PUT", `users/${worker.name}`, { password: worker.password, tags: "" });
        await api().ask("PUT", `permissions/%2F/${worker.name}`, {
          configure: `^${namespace}\\.listen\\.`,
          write: `^${namespace}\\.((work|dead|retry|broadcast)$|listen\\.)`,
          read: `^${namespace}\\.(broadcast$|listen\\.|queue\\.${own})`,
        });
        await allow(namespace, "work", "^tool\\.result\\.");
        await allow(namespace, "dead", "^tool\\.invoke\\.orders$");
        await allow(namespace, "retry", "^[0-9]+\\.tool\\.invoke\\.orders$");
        await allow(namespace, "broadcast", "^tool\\.announce$");
        const url = new URL(server().url);
        url.username = worker.name;
        url.password = encodeURIComponent(worker.password);
        return url.href;
      }

      it("consumes, retries and publishes what its user may, from queues that another user declared", async () => {
        await using owner = await trialOf("rights");
        const { deliveries: results } = await collect(owner, "tool.result.default");
        const { deliveries: seen, subscription } = await collect(owner, "tool.invoke.orders", ({ count }) => (count === 1 ? LATER : ACK));
        await owner.bus.publish(probe("tool.invoke.orders", "the ladder's first use"));
        await seen.until("the ladder is there", ({ length }) => length === 2);
        await subscription.stop();

        await using trial = await amqpTrial({ url: await grantRights("rights"), namespace: "rights" });
        const { deliveries } = await collect(trial, "tool.invoke.orders", ({ count }) => (count === 1 ? LATER : ACK));
        await owner.bus.publish(probe("tool.invoke.orders", "call"));
        await deliveries.until("the call comes, and comes again", ({ length }) => length === 2);
        await trial.bus.publish(probe("tool.result.default", "result"));
        await results.until("its result arrives", allArrived(["result"]));
        await trial.bus.listen("tool.refresh", () => undefined);
        await trial.bus.announce(probe("tool.announce", "here"));
      });

      it("is refused what its user may not do, and continues with the rest", async () => {
        await using owner = await trialOf("refused");
        const { deliveries: results } = await collect(owner, "tool.result.default");
        const { deliveries: decided } = await collect(owner, "approval.decided.default");
        await using trial = await amqpTrial({ url: await grantRights("refused"), namespace: "refused" });
        await expect(trial.bus.publish(probe("approval.decided.default", "forged"))).rejects.toBeInstanceOf(NotPermitted);
        await expect(trial.bus.consume("approval.decided.default", async () => ACK, { concurrency: 1 })).rejects.toThrow(
          /^RabbitMQ refused the consumer of "approval\.decided\.default": ACCESS_REFUSED/,
        );
        await expect(trial.bus.consume("run.wake", async () => ACK, { concurrency: 1 })).rejects.toThrow(
          /^RabbitMQ refused the queue "refused\.queue\.dead\.run\.wake": NOT_FOUND/,
        );
        await trial.bus.publish(probe("tool.result.default", "result"));
        await results.until("its result arrives", allArrived(["result"]));
        expect(decided.items).toEqual([]);
        await trial.logged("ACCESS_REFUSED");
        expect(trial.lines.items.join()).not.toContain("p@ss");
      });

      it("holds a delivery while it cannot be retried, and runs its handler no more than once for it", async () => {
        await using owner = await trialOf("held");
        const { subscription } = await collect(owner, "tool.invoke.orders");
        await subscription.stop();
        const url = await grantRights("held");
        await allow("held", "retry", "^nothing$");
        await using trial = await amqpTrial({ url, namespace: "held" });
        const { deliveries } = await collect(trial, "tool.invoke.orders", ({ count }) => (count === 1 ? AT_ONCE : ACK));
        await owner.bus.publish(probe("tool.invoke.orders", "call"));
        await trial.logged("a delivery cannot be settled yet and is held", 2);
        await allow("held", "retry", "^0\\.tool\\.invoke\\.orders$");
        const seen = await deliveries.until("the call comes again", ({ length }) => length >= 2);
        expect(seen.map(({ count }) => count)).toEqual([1, 2]);
      });
    });

    describe("with messages of other programs", () => {
      it("lets the pipeline judge messages without our headers, and bytes that are not UTF-8", async () => {
        await using trial = await trialOf("strangers");
        const { deliveries: dead } = await collect(trial, topics.dead("orders"), undefined, { concurrency: 4 });
        const silent = { warn: () => undefined, error: () => undefined };
        await consumeQueue<unknown>(trial.bus, {
          topic: "orders",
          concurrency: 1,
          deadlineMs: 1000,
          parse: (value): Parsed<unknown> => ({ ok: true, value }),
          handler: async () => ACK,
          log: silent,
          clock: Date.now,
        });
        await api().publish("strangers.work", "orders", Buffer.from("{}"));
        await api().publish("strangers.work", "orders", Buffer.from([0x22, 0xff, 0xfe, 0x22]), {
          message_id: "bytes",
          headers: { "ce-time": new Date().toISOString(), number: 7, truth: true, list: [1], table: { a: 1 } },
        });
        const seen = await dead.until("both are dead letters", ({ length }) => length >= 2);
        const letters = seen.map(({ message }) => parseDeadLetter(JSON.parse(message.body)));
        const reasons = letters.map((letter) => (letter.ok ? letter.value.reason : "broken"));
        expect(new Set(reasons)).toEqual(new Set(["the body is not JSON", "the time is not RFC 3339"]));
        const bytes = letters.find((letter) => letter.ok && letter.value.message.id === "bytes");
        expect(bytes).toMatchObject({ value: { message: { attributes: { number: "7", truth: "true" } } } });
      });

      it("drops a message under another topic's key, by a header that the permissions of RabbitMQ do not check", async () => {
        await using trial = await trialOf("roundabout");
        const { deliveries: orders } = await collect(trial, "orders");
        const { deliveries: payments } = await collect(trial, "payments");
        await api().publish("roundabout.work", "orders", Buffer.from("{}"), { message_id: "forged", headers: { CC: ["payments"] } });
        await orders.until("it arrives under its own key", allArrived(["forged"]));
        await trial.logged("a delivery that was published under another topic is dropped");
        await trial.bus.publish(probe("payments", "genuine"));
        await payments.until("the genuine one arrives", allArrived(["genuine"]));
        expect(payments.items.map(({ message }) => message.id)).toEqual(["genuine"]);
      });

      it("refuses an existing queue with other properties, in one sentence with the remedy", async () => {
        await using trial = await trialOf("taken");
        await api().ask("PUT", "queues/%2F/taken.queue.orders", { durable: true, arguments: { "x-queue-type": "classic" } });
        await expect(trial.bus.consume("orders", async () => ACK, { concurrency: 1 })).rejects.toThrow(
          'RabbitMQ already has the queue "taken.queue.orders", with other properties; delete that one, or set another namespace in BUS_URL.',
        );
      });
    });
  },
  { management: true },
);
