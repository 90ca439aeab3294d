import { startModelServer } from "@toolbus/model-servers";
import { describeModelProvider } from "../conformance/index.ts";
import { facts } from "../testing/test-stream.ts";
import { ollamaModel } from "./ollama-model.ts";

describeModelProvider("ollama", {
  start: () => startModelServer("ollama"),
  open: (server, key = server.key) => ollamaModel({ model: server.model, apiKey: key, baseUrl: server.url, facts }),
  features: {
    toolChoices: [],
    parallelCalls: false,
    marksFailures: false,
    signedThinking: false,
    pauses: false,
    overloaded: 503,
    keyless: true,
  },
});
