// This agent's model asks a gate of the test before it answers, so that a test can kill the process in the middle of a model call.
import { agent, loadProfiles, startAgent } from "@toolbus/agent";
import { type ModelProvider, offlineModel } from "@toolbus/models";
import { defineService, runMain, runServices } from "@toolbus/runtime";

const gate = process.env["MODEL_GATE_URL"] ?? "";

function gatedModel(): ModelProvider {
  const model = offlineModel();
  return {
    ...model,
    async complete(request, context) {
      await fetch(gate, { method: "POST", body: String(process.pid), signal: context.signal });
      return model.complete(request, context);
    },
  };
}

const gatedAgent = defineService({
  ...agent,
  start: async (infrastructure, config) =>
    startAgent(infrastructure, config, { provider: gatedModel(), profiles: await loadProfiles(config.PROFILES_DIR) }),
});

await runMain(() => runServices([gatedAgent], { env: process.env }));
