import { startModelServer } from "@toolbus/model-servers";
import { describeModelProvider } from "../conformance/index.ts";
import { modelFacts } from "../facts/model-facts.ts";
import { bedrockModel } from "./bedrock-model.ts";

describeModelProvider("bedrock", {
  start: () => startModelServer("bedrock"),
  open: (server, key = server.key) =>
    bedrockModel({
      model: server.model,
      apiKey: null,
      baseUrl: server.url,
      region: "us-east-1",
      credentials: { accessKeyId: "AKIDTOOLBUS", secretAccessKey: key },
      facts: modelFacts("bedrock", server.model),
    }),
  features: {
    toolChoices: ["required", "named"],
    parallelCalls: false,
    marksFailures: true,
    signedThinking: true,
    pauses: false,
    overloaded: 503,
  },
});
