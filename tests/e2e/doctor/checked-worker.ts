// A worker of the toolset release that checks its target every half second. If a version is set, the worker has one more write.
import { defineService, httpAddress, needKeysOf, runMain, runServices, str } from "@toolbus/runtime";
import { releaseToolset } from "@toolbus/tool-executor";
import { defineTool, startWorker } from "@toolbus/tool-kit";

const SEEN_EVERY_MS = 500;

const worker = defineService({
  name: "tool-executor",
  settings: {
    TARGET_URL: httpAddress({ default: "http://127.0.0.1:1", desc: "what its tools work on" }),
    NEW_WRITE: str({ default: "", desc: "the version of a write that nobody has enabled" }),
    RECEIPT_KEY_FILE: str({ default: "", desc: "the receipt key of the toolset" }),
  },
  identity: ({ RECEIPT_KEY_FILE: file }) => ({ setting: "RECEIPT_KEY_FILE", file, names: ["worker.release"] }),
  async start({ bus, state, losses, log, identity, trusted, random, monotonic, clock }, { TARGET_URL: url, NEW_WRITE: version }) {
    needKeysOf(trusted, ["approvals"]);
    const release = releaseToolset({ url });
    if (version !== "") release.register(withdraw(version));
    const started = await startWorker({
      toolset: release,
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
      seenEveryMs: SEEN_EVERY_MS,
    });
    return { unready: () => [], stop: () => started.stop() };
  },
});

function withdraw(version: string) {
  return defineTool({
    name: "withdraw_release",
    version,
    kind: "write",
    description: "Withdraws a release.",
    parameters: {
      type: "object",
      properties: { release_id: { type: "string", description: "The release to withdraw.", maxLength: 40 } },
      required: ["release_id"],
      additionalProperties: false,
    },
    risk: { tier: "high" },
    idempotency: { mode: "none" },
    effect: "Withdraw release {release_id}.",
    resource: () => "releases",
    prepare: () => null,
    run: async () => "withdrawn",
  });
}

await runMain((signal) => runServices([worker], { env: process.env, signal }));
