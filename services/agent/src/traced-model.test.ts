import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ToolChoice, TranscriptEntry } from "@toolbus/contracts";
import { type ModelProvider, type ModelReply, type ModelRequest, RateLimitError } from "@toolbus/models";
import { type Log, silentLog, startTelemetry } from "@toolbus/telemetry";
import { afterEach, describe, expect, it } from "vitest";
import { tracedModel } from "./traced-model.ts";

const TRANSCRIPT: readonly TranscriptEntry[] = [
  { type: "user", runId: "r", text: "hunter2 please", at: 1 },
  {
    type: "assistant",
    runId: "r",
    round: 1,
    text: "",
    calls: [
      { id: "1", callId: "r.1.0", name: "t", arguments: '{"q":"hunter2"}' },
      { id: "2", callId: "r.1.1", name: "hunter2", arguments: "{}" },
    ],
    at: 2,
    provider: "p",
    model: "m",
  },
  { type: "result", runId: "r", round: 1, id: "1", callId: "r.1.0", name: "t", status: "ok", content: "hunter2", isError: false, at: 3 },
];
const REPLY: ModelReply = {
  text: "hunter2 it is",
  calls: [{ id: "1", name: "t", arguments: '{"q":"hunter2"}' }],
  stop: "tool_use",
  usage: { inputTokens: 120, outputTokens: 7 },
  model: "big-1-2026",
};
const LOOK = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };

let dir: string | null = null;
afterEach(() => {
  if (dir) rmSync(dir, { recursive: true });
  dir = null;
});

describe("a traced model", () => {
  it("has a chat span with the model, the tokens in and out, and why it ended", async () => {
    const { span } = await asked(async () => REPLY);
    expect(span).toMatchObject({
      name: "chat big",
      kind: "CLIENT",
      status: "UNSET",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "vendor",
        "gen_ai.request.model": "big",
        "gen_ai.request.max_tokens": 900,
        "gen_ai.response.model": "big-1-2026",
        "gen_ai.response.finish_reasons": ["tool_use"],
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.usage.output_tokens": 7,
        "toolbus.transcript.entries": 3,
        "toolbus.tools.offered": 1,
        "toolbus.calls.asked": 1,
      },
    });
  });

  it("fails with the provider's code, and passes the error on unchanged", async () => {
    const error = new RateLimitError("hunter2 asks too often", 1000);
    const { span, outcome } = await asked(() => Promise.reject(error));
    expect(outcome).toBe(error);
    expect(span).toMatchObject({ status: "ERROR", attributes: { "error.type": "rate_limited" } });
  });

  it("logs at debug, for each round, every message that the model gets, with a length in place of each text", async () => {
    const { lines } = await asked(async () => REPLY);
    expect(lines).toEqual([
      [
        {
          runId: "r",
          round: 2,
          messages: [
            { role: "system", chars: 7 },
            { role: "user", chars: 14 },
            {
              role: "assistant",
              chars: 0,
              calls: [
                { callId: "r.1.0", tool: "t", chars: 15 },
                { callId: "r.1.1", tool: "unknown", chars: 2 },
              ],
            },
            { role: "tool", callId: "r.1.0", tool: "t", status: "ok", chars: 7 },
          ],
          tools: 1,
          toolChoice: "auto",
        },
        "the model is asked",
      ],
    ]);
  });

  it.each<ToolChoice>(["none", "required", "tool:look"])(
    "logs at debug for each request how many tools it offers, and the choice %s",
    async (toolChoice) => {
      const { lines } = await asked(async () => REPLY, { tools: [LOOK], toolChoice });
      expect(lines).toEqual([[expect.objectContaining({ tools: 1, toolChoice }), "the model is asked"]]);
    },
  );

  it("shows no content, in any span or line", async () => {
    const seen = [await asked(async () => REPLY), await asked(() => Promise.reject(new Error("hunter2")))];
    expect(JSON.stringify(seen.map(({ span, lines }) => [span, lines]))).not.toContain("hunter2");
  });
});

/** Asks a model with this `complete` function. Returns the span, the debug lines and what the caller received. */
async function asked(complete: ModelProvider["complete"], more: Partial<ModelRequest> = {}) {
  dir = mkdtempSync(path.join(tmpdir(), "toolbus-chat-"));
  const monotonic = (): number => performance.now();
  const telemetry = await startTelemetry({
    env: { TRACE_DIR: dir },
    serviceName: "agent",
    log: silentLog,
    newKey: () => "k".repeat(43),
    monotonic,
  });
  const lines: [object, string][] = [];
  const log: Log = { ...silentLog, debug: (fields, message) => void lines.push([fields, message]) };
  const model = tracedModel(
    {
      name: "vendor",
      model: "big",
      dialect: "any",
      capabilities: {
        tools: true,
        streaming: true,
        vision: false,
        sampling: true,
        contextTokens: 200_000,
        maxOutputTokens: 65_536,
        resultChars: 64_000,
      },
      complete,
      estimateTokens: () => 1,
    },
    { log, monotonic },
  );
  const request: ModelRequest = {
    system: "hunter2",
    transcript: TRANSCRIPT,
    tools: [{ name: "t", description: "hunter2", parameters: {} }],
    maxTokens: 900,
    run: { runId: "r", profile: "p", round: 2, input: {} },
    ...more,
  };
  const outcome: unknown = await model
    .complete(request, { signal: new AbortController().signal, onText: () => undefined })
    .catch((error: unknown) => error);
  await telemetry.shutdown(5000);
  const files = readdirSync(dir).map((name) => readFileSync(path.join(dir ?? "", name), "utf8"));
  return { span: JSON.parse(files[0] ?? "null") as object, lines, outcome };
}
