export { toolExecutor, toolExecutorWith } from "./service.ts";
export { guidesToolset } from "./toolsets/guides/guides-toolset.ts";
export { releaseToolset } from "./toolsets/release/release-toolset.ts";
export { variablesOf as mcpVariablesOf } from "./toolsets/mcp/mcp-config.ts";
export { SHIPPED_TOOLSETS, shippedTools } from "./toolsets/shipped-tools.ts";
export { type AnsweredToolsets, answeredToolsets } from "./toolsets/answered-toolsets.ts";
