import {
  ApprovalCancel,
  ApprovalDecided,
  ApprovalHeld,
  ApprovalPlanned,
  ApprovalRequest,
  ApprovalRollback,
  DeadLetter,
  DEFAULT_AGENT,
  McpServersIndexed,
  messageTypes,
  OperationsReplay,
  type Parsed,
  parser,
  queuesOf,
  RunWake,
  ToolAnnounce,
  ToolAnswer,
  ToolCancel,
  ToolInvoke,
  ToolPlan,
  ToolProgress,
  ToolRefresh,
  topics,
} from "@toolbus/contracts";
import { TOOLSET } from "./fuzz-tools.ts";

/** A topic with its kind of delivery, the types of its messages and the schema of their bodies. */
export interface FuzzTopic {
  readonly topic: string;
  /** `dead` means the queue for the dead letters of another queue. A message on it never becomes a dead letter. */
  readonly kind: "queue" | "dead" | "broadcast";
  readonly types: readonly string[];
  readonly parse: (value: unknown) => Parsed<unknown>;
}

const queues: readonly FuzzTopic[] = [
  queue(topics.runWake, [messageTypes.runWake], parser(RunWake)),
  queue(topics.approvalRequest, [messageTypes.approvalRequest], parser(ApprovalRequest)),
  queue(topics.approvalCancel, [messageTypes.approvalCancel], parser(ApprovalCancel)),
  queue(topics.approvalRollback, [messageTypes.approvalRollback], parser(ApprovalRollback)),
  queue(topics.approvalPlanned, [messageTypes.approvalPlanned], parser(ApprovalPlanned)),
  queue(topics.operationsReplay, [messageTypes.operationsReplay], parser(OperationsReplay)),
  queue(topics.approvalHeld(DEFAULT_AGENT), [messageTypes.approvalHeld], parser(ApprovalHeld)),
  queue(topics.approvalDecided(DEFAULT_AGENT), [messageTypes.approvalDecided], parser(ApprovalDecided)),
  queue(topics.result(DEFAULT_AGENT), [messageTypes.toolResult, messageTypes.toolError, messageTypes.grantStale], parser(ToolAnswer)),
  queue(topics.invoke(TOOLSET), [messageTypes.toolInvoke], parser(ToolInvoke)),
  queue(topics.plan(TOOLSET), [messageTypes.toolPlan], parser(ToolPlan)),
];

/** Every queue of a system with one agent and one toolset. */
export const QUEUES: readonly string[] = queuesOf({ agents: [DEFAULT_AGENT], toolsets: [TOOLSET] });

/** Every topic that a service consumes or listens to. */
export const fuzzTopics: readonly FuzzTopic[] = [
  ...queues,
  ...queues.map(({ topic }): FuzzTopic => ({
    topic: topics.dead(topic),
    kind: "dead",
    types: [messageTypes.deadLetter],
    parse: parser(DeadLetter),
  })),
  broadcast(topics.progress(DEFAULT_AGENT), messageTypes.toolProgress, parser(ToolProgress)),
  broadcast(topics.toolCancel, messageTypes.toolCancel, parser(ToolCancel)),
  broadcast(topics.toolAnnounce, messageTypes.toolAnnounce, parser(ToolAnnounce)),
  broadcast(topics.toolRefresh, messageTypes.toolRefresh, parser(ToolRefresh)),
  broadcast(topics.mcpServersIndexed, messageTypes.mcpServersIndexed, parser(McpServersIndexed)),
];

function queue(topic: string, types: readonly string[], parse: FuzzTopic["parse"]): FuzzTopic {
  return { topic, kind: "queue", types, parse };
}

function broadcast(topic: string, type: string, parse: FuzzTopic["parse"]): FuzzTopic {
  return { topic, kind: "broadcast", types: [type], parse };
}
