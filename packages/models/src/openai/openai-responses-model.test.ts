import { startModelServer } from "@toolbus/model-servers";
import { describeModelProvider } from "../conformance/index.ts";
import { openaiResponsesModel } from "./openai-responses-model.ts";
import { facts } from "../testing/test-stream.ts";

describeModelProvider("openai by responses", {
  start: () => startModelServer("openai"),
  open: (server, key = server.key) =>
    openaiResponsesModel({ model: server.model, apiKey: key, baseUrl: server.url, facts: { ...facts, sampling: false } }),
  features: {
    toolChoices: ["none", "required", "named"],
    parallelCalls: true,
    marksFailures: false,
    signedThinking: true,
    pauses: false,
    overloaded: 503,
  },
});
