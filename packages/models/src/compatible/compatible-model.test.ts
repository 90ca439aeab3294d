import { startModelServer } from "@toolbus/model-servers";
import { describeModelProvider } from "../conformance/index.ts";
import { facts } from "../testing/test-stream.ts";
import { compatibleModel } from "./compatible-model.ts";

describeModelProvider("compatible", {
  start: () => startModelServer("compatible"),
  open: (server, key = server.key) => compatibleModel({ model: server.model, apiKey: key, baseUrl: server.url, facts }),
  features: {
    toolChoices: ["none", "required", "named"],
    parallelCalls: true,
    marksFailures: false,
    signedThinking: false,
    pauses: false,
    overloaded: 503,
  },
});
