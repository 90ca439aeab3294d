export { toolExecutor } from "./service.ts";
export { releaseToolset } from "./toolsets/release/release-toolset.ts";
