import { startModelServer } from "@toolbus/model-servers";
import { describeModelProvider } from "../conformance/index.ts";
import { facts } from "../testing/test-stream.ts";
import { openrouterModel } from "./openrouter-model.ts";

describeModelProvider("openrouter", {
  start: () => startModelServer("openrouter"),
  open: (server, key = server.key) => openrouterModel({ model: server.model, apiKey: key, baseUrl: server.url, facts }),
  features: {
    toolChoices: ["none", "required", "named"],
    parallelCalls: true,
    marksFailures: false,
    signedThinking: false,
    pauses: false,
    overloaded: 503,
  },
});
