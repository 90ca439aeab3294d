// The command line tries MCP servers without a running bridge. It imports this from here, because it reaches into no service.
export { type ProbedServer, type ProbedTool, probeServers, serverProblems } from "@toolbus/tool-executor/mcp";
