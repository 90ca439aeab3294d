/** Topics of the bus (core.md, section 4). `queue`: one of the competing consumers gets it, at least once. `broadcast`: every listener, best effort. */
export const topics = {
  runWake: "run.wake",
  approvalRequest: "approval.request",
  approvalCancel: "approval.cancel",
  approvalHeld: (agent: string) => `approval.held.${agent}`,
  approvalDecided: (agent: string) => `approval.decided.${agent}`,
  invoke: (toolset: string) => `tool.invoke.${toolset}`,
  result: (agent: string) => `tool.result.${agent}`,
  progress: (agent: string) => `tool.progress.${agent}`,
  toolCancel: "tool.cancel",
  toolAnnounce: "tool.announce",
  toolRefresh: "tool.refresh",
  dead: (queue: string) => `dead.${queue}`,
} as const;

/** The agent whose results go to the default reply topic, `tool.result.default`. */
export const DEFAULT_AGENT = "default";
