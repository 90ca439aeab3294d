// One side of a call in a separate process: the caller or the answerer. Telemetry is on or off for the whole process, because OpenTelemetry exists
// once per process.
import { randomBytes } from "node:crypto";
import { messagingSystem } from "@toolbus/runtime";
import { silentLog, startTelemetry } from "@toolbus/telemetry";
import { answerQuestions } from "../asked-process.ts";
import { ARGUMENTS } from "../embedded/noop-tools.ts";
import type { Answerer, Caller, Place } from "./driver.ts";
import { drivers, type DriverName } from "./drivers.ts";

export type SideQuestion =
  | {
      readonly kind: "begin";
      readonly side: "calls" | "answers";
      readonly driver: DriverName;
      readonly place: Place;
      /** The address to which telemetry is sent. If it is null, telemetry is off. */
      readonly collector: string | null;
    }
  /** Makes `count` calls, with `inFlight` calls in flight at any time. */
  | { readonly kind: "calls"; readonly count: number; readonly inFlight: number }
  /** Asks how much processor time the process has used, in milliseconds. */
  | { readonly kind: "cpu" };

const FLUSH_MS = 2000;
/** The number of items in every correct answer of the tool. */
const ITEMS = 16;

let caller: Caller | null = null;
let stop = async (): Promise<void> => undefined;

answerQuestions<SideQuestion>(
  async (question) => {
    switch (question.kind) {
      case "begin":
        await begin(question);
        return {};
      case "calls":
        await calls(question);
        return {};
      case "cpu": {
        const { user, system } = process.cpuUsage();
        return { cpuMs: (user + system) / 1000 };
      }
    }
  },
  () => stop(),
);

async function begin({ side, driver: name, place, collector }: SideQuestion & { readonly kind: "begin" }): Promise<void> {
  const telemetry = await startTelemetry({
    env: collector === null ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: collector },
    serviceName: "bench",
    messagingSystem: messagingSystem(place.url),
    log: silentLog,
    newKey: () => randomBytes(32).toString("base64url"),
    monotonic: () => performance.now(),
  });
  const driver = await drivers[name]();
  const begun: Caller | Answerer = side === "calls" ? (caller = await driver.open(place)) : await driver.answer(place);
  stop = async () => {
    await begun.stop();
    await telemetry.shutdown(FLUSH_MS);
  };
}

async function calls({ count, inFlight }: SideQuestion & { readonly kind: "calls" }): Promise<void> {
  const side = caller;
  if (!side) throw new Error("this side makes no calls");
  let left = count;
  await Promise.all(
    Array.from({ length: Math.min(inFlight, count) }, async () => {
      while (left-- > 0) {
        const { items } = await side.call(ARGUMENTS);
        if (!Array.isArray(items) || items.length !== ITEMS) throw new Error("a call got another answer than the tool's");
      }
    }),
  );
}
