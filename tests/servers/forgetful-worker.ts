// A worker whose tool forgets to await a promise that rejects. Node ends the process after the tool has returned.
import { randomBytes } from "node:crypto";
import { connectBus } from "@toolbus/bus";
import { generateSigningKey, publicKeySet, staticKeySet } from "@toolbus/grants";
import { connectState } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { defineTool, startWorker, toolset, workerTimings } from "@toolbus/tool-kit";

const [busUrl = "", stateUrl = "", timings = ""] = process.argv.slice(2);
process.on("disconnect", () => process.exit());

const forget = defineTool({
  name: "forget",
  kind: "read",
  description: "Forgets to await a promise.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  run() {
    process.send?.("ran");
    void Promise.reject(new Error("nobody awaits this"));
    return "ok";
  },
});

await startWorker({
  toolset: toolset({ name: "forgetful", tools: [forget] }),
  bus: await connectBus(busUrl, { clock: Date.now, nats: { timings: JSON.parse(timings) as object } }),
  state: await connectState(stateUrl, { clock: Date.now }),
  keys: staticKeySet(publicKeySet([await generateSigningKey()])),
  log: silentLog,
  clock: Date.now,
  monotonic: () => performance.now(),
  random: (bytes) => randomBytes(bytes),
  timings: { ...workerTimings, leaseMs: 600, renewMs: 200 },
});
