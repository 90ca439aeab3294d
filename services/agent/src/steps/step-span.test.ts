import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ModelProvider, offlineModel, RateLimitError } from "@toolbus/models";
import { silentLog, startTelemetry } from "@toolbus/telemetry";
import { afterEach, describe, expect, it } from "vitest";
import { advanceRun } from "./advance.ts";
import { takeEntry } from "../incoming/inbox.ts";
import { RUN } from "../testing/test-bundle.ts";
import { readerUnderTest } from "../testing/test-reader.ts";

let dir: string | null = null;
afterEach(() => {
  if (dir) rmSync(dir, { recursive: true });
  dir = null;
});

interface Seen {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Returns the spans of the steps of a run whose model fails twice and then answers. */
async function stepsOf(model: ModelProvider): Promise<readonly Seen[]> {
  dir = mkdtempSync(path.join(tmpdir(), "toolbus-steps-"));
  const telemetry = await startTelemetry({
    env: { TRACE_DIR: dir },
    serviceName: "agent",
    log: silentLog,
    newKey: () => "k".repeat(43),
    monotonic: () => performance.now(),
  });
  try {
    await using s = await readerUnderTest([], model);
    await takeEntry(s.reader, RUN, RUN);
    for (let n = 1; n <= 3; n++) {
      await advanceRun(s.reader, RUN, { by: `m${n}`, redelivered: false }, AbortSignal.timeout(20_000));
      s.b.advance(60_000);
    }
  } finally {
    await telemetry.shutdown(5000);
  }
  const files = readdirSync(dir).map((file) => readFileSync(path.join(dir ?? "", file), "utf8"));
  const spans = files.flatMap((text) => text.trim().split("\n")).map((line) => JSON.parse(line) as Seen);
  return spans.filter(({ name }) => name.startsWith("invoke_agent"));
}

describe("the span of a step", () => {
  it("says which attempt at the model call it is, and how long it was postponed", async () => {
    let failures = 2;
    const model: ModelProvider = {
      ...offlineModel(),
      complete: async () => {
        if (failures-- > 0) throw new RateLimitError("Later.", 7000);
        return { text: "Done.", calls: [], stop: "end_turn", usage: { inputTokens: 1, outputTokens: 1 }, model: "m" };
      },
    };
    const spans = (await stepsOf(model)).map(({ attributes }) => attributes);
    // If a run has no trace of its own, each of its steps has a separate file, and the files have no order.
    const attempts = spans
      .map((attributes) => [Number(attributes["toolbus.model.attempt"]), attributes["toolbus.model.waited_ms"]] as const)
      .toSorted(([a], [b]) => a - b);
    expect(attempts).toEqual([
      [1, undefined],
      [2, 7000],
      [3, 7000],
    ]);
  });
});
