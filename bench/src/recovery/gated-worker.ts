// A worker whose read asks the benchmark's gate before it returns, so that the benchmark can kill the process in the middle of the read. The worker
// replaces the tool-executor.
import { setTimeout } from "node:timers/promises";
import { defineService, needKeysOf, runMain, runServices, str } from "@toolbus/runtime";
import { defineTool, startWorker, toolset } from "@toolbus/tool-kit";
import { askGate } from "./ask-gate.ts";
import { workIn } from "./work.ts";

/** How long the read takes after the gate has let it pass. A real read also takes a while, and other calls may have to wait for it. */
const READ_MS = 300;

const PARAMETERS = {
  type: "object",
  properties: { work: { type: "string", description: "The name of the run's work.", minLength: 1, maxLength: 40 } },
  required: ["work"],
  additionalProperties: false,
} as const;

const tools = toolset({
  name: "release",
  tools: [
    defineTool({
      name: "read_slowly",
      kind: "read",
      description: "Reads something and returns it when the benchmark allows it.",
      parameters: PARAMETERS,
      async run(args, { signal }) {
        await askGate({ side: "worker", work: workIn(JSON.stringify(args)) ?? "" }, signal);
        await setTimeout(READ_MS, undefined, { signal });
        return args;
      },
    }),
    defineTool({
      name: "change_something",
      kind: "write",
      description: "Changes nothing, but a person must approve it.",
      parameters: PARAMETERS,
      risk: { tier: "high" },
      idempotency: { mode: "key", keepsForMs: 86_400_000 },
      effect: "Change nothing for {work}.",
      prepare: (args) => args,
      run: (args) => args,
    }),
    defineTool({
      name: "change_shared",
      kind: "write",
      description: "Changes nothing of a thing that all runs share, when the benchmark allows it.",
      parameters: PARAMETERS,
      risk: { tier: "high" },
      idempotency: { mode: "key", keepsForMs: 86_400_000 },
      effect: "Change nothing of the shared thing for {work}.",
      resource: () => "the shared thing",
      prepare: (args) => args,
      async run(args, { signal }) {
        await askGate({ side: "worker", work: workIn(JSON.stringify(args)) ?? "" }, signal);
        return args;
      },
    }),
  ],
});

const worker = defineService({
  name: "tool-executor",
  settings: { RECEIPT_KEY_FILE: str({ default: "", desc: "the receipt key of the toolset" }) },
  identity: ({ RECEIPT_KEY_FILE: file }) => ({ setting: "RECEIPT_KEY_FILE", file, names: ["worker.release"] }),
  async start({ bus, state, losses, log, identity, trusted, random, monotonic, clock }) {
    needKeysOf(trusted, ["approvals"]);
    const { stop } = await startWorker({
      toolset: tools,
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
    });
    return { unready: () => [], stop };
  },
});

await runMain((signal) => runServices([worker], { env: process.env, signal }));
