export { type AnsweredCall, type AnswerVerdict, signAnswer, verifyAnswer } from "./answer-receipt.ts";
export { defineTool, type ReadSpec, type WriteSpec } from "./define-tool.ts";
export { shardWatch, type ShardWatch } from "./lost-shard.ts";
export { mountToolset, type MountedToolset } from "./local-toolset.ts";
export { MAX_CONTENT_BYTES } from "./tool-output.ts";
export type { Progress } from "./progress.ts";
export { readResult, type ReadAnswer } from "./read-result.ts";
export { type Finding } from "./lint/finding.ts";
export { lintTool } from "./lint/lint-tool.ts";
export { type DefinitionPace, definitionPace } from "./definition-pace.ts";
export { markSeen, readRegistry, RegistryConflict, registerToolset, unregister } from "./registry.ts";
export { type ReceiptKeys, receiptKeys } from "./receipt-keys.ts";
export { type AnswerParts, grantStaleMessage, resultMessage, sendable } from "./result-message.ts";
export { proveRow, type RowProof } from "./row-proof.ts";
export { serveToolset, type ServeOptions } from "./serve-toolset.ts";
export { type EraReader, eraReader, type EraVerdict } from "./signed-era.ts";
export type { ModelCallUse } from "./model-use.ts";
export type { DraftDefinition, Reconciliation, Tool, ToolContext, ToolOutput, WriteContext } from "./tool.ts";
export {
  fixedToolFlags,
  FlagsRefused,
  type FlagValues,
  openToolFlags,
  switchedOff,
  type ToolFlags,
  type ToolFlagsOptions,
} from "./tool-flags.ts";
export { type ProblemOptions, toolError, ToolProblem } from "./tool-problem.ts";
export { type Executor, type Toolset, type ToolsetOptions, toolset } from "./toolset.ts";
export { startWorker, type Worker } from "./worker.ts";
export type { WorkerOptions } from "./worker-options.ts";
export { type WorkerTimings, workerTimings } from "./worker-timings.ts";
