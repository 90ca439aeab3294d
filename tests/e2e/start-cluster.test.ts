import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it, vi } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { CONSUMED, onServers, type Place } from "./testing/dead-letter-places.ts";
import { type Program, runProgram, startCommand } from "./testing/program.ts";
import { scratch } from "./testing/scratch.ts";

const SERVICES = ["tool-executor", "operations", "approvals", "agent", "gateway"];

/**
 * Starts a system of separate processes on these servers. They are in one process group, as a shell starts them. Standard output and standard error
 * are merged.
 */
async function started(place: Place) {
  await using begun = new AsyncDisposableStack();
  const files = scratch();
  begun.defer(() => files.remove());
  begun.defer(() => place.remove(CONSUMED.flatMap((topic) => [topic, `dead.${topic}`])));
  const data = files.data();
  const { BUS_URL = "", STATE_URL = "" } = place.env;
  const line = `exec '${process.execPath}' '${TOOLBUS}' start --data '${data}' --bus '${BUS_URL}' --state '${STATE_URL}' 2>&1`;
  const env = { GATEWAY_PORT: "0", APPROVALS_PORT: "0", LOG_LEVEL: "error", GATEWAY_HOTS: "nobody reads it", HEALTH_PORT: "9000" };
  const program = startCommand("sh", ["-c", line], { env, group: true });
  begun.use(program);
  await program.says(/Stop with Ctrl-C/);
  const [, url = ""] = /^gateway +(\S+)$/m.exec(program.stdout()) ?? [];
  const [, releaseId = ""] = /"releaseId":"([^"]+)"/.exec(program.stdout()) ?? [];
  const open = begun.move();
  return {
    program,
    BUS_URL,
    pids: new Map(SERVICES.map((service) => [service, pidOf(program, service)])),
    /** Sends a message that makes a worker read the release, as a person at another terminal does. */
    chat: () =>
      runProgram(TOOLBUS, ["chat", `get_release_summary {"release_id": "${releaseId}"}`], { env: { TOOLBUS_URL: url, DATA_DIR: data } }),
    releaseId,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function answersAndIsStopped(place: Place): Promise<void> {
  await using system = await started(place);
  const { program, pids, chat, releaseId } = system;
  expect(new Set([...pids.values(), program.pid]).size).toBe(SERVICES.length + 1);
  expect(program.stdout()).toContain("GATEWAY_HOTS is not a setting of any service and is not read: was GATEWAY_HOST meant?");
  expect(program.stdout()).toContain("HEALTH_PORT is not read by services in separate processes: ");
  expect(program.stdout()).not.toContain("nobody reads it");
  expect(await chat()).toMatchObject({ code: 0, stdout: expect.stringContaining(releaseId) });

  const killed = pids.get("tool-executor") ?? 0;
  process.kill(killed, "SIGKILL");
  await program.says(
    new RegExp(`^The process tool-executor \\(${killed}\\) was ended by SIGKILL\\. It starts again in 1 s \\(1 of 4\\)\\.$`, "m"),
  );
  const [, again = ""] = await program.says(/^The process tool-executor \((\d+)\) runs again\.$/m);
  expect(isThere(Number(again))).toBe(true);
  expect(await chat()).toMatchObject({ code: 0, stdout: expect.stringContaining(releaseId) });

  // The signal is sent to the whole group, as from a terminal.
  program.kill("SIGINT");
  expect(await program.ended()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Stopping; open work continues at the next start."),
  });
  expect([...pids.values(), Number(again)].filter(isThere)).toEqual([]);
}

describeOnServer("nats", "toolbus start with --bus and --state", (broker) =>
  describeOnServer("redis", "and Redis", (redis) => {
    it("answers from separate processes, restarts and reports one that was killed, and leaves none when it is stopped with Ctrl-C", () =>
      answersAndIsStopped(onServers(broker(), redis())));

    it("leaves no process behind even if it is killed itself", async () => {
      await using system = await started(onServers(broker(), redis()));
      system.program.kill("SIGKILL");
      await system.program.ended();
      for (const pid of system.pids.values()) await gone(pid);
    });

    it("says why one does not start, with the remedy and without a password, and exits with 1", async () => {
      const place = onServers(broker(), redis());
      const files = scratch();
      try {
        const wrong = (place.env["STATE_URL"] ?? "").replace("//", "//nobody:wrong-password@");
        const args = ["start", "--data", files.data(), "--bus", place.env["BUS_URL"] ?? "", "--state", wrong];
        const { code, stdout, stderr } = await runProgram(TOOLBUS, args, { env: { GATEWAY_PORT: "0", APPROVALS_PORT: "0" } });
        expect({ code, stdout }).toEqual({ code: 1, stdout: "Toolbus starts, each service in its own process…\n" });
        expect(stderr).toMatch(/^The service tool-executor did not start: Redis at .+ refuses the login.+\.\n$/);
        expect(stderr).not.toContain("wrong-password");
      } finally {
        files.remove();
        await place.remove([]);
      }
    });
  }),
);

describeOnServer("rabbitmq", "toolbus start with --bus and --state", (broker) =>
  describeOnServer("redis", "and Redis", (redis) => {
    it("answers from separate processes, restarts and reports one that was killed, and leaves none when it is stopped with Ctrl-C", () =>
      answersAndIsStopped(onServers(broker(), redis())));
  }),
);

function pidOf(program: Program, service: string): number {
  return Number(new RegExp(`^processes .*\\b${service} \\((\\d+)\\)`, "m").exec(program.stdout())?.[1]);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until the process has ended. It polls, because only a child process reports its end. */
async function gone(pid: number): Promise<void> {
  await vi.waitUntil(() => !isThere(pid), { timeout: 30_000, interval: 1 });
}
