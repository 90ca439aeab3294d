import { type Brain, type Fault, type ModelServer, type Served, SERVED, startModelServer } from "@toolbus/model-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectModel } from "../connect/connect-model.ts";
import { noModelSettings } from "../connect/model-settings.ts";
import { AnswerStalled, AnswerTooLarge, type ModelError, ProviderError } from "../model-errors.ts";
import type { ModelProvider, ModelRequest } from "../model-provider.ts";
import { type AnswerBounds, DEFAULT_BOUNDS } from "./answer-bounds.ts";

const SMALL: AnswerBounds = { bytes: 262_144, events: 100_000, eventBytes: 65_536, argumentBytes: 2000, silenceMs: 20_000 };
const TEXT = "All is well with it, and has been for a good while now. ".repeat(8);
const talks: Brain = () => ({ text: TEXT });
const calls =
  (size: number): Brain =>
  () => ({ calls: [{ name: "look", arguments: { id: "x".repeat(size) } }] });
const request: ModelRequest = {
  system: "Be brief.",
  transcript: [{ type: "user", runId: "r", text: "Hello", at: 0 }],
  tools: [
    {
      name: "look",
      description: "Looks.",
      parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false },
    },
  ],
  maxTokens: 100,
  run: { runId: "r", profile: "p", input: {} },
};

describe.each([...SERVED, "responses"] as const)("an answer of %s", (name) => {
  const vendor = name === "responses" ? "openai" : name;
  const api = name === "responses" ? "responses" : "chat";
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer(vendor, { brain: talks });
  });
  afterAll(() => server.close());

  const asked = async (bounds: Partial<AnswerBounds>, brain: Brain = talks, ...faults: Fault[]) => {
    server.think(brain);
    server.failNext(...faults);
    const model = await modelOf(vendor, server, api, { ...SMALL, ...bounds });
    return outcome(model);
  };

  it("that never ends is given up once it has too many bytes, and is not requested again", async () => {
    const failed = await asked({}, talks, { kind: "endless", of: "events" });
    expect(failed).toBeInstanceOf(AnswerTooLarge);
    expect(failed).toMatchObject({ code: "answer_too_large", retryable: false });
    expect(failed.message).toMatch(/is over 262144 bytes and was given up.*MODEL_ANSWER_MAX_BYTES/);
  });

  it("is also given up once it has too many events", async () => {
    const failed = await asked({ events: 300 }, talks, { kind: "endless", of: "events" });
    expect(failed.message).toMatch(/has more than 300 events.*MODEL_ANSWER_MAX_EVENTS/);
  });

  it("is given up within a line or frame that does not end", async () => {
    const failed = await asked({ bytes: 1e9 }, talks, { kind: "endless", of: "event" });
    expect(failed).toBeInstanceOf(AnswerTooLarge);
    expect(failed.message).toMatch(/an event of more than 65536 bytes.*MODEL_EVENT_MAX_BYTES/);
  });

  it("is given up by its unpacked size, not by its packed one", async () => {
    const failed = await asked({}, talks, { kind: "endless", of: "events", packed: true });
    expect(failed.message).toMatch(/is over 262144 bytes/);
  });

  it.each([false, true])("that is an endless error is still an error of the vendor (packed: %s)", async (packed) => {
    const failed = await asked({}, talks, { kind: "endless", of: "error", packed });
    expect(failed).toBeInstanceOf(ProviderError);
    expect(failed).toMatchObject({ retryable: true });
  });

  it("that falls silent is given up after a while, and may be requested again", async () => {
    const failed = await asked({ silenceMs: 200 }, talks, { kind: "silence" });
    expect(failed).toBeInstanceOf(AnswerStalled);
    expect(failed).toMatchObject({ code: "answer_stalled", retryable: true });
  });

  it("whose arguments are over a call's limit is given up", async () => {
    const failed = await asked({ bytes: 1e8, events: 1e6, eventBytes: 1e7 }, calls(3000));
    expect(failed.message).toMatch(/more than 2000 bytes of arguments.*MODEL_ARGUMENTS_MAX_BYTES/);
  });

  it("with too many calls is given up", async () => {
    const many: Brain = () => ({ calls: Array.from({ length: 300 }, () => ({ name: "look", arguments: { id: "1" } })) });
    const failed = await asked({ bytes: 1e8, events: 1e6, eventBytes: 1e7, argumentBytes: 1e6 }, many);
    expect(failed.message).toMatch(/more than 256 calls/);
  });

  it("that is honest arrives whole, even slowly or with long arguments", async () => {
    server.think(calls(1900));
    const model = await modelOf(vendor, server, api, { ...DEFAULT_BOUNDS, argumentBytes: 2000 });
    const reply = await model.complete(request, { signal: AbortSignal.timeout(20_000), onText: () => undefined });
    expect(reply.calls).toMatchObject([{ name: "look", arguments: JSON.stringify({ id: "x".repeat(1900) }) }]);
  });
});

async function modelOf(vendor: Served, server: ModelServer, api: "chat" | "responses", bounds: AnswerBounds): Promise<ModelProvider> {
  const { bedrockModel } = await import("../bedrock/bedrock-model.ts");
  const { modelFacts } = await import("../facts/model-facts.ts");
  const { model, key, url: baseUrl } = server;
  if (vendor === "bedrock") {
    const credentials = { accessKeyId: "AKIDTOOLBUS", secretAccessKey: key };
    return bedrockModel({ model, apiKey: null, baseUrl, facts: modelFacts(vendor, model), bounds, region: "us-east-1", credentials });
  }
  const keys = vendor === "ollama" ? noModelSettings.keys : { ...noModelSettings.keys, [vendor]: key };
  const ollamaHost = vendor === "ollama" ? new URL(baseUrl).origin : null;
  return connectModel({
    ...noModelSettings,
    provider: vendor,
    model,
    keys,
    bounds,
    ollamaHost,
    baseUrl: vendor === "ollama" ? null : baseUrl,
  });
}

async function outcome(model: ModelProvider): Promise<ModelError> {
  try {
    await model.complete(request, { signal: AbortSignal.timeout(20_000), onText: () => undefined });
  } catch (error) {
    return error as ModelError;
  }
  throw new Error("It was answered.");
}
