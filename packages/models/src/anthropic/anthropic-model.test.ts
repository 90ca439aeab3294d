import { startModelServer } from "@toolbus/model-servers";
import { describeModelProvider } from "../conformance/index.ts";
import { modelFacts } from "../facts/model-facts.ts";
import { anthropicModel } from "./anthropic-model.ts";

describeModelProvider("anthropic", {
  start: () => startModelServer("anthropic"),
  open: (server, key = server.key) =>
    anthropicModel({ model: server.model, apiKey: key, baseUrl: server.url, facts: modelFacts("anthropic", server.model) }),
  features: {
    toolChoices: ["none", "required", "named"],
    parallelCalls: true,
    marksFailures: true,
    signedThinking: true,
    pauses: true,
    overloaded: 529,
  },
});
