// The command line tries the servers of a file without a running bridge.
export { openMcp } from "./toolsets/mcp/start-mcp.ts";
export { type ProbedServer, type ProbedTool, probeServers } from "./toolsets/mcp/probe-servers.ts";
export { serverProblems } from "./toolsets/mcp/server-problems.ts";
