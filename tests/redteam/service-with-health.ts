// Starts a service with its own port for /healthz and /readyz, which the settings for all services cannot set. The service's own settings decide
// which service this process runs. The agent checks its announcement in the store as often as its settings say.
import { agent, loadProfiles, startAgent } from "@toolbus/agent";
import { offlineModel } from "@toolbus/models";
import { defineService, runMain, runServices } from "@toolbus/runtime";

const { env } = process;
const which = env["AGENT_KEY_FILE"] !== undefined ? "agent" : env["TOOLSETS"] === "operations" ? "operations" : "worker";
env["HEALTH_PORT"] = env[`HEALTH_PORT_OF_${which}`] ?? "0";

if (which === "operations") await import("@toolbus/tool-executor/main");
else if (which === "worker") await import("./payments-worker.ts");
else {
  const seenEveryMs = env["SEEN_EVERY_MS"];
  const watched = defineService({
    ...agent,
    start: async (infrastructure, config) =>
      startAgent(infrastructure, config, {
        provider: offlineModel(),
        profiles: await loadProfiles(config.PROFILES_DIR),
        ...(seenEveryMs === undefined ? {} : { seenEveryMs: Number(seenEveryMs) }),
      }),
  });
  await runMain((signal) => runServices([watched], { env, signal }));
}
