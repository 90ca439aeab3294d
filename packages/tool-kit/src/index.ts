export { signAnswer, verifyAnswer } from "./calls/answer-receipt.ts";
export { defineTool, type ReadSpec, type WriteSpec } from "./tool/define-tool.ts";
export { ledgerTransitions } from "./writes/ledger-transitions.ts";
export { shardWatch } from "./writes/lost-shard.ts";
export { mountToolset, type MountedToolset } from "./local-toolset.ts";
export { MAX_CONTENT_BYTES } from "./tool/tool-output.ts";
export type { Progress } from "./tool/progress.ts";
export { readResult, type ReadAnswer } from "./calls/read-result.ts";
export type { Finding } from "./lint/finding.ts";
export { lintTool } from "./lint/lint-tool.ts";
export { type DefinitionPace, definitionPace } from "./registry/definition-pace.ts";
export { readGuides } from "./registry/guides.ts";
export { readRegistry, RegistryConflict, registerToolset, unregister } from "./registry/registry.ts";
export {
  findService,
  findTool,
  type KnownService,
  knownServices,
  type KnownTool,
  searchServices,
  SERVICE_TOOLS,
  withListed,
} from "./services/known-services.ts";
export { rankTools } from "./services/rank-tools.ts";
export { type ReceiptKeys, receiptKeys } from "./registry/receipt-keys.ts";
export { grantStaleMessage, resultMessage } from "./calls/result-message.ts";
export { proveRow } from "./writes/row-proof.ts";
export { runToolset } from "./run-toolset.ts";
export { serveToolset, type ServeOptions } from "./serve-toolset.ts";
export { type EraReader, eraReader } from "./writes/signed-era.ts";
export type { ModelCallUse } from "./tool/model-use.ts";
export type { DraftDefinition, Reconciliation, Tool, ToolContext, ToolOutput, WriteContext } from "./tool/tool.ts";
export { fixedToolFlags, FlagsRefused, openToolFlags, switchedOff, type ToolFlags } from "./registry/tool-flags.ts";
export { type ProblemOptions, toolError, ToolProblem } from "./tool/tool-problem.ts";
export { type Executor, type Toolset, type ToolsetOptions, toolset } from "./tool/toolset.ts";
export { startWorker, type Worker } from "./worker.ts";
export type { WorkerOptions } from "./worker-options.ts";
export { type WorkerTimings, workerTimings } from "./worker-timings.ts";
