// A worker and its client in a separate process. Telemetry is on or off for the whole process, because OpenTelemetry exists once per process.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { tracedBus } from "@toolbus/runtime";
import { silentLog, startTelemetry } from "@toolbus/telemetry";
import { answerQuestions } from "../asked-process.ts";
import { benchWorker } from "../embedded/bench-worker.ts";
import { ARGUMENTS, executorOf } from "../embedded/noop-tools.ts";
import { grantedCall } from "../embedded/write-call.ts";

export type CallQuestion =
  /** `collector` is the address to which telemetry is sent. If it is null, telemetry is off. */
  { readonly kind: "begin"; readonly collector: string | null } | { readonly kind: "read" | "write"; readonly times: number };

const FLUSH_MS = 2000;
const monotonic = (): number => performance.now();

let called: Awaited<ReturnType<typeof begin>> | null = null;

answerQuestions<CallQuestion>(
  async (question) => {
    if (question.kind === "begin") {
      called = await begin(question.collector);
      return {};
    }
    if (!called) throw new Error("there was no question to begin with");
    const { worker } = called;
    const look = executorOf(worker.tools, "look");
    const call = question.kind === "read" ? () => worker.client.call(look, ARGUMENTS) : () => grantedCall(worker);
    for (let n = 0; n < question.times; n++) await call();
    return {};
  },
  async () => called?.stop(),
);

async function begin(collector: string | null) {
  const telemetry = await startTelemetry({
    env: collector === null ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: collector },
    serviceName: "bench",
    log: silentLog,
    newKey: () => randomBytes(32).toString("base64url"),
    monotonic,
  });
  const directory = await mkdtemp(path.join(tmpdir(), "toolbus-bench-"));
  const worker = await benchWorker(`sqlite:${path.join(directory, "state")}`, (bus) =>
    tracedBus(bus, { service: "bench", system: "memory", clock: () => Date.now(), monotonic }),
  );
  return {
    worker,
    async stop() {
      await worker.stop();
      await telemetry.shutdown(FLUSH_MS);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
