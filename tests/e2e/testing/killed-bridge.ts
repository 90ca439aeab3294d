import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import type { Place } from "./dead-letter-places.ts";
import { approve, call, heldApproval } from "./http-client.ts";
import { type McpSystem, processesWith, startMcpSystem } from "./mcp-system.ts";
import { scratch } from "./scratch.ts";

const RECORDING = fileURLToPath(new URL("./recording-server.ts", import.meta.url));
const WRITE = "recording__write_slowly";
const READ = "recording__read_slowly";

/**
 * Kills a bridge with SIGKILL while a write and a read are under way. Checks that its server dies with it, that the outcome of the write is unknown,
 * and that the next bridge repeats and answers only the read. The next bridge is the same replica after a restart, or one that stands by.
 */
export async function killedInMidCall(place: Place, next: "restarted" | "standing by"): Promise<void> {
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
    const standby = next === "standing by" ? await system.anotherBridge() : null;
    // A bridge that stands by runs no server.
    const before = processesWith(record);
    expect(before).toHaveLength(1);

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
    if (!standby) await system.apart?.restart("mcp", 1);

    const [write, ...others] = await system.results(writing);
    expect(write).toMatchObject({ tool: WRITE, status: "outcome_unknown" });
    expect(others).toEqual([]);
    expect(await system.results(reading)).toMatchObject([{ tool: READ, status: "ok", content: expect.stringContaining("the note") }]);
    expect([arrived(WRITE), arrived(READ)]).toEqual([1, 2]);
    const after = processesWith(record);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    if (standby) expect(standby.alive()).toBe(true);
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
