import { topics } from "@toolbus/contracts";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Doctored, startDoctored } from "./doctored.ts";

describeOnPrivateServer("rabbitmq", "toolbus doctor, of the servers of a system", (broker) =>
  describeOnPrivateServer("redis", "and Redis", (redis) => {
    let system: Doctored;
    beforeAll(async () => {
      system = await startDoctored({ busUrl: broker().url, stateUrl: redis().url, env: { STATE_URL: redis().url } });
    });
    afterAll(() => system?.[Symbol.asyncDispose]());

    it("fails while RabbitMQ accepts no messages because of a memory alarm, and says what to do", async () => {
      await broker().control(["set_vm_memory_high_watermark", "absolute", "1MB"]);
      // RabbitMQ blocks a connection when that connection next publishes.
      const { runId } = await system.client.say("hello");
      expect(await system.faults(["broker"])).toMatchObject([
        {
          message: expect.stringMatching(/^RabbitMQ is short of memory or disk and accepts no messages\.$/),
          fix: expect.stringMatching(/^Make room/),
        },
      ]);
      await broker().control(["set_vm_memory_high_watermark", "0.6"]);
      await system.client.toTheEnd(runId);
      await system.faults([]);
    });

    it("fails while a service cannot consume its queue, which is gone and which it may not make again", async () => {
      await mayConfigure("");
      await broker().control(["delete_queue", `toolbus.queue.${topics.approvalRequest}`]);
      expect(await system.faults(["approvals"])).toMatchObject([
        {
          message: expect.stringMatching(/is not ready: a queue of RabbitMQ is not consumed again yet\.$/),
          fix: expect.stringContaining("log"),
        },
      ]);
      await mayConfigure(".*");
      await system.faults([]);
    });

    it("fails while the store is absent, and says what to look at", async () => {
      await redis().stop();
      expect(await system.faults(["store", "gateway", "approvals", "user key", "approver key"])).toMatchObject([
        { message: expect.stringMatching(/^Redis at \S+ refuses connections: .*start it, or correct the URL/) },
        {
          message: expect.stringMatching(/is not ready: the state store does not answer\.$/),
          fix: expect.stringMatching(/^Check that the store runs/),
        },
        {
          message: expect.stringMatching(/is not ready: the state store does not answer\.$/),
          fix: expect.stringMatching(/^Check that the store runs/),
        },
        {},
        {},
      ]);
      await redis().start();
      await system.faults([]);
    });

    /** Sets the pattern for the names of queues and exchanges that the login of every service may configure. */
    async function mayConfigure(pattern: string): Promise<void> {
      await broker().control(["set_permissions", "guest", pattern, ".*", ".*"]);
    }
  }),
);
