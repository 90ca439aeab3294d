import { readFileSync } from "node:fs";
import { defineService, Refusal, runMain, runServices } from "./index.ts";

// This is the child process of run-main.test.ts. It runs the kind of main that its argument names, and reports its progress on standard output.

const MAINS: Readonly<Record<string, (signal: AbortSignal) => ReturnType<typeof runServices>>> = {
  "waits for work": () => run({}),
  "is told to stop while it starts": () => run({ start: () => new Promise((resolve) => process.once("SIGTERM", () => resolve())) }),
  // `readFileSync` blocks the process until standard input closes. So the process cannot notice the closed channel before it reports its start.
  "is left while it starts": () => run({ start: async () => void readFileSync(0) }),
  "does not stop": () => run({ stop: () => new Promise(() => undefined) }),
  "leaves something open": () => run({ stop: async () => void setInterval(() => undefined, 1000) }),
  "does not stop in time": () => run({ stop: () => new Promise(() => setInterval(() => undefined, 1000)), env: { DRAIN_MS: "30" } }),
  "has bad settings": () => run({ env: { DRAIN_MS: "soon", LOG_LEVEL: "loud" } }),
  "has a store that is unknown": () => run({ env: { STATE_URL: "postgres://me:secret@host" } }),
  // No server listens on port 1.
  "waits for its store": (signal) => waiting({ env: { STATE_URL: "redis://127.0.0.1:1" }, signal }),
  "waits for its bus over AMQP": (signal) => waiting({ env: { BUS_URL: "amqp://127.0.0.1:1" }, signal }),
  "waits for its bus over NATS": (signal) => waiting({ env: { BUS_URL: "nats://127.0.0.1:1" }, signal }),
  "is refused": () => Promise.reject(new Refusal("The door is locked: unlock it.")),
  "cannot go on": async () => ({ ...(await run({})), failed: Promise.resolve(new Refusal("The well is dry: dig another one.")) }),
  "has a fault": () => Promise.reject(new TypeError("undefined is not a door")),
};

await runMain(MAINS[process.argv[2] ?? ""] ?? (() => Promise.reject(new Refusal("There is no such main."))));
say("left");

interface Parts {
  readonly start?: () => Promise<void>;
  readonly stop?: () => Promise<void>;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

function waiting(parts: Parts): ReturnType<typeof runServices> {
  // By this time the first attempt to connect has failed, and more attempts follow.
  setTimeout(() => say("waiting"), 300);
  return run(parts);
}

function run({ start, stop, env, signal }: Parts) {
  const service = defineService({
    name: "child",
    settings: {},
    async start() {
      say("starting");
      await start?.();
      say("started");
      return {
        unready: () => [],
        async stop() {
          say("stopping");
          await stop?.();
          say("stopped");
        },
      };
    },
  });
  return runServices([service], { env: { STATE_URL: "memory:", LOG_LEVEL: "silent", ...env }, ...(signal ? { signal } : {}) });
}

function say(word: string): void {
  process.stdout.write(`${word}\n`);
}
