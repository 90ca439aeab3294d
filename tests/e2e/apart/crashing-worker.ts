// A worker of the toolset release with a read that kills the worker's process. It replaces the tool-executor.
import { defineService, httpAddress, needKeysOf, runMain, runServices, str } from "@toolbus/runtime";
import { releaseToolset } from "@toolbus/tool-executor";
import { defineTool, openProtection, startWorker, workerTimings } from "@toolbus/tool-kit";

const worker = defineService({
  name: "tool-executor",
  settings: {
    RELEASE_API_URL: httpAddress({ default: "http://127.0.0.1:1", desc: "the release API" }),
    RECEIPT_KEY_FILE: str({ default: "", desc: "the receipt key of the toolset" }),
  },
  identity: ({ RECEIPT_KEY_FILE: file }) => ({ setting: "RECEIPT_KEY_FILE", file, names: ["worker.release"] }),
  async start({ bus, state, losses, log, identity, trusted, random, monotonic, clock }, { RELEASE_API_URL: url }) {
    needKeysOf(trusted, ["approvals"]);
    const toolset = releaseToolset({ url });
    toolset.register(
      defineTool({
        name: "take_down",
        kind: "read",
        description: "Shows how a service stands, and takes its worker down.",
        parameters: {
          type: "object",
          properties: { service: { type: "string", description: "The service to look at.", maxLength: 40 } },
          required: ["service"],
          additionalProperties: false,
        },
        run: () => process.exit(7),
      }),
    );
    // The load of the tests is over the limit that the tool declares, and a read over its limit ends as "rate_limited" instead of waiting.
    const protection = openProtection({ limits: "get_release_summary.callsPerMinute=0", monotonic, log });
    const started = await startWorker({
      toolset,
      bus,
      state,
      losses,
      keys: trusted.of("approvals"),
      signer: identity.signer,
      receiptKeys: trusted.of("worker.release"),
      log,
      clock,
      monotonic,
      random,
      protection,
      timings: { ...workerTimings, leaseMs: 3000, renewMs: 1000 },
    });
    return {
      unready: () => [],
      async stop() {
        await started.stop();
        protection.stop();
      },
    };
  },
});

await runMain((signal) => runServices([worker], { env: process.env, signal }));
