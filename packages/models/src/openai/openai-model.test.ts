import { startModelServer } from "@toolbus/model-servers";
import { describeModelProvider } from "../conformance/index.ts";
import { openaiModel } from "./openai-model.ts";
import { facts } from "../testing/test-stream.ts";

describeModelProvider("openai", {
  start: () => startModelServer("openai"),
  open: (server, key = server.key) =>
    openaiModel({ model: server.model, apiKey: key, baseUrl: server.url, facts: { ...facts, sampling: false } }),
  features: {
    toolChoices: ["none", "required", "named"],
    parallelCalls: true,
    marksFailures: false,
    signedThinking: false,
    pauses: false,
    overloaded: 503,
  },
});
