import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { collect, within } from "@toolbus/bus/conformance";
import { topics } from "@toolbus/contracts";
import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { natsSpace } from "./nats-space.ts";
import { readInvoke } from "./read-invoke.ts";

const PATIENCE_MS = 30_000;
const timings = { ackWaitMs: 1000, workingMs: 250, pullMs: 600, heartbeatMs: 300 };

describeOnServer("nats", "a worker on NATS", (server) => {
  const space = natsSpace(server);

  it("that a forgotten await takes down each time after the tool has returned gives the call up", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "forgetful-"));
    const bus = await space.connect({ namespace: "forgetful", drainMs: 300, nats: { timings } });
    const over = new AbortController();
    const restarting = restart([space.urlOf("forgetful"), `sqlite:${folder}`, JSON.stringify(timings)], over.signal);
    try {
      const context = { bus, connect: async () => bus, drainMs: 300, patienceMs: PATIENCE_MS };
      const { deliveries: letters } = await collect(context, topics.dead(topics.invoke("forgetful")));
      await collect(context, topics.result("tester"));
      // The topic is routed once the first worker has started.
      await expect
        .poll(() => bus.publish(readInvoke({ toolset: "forgetful", tool: "forget" })).then(() => "sent"), { timeout: PATIENCE_MS })
        .toBe("sent");
      const [letter] = await letters.until("the message becomes a dead letter", ({ length }) => length > 0);
      const said = 'the workers that ran "forget" with these arguments went down';
      expect(JSON.parse(letter?.message.body ?? "")).toMatchObject({ reason: said });
      over.abort();
      expect(await within(PATIENCE_MS, "the last worker ends", restarting)).toBe(3);
    } finally {
      over.abort();
      await restarting;
      await bus.close();
      await rm(folder, { recursive: true });
    }
  });
});

/** Starts the worker again whenever it is gone, as an operator's system does. Resolves with the number of its runs when the signal aborts. */
async function restart(args: readonly string[], signal: AbortSignal): Promise<number> {
  let runs = 0;
  while (!signal.aborted) {
    const child = fork(new URL("./forgetful-worker.ts", import.meta.url), args, { env: {}, silent: true });
    child.on("message", () => runs++);
    const gone = once(child, "exit");
    const onAbort = (): void => void child.kill("SIGKILL");
    signal.addEventListener("abort", onAbort, { once: true });
    await gone;
    signal.removeEventListener("abort", onAbort);
  }
  return runs;
}
