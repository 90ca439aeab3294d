/** Topics of the bus (docs/mechanics.md#messages-and-topics). `queue`: one of the competing consumers gets it, at least once. `broadcast`: every listener, best effort. */
export const topics = {
  runWake: "run.wake",
  approvalRequest: "approval.request",
  approvalCancel: "approval.cancel",
  approvalRollback: "approval.rollback",
  approvalHeld: (agent: string) => `approval.held.${agent}`,
  approvalDecided: (agent: string) => `approval.decided.${agent}`,
  invoke: (toolset: string) => `tool.invoke.${toolset}`,
  result: (agent: string) => `tool.result.${agent}`,
  progress: (agent: string) => `tool.progress.${agent}`,
  toolCancel: "tool.cancel",
  toolAnnounce: "tool.announce",
  toolRefresh: "tool.refresh",
  operationsReplay: "operations.replay",
  dead: (queue: string) => `dead.${queue}`,
} as const;

/** Every queue of a system with these agents and toolsets. Each has its own queue of dead letters, `topics.dead` of its name. */
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
    topics.operationsReplay,
    ...agents.flatMap((agent) => [topics.approvalHeld(agent), topics.approvalDecided(agent), topics.result(agent)]),
    ...toolsets.map((toolset) => topics.invoke(toolset)),
  ];
}

/** The agent whose results go to the default reply topic, `tool.result.default`. */
export const DEFAULT_AGENT = "default";
