/**
 * The topics of the bus (docs/mechanics.md#messages-and-topics). A queue delivers a message at least once, to one of its competing consumers. A
 * broadcast reaches every listener on a best-effort basis.
 */
export const topics = {
  runWake: "run.wake",
  approvalRequest: "approval.request",
  approvalCancel: "approval.cancel",
  approvalRollback: "approval.rollback",
  approvalPlanned: "approval.planned",
  approvalHeld: (agent: string) => `approval.held.${agent}`,
  approvalDecided: (agent: string) => `approval.decided.${agent}`,
  invoke: (toolset: string) => `tool.invoke.${toolset}`,
  plan: (toolset: string) => `tool.plan.${toolset}`,
  result: (agent: string) => `tool.result.${agent}`,
  progress: (agent: string) => `tool.progress.${agent}`,
  toolCancel: "tool.cancel",
  toolAnnounce: "tool.announce",
  toolRefresh: "tool.refresh",
  mcpServersIndexed: "mcp.servers.indexed",
  mcpMetadataRefresh: "mcp.metadata.refresh",
  operationsReplay: "operations.replay",
  dead: (queue: string) => `dead.${queue}`,
} as const;

const RESULTS = topics.result("");

/** Returns whether a topic receives the answers to tool calls. */
export function isResultTopic(topic: string): boolean {
  return topic.startsWith(RESULTS);
}

/** Returns every queue of a system with these agents and toolsets. Each has its own queue of dead letters, which `topics.dead` names. */
export function queuesOf({
  agents,
  toolsets,
}: {
  readonly agents: readonly string[];
  readonly toolsets: readonly string[];
}): readonly string[] {
  return [
    topics.runWake,
    topics.approvalRequest,
    topics.approvalCancel,
    topics.approvalRollback,
    topics.approvalPlanned,
    topics.operationsReplay,
    ...agents.flatMap((agent) => [topics.approvalHeld(agent), topics.approvalDecided(agent), topics.result(agent)]),
    ...toolsets.flatMap((toolset) => [topics.invoke(toolset), topics.plan(toolset)]),
  ];
}

/** The agent whose results are sent to the default reply topic, `tool.result.default`. */
export const DEFAULT_AGENT = "default";
