// Runs the worker of the attacked toolset in place of the tool-executor, with the same settings, bus, store and keys.
import { defineService, httpAddress, milliseconds, needKeysOf, runMain, runServices, str } from "@toolbus/runtime";
import { startWorker, workerTimings } from "@toolbus/tool-kit";
import { payments } from "./payments.ts";

const worker = defineService({
  name: "tool-executor",
  settings: {
    TARGET_URL: httpAddress({ default: "http://127.0.0.1:1", desc: "where the effects go" }),
    PAYMENTS_KEY_FILE: str({ default: "", desc: "the receipt key of the toolset" }),
    LEDGER_LEASE_MS: milliseconds({ default: 10_000, desc: "the lease on a write" }),
    LEDGER_RENEW_MS: milliseconds({ default: 3000, desc: "how often it is renewed" }),
    SEEN_EVERY_MS: milliseconds({ default: 30_000, desc: "how often it sends a heartbeat" }),
  },
  identity: ({ PAYMENTS_KEY_FILE: file }) => ({ setting: "PAYMENTS_KEY_FILE", file, names: ["worker.payments"] }),
  async start({ bus, state, losses, log, identity, trusted, random, monotonic, clock }, config) {
    needKeysOf(trusted, ["approvals"]);
    const { TARGET_URL, LEDGER_LEASE_MS: leaseMs, LEDGER_RENEW_MS: renewMs, SEEN_EVERY_MS: seenEveryMs } = config;
    const toolset = payments({
      async send(effect, signal) {
        const answer = await fetch(TARGET_URL, { method: "POST", body: effect === null ? "" : JSON.stringify(effect), signal });
        if (!answer.ok) throw new Error(`The target answered ${answer.status}.`);
      },
      limitOf: async (payee, signal) => Number(await (await fetch(new URL(`/${payee}`, TARGET_URL), { signal })).text()),
    });
    const started = await startWorker({
      toolset,
      bus,
      state,
      losses,
      keys: trusted.of("approvals"),
      signer: identity.signer,
      log: log.child({ toolset: toolset.name }),
      clock,
      monotonic,
      random,
      seenEveryMs,
      timings: { ...workerTimings, leaseMs, renewMs },
    });
    return { unready: () => [], stop: () => started.stop() };
  },
});

await runMain((signal) => runServices([worker], { env: process.env, signal }));
