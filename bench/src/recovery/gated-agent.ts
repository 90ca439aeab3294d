// An agent whose model asks the benchmark's gate before it answers, so that the benchmark can kill the process in the middle of a model call.
import { agent, loadProfiles, startAgent } from "@toolbus/agent";
import { type ModelProvider, offlineModel } from "@toolbus/models";
import { defineService, runMain, runServices } from "@toolbus/runtime";
import { askGate } from "./ask-gate.ts";
import { workIn } from "./work.ts";

function gatedModel(): ModelProvider {
  const model = offlineModel();
  return {
    ...model,
    async complete(request, context) {
      const work = workIn(JSON.stringify(request.transcript));
      if (work !== null) await askGate({ side: "agent", work }, context.signal);
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
