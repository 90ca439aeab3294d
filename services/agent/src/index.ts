export { loadProfiles } from "./profiles/load-profiles.ts";
export { agent, type AgentParts, startAgent } from "./service.ts";
export { type AgentConfig, agentSettings } from "./settings.ts";
export type { Profile } from "./profile.ts";
