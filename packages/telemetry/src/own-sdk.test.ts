import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SETUP = new URL("./own-sdk-setup.ts", import.meta.url);
const CHILD = new URL("./own-sdk-child.ts", import.meta.url);

describe("a process that was started with an OpenTelemetry SDK of the user's own", () => {
  it("gives it all spans, measurements and log records, nested correctly, and leaves it running", () => {
    // Only the user's SDK uses the endpoint, so nothing is sent twice.
    expect(run({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })).toEqual({
      spans: {
        "their request": "b".repeat(16),
        "our request": "their request",
        "their step": "our request",
        "after ours has stopped": "",
      },
      services: ["the user's"],
      metrics: ["toolbus.tool.invocations"],
      logs: ["said"],
      warned: ["said"],
    });
  });

  it("serves no /metrics, because that SDK has the measurements, and says so in the log", () => {
    expect(run({ METRICS_PORT: "9464" })).toMatchObject({
      metrics: ["toolbus.tool.invocations"],
      warned: [
        expect.stringMatching(/^METRICS_PORT is set, but .* so \/metrics is not served: add an exporter for Prometheus to that SDK$/),
        "said",
      ],
    });
  });

  it("refuses a folder of trace files, which that SDK would not fill", () => {
    expect(run({ TRACE_DIR: "/tmp" })).toEqual({
      refused: expect.stringContaining("unset TRACE_DIR, or start the process without that SDK."),
    });
  });
});

function run(env: Readonly<Record<string, string>>): unknown {
  const said = execFileSync(process.execPath, ["--import", SETUP.href, fileURLToPath(CHILD)], { encoding: "utf8", env });
  return JSON.parse(said);
}
