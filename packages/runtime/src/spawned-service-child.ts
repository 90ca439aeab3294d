import { writeFile } from "node:fs/promises";
import { defineService, Refusal, runMain, runServices } from "./index.ts";
import { spawnService } from "./spawned-service.ts";

// This is the child process of spawned-service.test.ts. It runs the kind of service that its environment names.

const KINDS: Readonly<Record<string, () => Promise<void>>> = {
  listens: async () => undefined,
  "tells its environment": async () => void process.stdout.write(JSON.stringify(Object.keys(process.env).toSorted())),
  "is refused": () => Promise.reject(new Refusal("The door is locked: unlock it.")),
  "never starts": () => new Promise(() => void process.stdout.write("starting\n")),
  "does not stop": async () => undefined,
  "says that it stops": async () => undefined,
  async "starts another"() {
    const { pid } = await spawnService({
      name: "grandchild",
      module: import.meta.filename,
      env: { STATE_URL: "memory:", LOG_LEVEL: "silent", CHILD: "says that it stops", STOPPED_FILE: process.env["STOPPED_FILE"] ?? "" },
    });
    process.stdout.write(`grandchild ${pid}\n`);
  },
};

const STOPS: Readonly<Record<string, () => Promise<void>>> = {
  "does not stop": () => new Promise(() => undefined),
  async "says that it stops"() {
    process.stdout.write("stopping\n");
    process.stderr.write("stopping\n");
    // If the pipe is closed, the writes above fail during this wait.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await writeFile(process.env["STOPPED_FILE"] ?? "", "stopped");
  },
};

const kind = process.env["CHILD"] ?? "";
const service = defineService({
  name: "child",
  settings: {},
  async start() {
    await KINDS[kind]?.();
    return {
      url: "http://127.0.0.1:1",
      unready: () => [],
      stop: STOPS[kind] ?? (async () => undefined),
    };
  },
});
await runMain(() => runServices([service], { env: process.env }));
