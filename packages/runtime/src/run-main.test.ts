import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { BusUnavailable } from "@toolbus/bus";
import { StoreRefused, StoreUnavailable } from "@toolbus/state";
import { describe, expect, it, onTestFinished } from "vitest";
import { Refusal } from "./refusal.ts";
import { sentenceOf } from "./run-main.ts";
import { BadSettings } from "./settings.ts";

const CHILD = fileURLToPath(new URL("./run-main-child.ts", import.meta.url));

describe("a process", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("waits for work with nothing open, stops on %s and exits with 0", async (signal) => {
    const child = start("waits for work");
    await child.says("started");
    child.kill(signal);
    expect(await child.ended).toEqual({ code: 0, signal: null, said: ["starting", "started", "stopping", "stopped", "left"], stderr: "" });
  });

  it("that is told to stop while it starts stops when it has started", async () => {
    const child = start("is told to stop while it starts");
    await child.says("starting");
    child.kill("SIGTERM");
    expect(await child.ended).toMatchObject({ code: 0, said: ["starting", "started", "stopping", "stopped", "left"] });
  });

  it("that loses whoever started it at the moment when it says that it has started stops in order", async () => {
    const child = start("is left while it starts", { tied: true });
    await child.says("starting");
    child.leave();
    expect(await child.ended).toEqual({ code: 0, signal: null, said: ["starting", "started", "stopping", "stopped", "left"], stderr: "" });
  });

  it.each(["store", "bus over AMQP", "bus over NATS"])(
    "that is told to stop while it waits for its %s ends at once, with 0 and no message",
    async (what) => {
      const child = start(`waits for its ${what}`);
      await child.says("waiting");
      const begun = performance.now();
      child.kill("SIGTERM");
      expect(await child.ended).toEqual({ code: 0, signal: null, said: ["waiting"], stderr: "" });
      expect(performance.now() - begun).toBeLessThan(5000);
    },
  );

  it("ends at once when it is interrupted twice", async () => {
    const child = start("does not stop");
    await child.says("started");
    child.kill("SIGINT");
    await child.says("stopping");
    child.kill("SIGINT");
    expect(await child.ended).toEqual({ code: 130, signal: null, said: ["starting", "started", "stopping"], stderr: "" });
  });

  it("exits with 0 after its stop, although something that it did not close is still open", async () => {
    const child = start("leaves something open");
    await child.says("started");
    child.kill("SIGTERM");
    expect(await child.ended).toMatchObject({ code: 0, said: ["starting", "started", "stopping", "stopped", "left"], stderr: "" });
  });

  it("exits with 1 and a sentence when the time to stop runs out, whatever is still open", async () => {
    const child = start("does not stop in time");
    await child.says("started");
    child.kill("SIGTERM");
    expect(await child.ended).toMatchObject({
      code: 1,
      signal: null,
      stderr: "The time to stop ran out; open work continues at the next start.\n",
    });
  });

  it.each([
    { what: "is refused", stderr: "The door is locked: unlock it.\n" },
    {
      what: "has a store that is unknown",
      stderr: 'The state store "postgres:…" is unknown: use memory:, sqlite:DIRECTORY or redis://HOST:PORT.\n',
    },
  ])("that $what says so in one line and exits with 1", async ({ what, stderr }) => {
    const child = start(what);
    expect(await child.ended).toEqual({ code: 1, signal: null, said: ["left"], stderr });
  });

  it("that cannot continue by itself stops in order, says why and exits with 1", async () => {
    expect(await start("cannot go on").ended).toEqual({
      code: 1,
      signal: null,
      said: ["starting", "started", "stopping", "stopped", "left"],
      stderr: "The well is dry: dig another one.\n",
    });
  });

  it("that has bad settings names all of them in one line and exits with 1", async () => {
    const { code, stderr } = await start("has bad settings").ended;
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/^Settings are wrong: .*LOG_LEVEL: .*"loud".*DRAIN_MS: .*"soon"/);
  });

  it("that has a fault of ours shows its stack and exits with 1", async () => {
    const { code, stderr } = await start("has a fault").ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^A fault of Toolbus, please report it: TypeError: undefined is not a door\n +at /);
  });
});

describe("the sentence of an error", () => {
  it.each([new Refusal("So."), new StoreRefused("So."), new StoreUnavailable("So."), new BusUnavailable("So."), new BadSettings("So.")])(
    "is its message if a person can fix it: %s",
    (error) => {
      expect(sentenceOf(error)).toBe("So.");
    },
  );

  it("asks for a report if it is not an error", () => {
    expect(sentenceOf("a string")).toBe("A fault of Toolbus, please report it: a string");
  });
});

/**
 * Starts the child with this kind of main. The child has a channel if `tied` is true. The child is killed at the end of the test if it is still
 * running.
 */
function start(main: string, { tied = false } = {}) {
  const child = spawn(process.execPath, [CHILD, main], {
    // The compiled code saves half of the child's time.
    env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    stdio: ["pipe", "pipe", "pipe", tied ? "ipc" : "ignore"],
  }) as ChildProcessWithoutNullStreams;
  let stdout = "";
  let stderr = "";
  let over = false;
  let look = (): void => undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // A child whose channel was closed emits no "close".
  const ended = (async () => {
    const [[code, signal]] = await Promise.all([once(child, "exit"), once(child.stdout, "close"), once(child.stderr, "close")]);
    over = true;
    look();
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, said: stdout.split("\n").filter(Boolean), stderr };
  })();
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Closes the child's channel, and then its standard input. */
    leave(): void {
      child.once("disconnect", () => child.stdin.end());
      child.disconnect();
    },
    says: (word: string) =>
      new Promise<void>((resolve, reject) => {
        look = () => {
          if (stdout.split("\n").includes(word)) resolve();
          else if (over) reject(new Error(`It ended before it said "${word}": ${stdout}${stderr}`));
        };
        look();
      }),
  };
}
