import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@toolbus/release-facts/testing";
import { describe, expect, it } from "vitest";
import { readTraces } from "./traces.ts";

async function tracesOf(content: string) {
  using folder = scratchFolder();
  const file = join(folder.path, "traces.json");
  writeFileSync(file, content);
  const read = await readTraces(file);
  return read.ok ? read.traces : read.message.replace(`${file} `, "");
}

const START = 1_767_312_000_000n;
const nano = (ms: bigint) => String((START + ms) * 1_000_000n);

function span(id: number, name: string, ms: bigint, more: object = {}) {
  return {
    traceId: "5b8efff798038103d269b633813fc60c",
    spanId: String(id).padStart(16, "0"),
    name,
    kind: 2,
    startTimeUnixNano: nano(0n),
    endTimeUnixNano: nano(ms),
    status: {},
    ...more,
  };
}

const document = (spans: readonly object[], service = "shop") => ({
  resourceSpans: [
    { resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] }, scopeSpans: [{ scope: { name: "s" }, spans }] },
  ],
});

const failed = { parentSpanId: "0".repeat(15) + "1", status: { code: 2, message: "card\u0007 refused" } };
const other = { traceId: "6b8efff798038103d269b633813fc60c" };

describe("a file of traces", () => {
  it("has the operations and the traces, those with errors first", async () => {
    const spans = [span(1, "POST /pay", 100n), span(2, "charge", 60n, failed), span(3, "GET /cart", 500n, other)];
    expect(await tracesOf(JSON.stringify(document(spans)))).toEqual({
      spans: 3,
      errors: 1,
      operations: [
        { service: "shop", name: "charge", count: 1, errors: 1, p50_ms: 60, p95_ms: 60, max_ms: 60 },
        { service: "shop", name: "GET /cart", count: 1, errors: 0, p50_ms: 500, p95_ms: 500, max_ms: 500 },
        { service: "shop", name: "POST /pay", count: 1, errors: 0, p50_ms: 100, p95_ms: 100, max_ms: 100 },
      ],
      traces: [
        {
          trace_id: "5b8efff798038103d269b633813fc60c",
          service: "shop",
          name: "POST /pay",
          started_at: "2026-01-02T00:00:00.000Z",
          duration_ms: 100,
          spans: 2,
          errors: 1,
          failed: [{ service: "shop", name: "charge", message: "card  refused" }],
        },
        expect.objectContaining({ trace_id: other.traceId, name: "GET /cart", duration_ms: 500, errors: 0 }),
      ],
    });
  });

  it("may have one document in each line, as the collector writes it", async () => {
    const lines = [document([span(1, "a", 1n)], "shop"), document([span(2, "b", 1n)], "bank")].map((one) => JSON.stringify(one)).join("\n");
    expect(await tracesOf(`${lines}\n`)).toMatchObject({ spans: 2, operations: [{ service: "shop" }, { service: "bank" }] });
    expect(await tracesOf(lines.slice(0, -20))).toBe("is not JSON in line 2.");
  });

  it("counts the shares of many spans exactly", async () => {
    const spans = Array.from({ length: 100 }, (_, n) => span(n + 1, "a", BigInt(n + 1)));
    expect(await tracesOf(JSON.stringify(document(spans)))).toMatchObject({
      operations: [{ count: 100, p50_ms: 50, p95_ms: 95, max_ms: 100 }],
    });
  });

  it.each([
    ["a torn file", '{"resourceSpans":[', "is not JSON."],
    ["another form", '{"spans":[]}', "is JSON, but not OTLP with resourceSpans."],
    ["no span", JSON.stringify(document([])), "has no span."],
    [
      "a short id",
      JSON.stringify(document([span(1, "a", 1n, { traceId: "5b" })])),
      expect.stringContaining("invalid span after 0 valid ones"),
    ],
    [
      "no time",
      JSON.stringify(document([span(1, "a", 1n), { ...span(1, "a", 1n), endTimeUnixNano: "soon" }])),
      expect.stringContaining("invalid span after 1 valid ones"),
    ],
  ])("is refused with one sentence if it is %s", async (_what, content, message) => {
    expect(await tracesOf(content)).toEqual(message);
  });
});
