import { startAllInOne } from "@toolbus/all-in-one";
import { connectBus } from "@toolbus/bus";
import { type Message, topics } from "@toolbus/contracts";
import { startReleaseApi } from "@toolbus/example-release-api";
import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { onServers } from "./testing/dead-letter-places.ts";
import { approve, follow, heldApproval, startRun } from "./testing/http-client.ts";
import { INVESTIGATION_EVENTS, someRelease } from "./testing/releases.ts";
import { scratch } from "./testing/scratch.ts";

const RELEASE = "v1.5.0";

/** Starts a system whose only settings are these addresses. Records the topics to which the system publishes. */
async function setup(addresses: Readonly<Record<string, string>>) {
  await using begun = new AsyncDisposableStack();
  const files = scratch();
  begun.defer(() => files.remove());
  const api = await startReleaseApi({
    directory: files.at("release-api"),
    releases: new Map([[RELEASE, someRelease(RELEASE)]]),
    clock: () => 1_700_000_000_000,
    newId: () => "report-1",
  });
  begun.defer(() => api.stop());
  const [published, consumed] = [new Set<string>(), new Set<string>()];
  const { gatewayUrl, approvalsUrl, keys, stop } = await startAllInOne({
    directory: files.data(),
    env: { GATEWAY_PORT: "0", APPROVALS_PORT: "0", RELEASE_API_URL: api.url, LOG_LEVEL: "silent", ...addresses },
    wrap: (whole) => ({
      ...whole,
      bus: {
        ...whole.bus,
        publish: (message) => (published.add(message.topic), whole.bus.publish(message)),
        consume: (topic, handler, options) => (consumed.add(topic), whole.bus.consume(topic, handler, options)),
      },
    }),
  });
  begun.defer(async () => void (await stop()));
  const open = begun.move();
  return {
    published,
    consumed: () => [...consumed],
    requester: { gateway: gatewayUrl, user: keys.user },
    decider: { approvals: approvalsUrl, approver: keys.approver },
    stop: () => open.disposeAsync(),
  };
}

for (const [kind, name] of [
  ["rabbitmq", "RabbitMQ"],
  ["nats", "NATS JetStream"],
] as const)
  describeOnServer(kind, `a system on ${name}`, (broker) =>
    describeOnServer("redis", "and Redis", (redis) => {
      it("investigates a release to its filed report, with the broker's address as the only difference", async () => {
        const place = onServers(broker(), redis());
        // This is a separate client of the broker at the same address, so everything that it receives went through that broker.
        const other = await connectBus(place.env["BUS_URL"] ?? "", { clock: Date.now });
        const announced: Message[] = [];
        await other.listen(topics.toolAnnounce, (message) => void announced.push(message));
        const system = await setup(place.env);
        try {
          const runId = await startRun(system.requester, RELEASE);
          await approve(system.decider, await heldApproval(system.requester, runId));
          const events = await follow(system.requester, runId);
          expect(events.map(({ type }) => type)).toEqual(INVESTIGATION_EVENTS);
          expect(events.at(-1)).toMatchObject({ report: { filing: { status: "filed", reportId: "report-1" } } });
          const queues = ["run.wake", "approval.request", "approval.decided.default"];
          expect([...system.published]).toEqual(expect.arrayContaining(queues));
          // The agent calls the tools of its own process. Their queue is there for the agents of other processes.
          expect([...system.published]).not.toContain("tool.invoke.release");
          expect(system.consumed()).toEqual(expect.arrayContaining(["tool.invoke.release", "tool.result.default"]));
          expect(announced.map(({ source }) => source)).toContain("worker.release");
        } finally {
          await system.stop();
          await other.close();
          await place.remove(system.consumed());
        }
      });
    }),
  );
