import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it, vi } from "vitest";
import { onServers, type Place } from "./testing/dead-letter-places.ts";
import { approve, call, heldApproval } from "./testing/http-client.ts";
import { type McpSystem, processesWith, startMcpSystem } from "./testing/mcp-system.ts";
import { scratch } from "./testing/scratch.ts";

const RECORDING = fileURLToPath(new URL("./testing/recording-server.ts", import.meta.url));
const WRITE = "recording__write_slowly";
const READ = "recording__read_slowly";

async function killedInMidCall(place: Place): Promise<void> {
  const files = scratch();
  try {
    const record = files.at("calls.txt");
    const server = { command: process.execPath, args: [RECORDING, record] };
    await using system = await startMcpSystem(place, { recording: server }, { reads: (tool) => tool === READ });
    const arrived = (tool: string): number =>
      existsSync(record)
        ? readFileSync(record, "utf8")
            .split("\n")
            .filter((line) => `recording__${line.replace("-", "_")}` === tool).length
        : 0;
    await enable(system, WRITE);

    const writing = await system.begin(WRITE, { note: "once" });
    const { gateway, approvals, keys } = system;
    await approve({ approvals, approver: keys.approver }, await heldApproval({ gateway, user: keys.user }, writing));
    const reading = await system.begin(READ, { note: "again" });
    // Both calls have arrived at the server, and neither has an answer.
    await vi.waitFor(() => expect([arrived(WRITE), arrived(READ)]).toEqual([1, 1]), { timeout: 60_000, interval: 20 });
    const bridge = system.apart?.replicas().find(({ service }) => service === "mcp");
    await bridge?.process.kill();
    expect(bridge?.process.alive()).toBe(false);
    // The server dies with its bridge, even if the bridge gets no time to stop it.
    await vi.waitFor(() => expect(processesWith(record)).toEqual([]), { timeout: 10_000, interval: 20 });
    await system.apart?.restart("mcp", 1);

    const [write, ...others] = await system.results(writing);
    expect(write).toMatchObject({ tool: WRITE, status: "outcome_unknown" });
    expect(others).toEqual([]);
    expect(await system.results(reading)).toMatchObject([{ tool: READ, status: "ok", content: expect.stringContaining("the note") }]);
    expect([arrived(WRITE), arrived(READ)]).toEqual([1, 2]);
  } finally {
    files.remove();
  }
}

/** Enables a write as an operator does, by the hash of exactly the registered definition. */
async function enable({ approvals, keys }: McpSystem, tool: string): Promise<void> {
  const url = `${approvals}/v1/writes/${tool}`;
  const { body } = await call(url, keys.approver);
  const [registered] = (body as { readonly registered: readonly { readonly hash: string; readonly receiptKeys: readonly string[] }[] })
    .registered;
  const { status } = await call(`${url}/enable`, keys.approver, {
    toolset: "mcp",
    hash: registered?.hash,
    receiptKeys: registered?.receiptKeys,
  });
  expect(status).toBe(200);
}

// Only the longer test run covers RabbitMQ.
for (const kind of process.env["LONG_PROOFS"] ? (["nats", "rabbitmq"] as const) : (["nats"] as const))
  describeOnServer(kind, "a bridge that is killed with SIGKILL in the middle of two calls", (broker) =>
    describeOnServer("redis", "and Redis", (redis) => {
      it("leaves the outcome of the write unknown, once, and does not repeat it; the read is repeated and answers", () =>
        killedInMidCall(onServers(broker(), redis())));
    }),
  );
