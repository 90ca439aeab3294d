import { type Call, cutText, failedResult, type Run, type ShownResult, type ToolResult } from "@toolbus/contracts";
import { heldText, holdText, putBlobRepeatedly, referToText, type StateStore } from "@toolbus/state";
import type { ModelProvider } from "@toolbus/models";
import type { Log } from "@toolbus/telemetry";
import type { Profile } from "../profile.ts";
import { gone } from "./stored-entries.ts";
import { indexOf, indexText } from "./result-index.ts";
import { RECALL } from "./recall.ts";
import { indexKeyOf } from "./working-keys.ts";

/** The result that the agent joins, and the text that the model reads if it differs. */
export interface TakenResult {
  readonly result: ToolResult;
  readonly shown?: ShownResult;
}

/** The limit for results that the model reads, and what happens to longer ones. */
export interface ResultLimit {
  /** The limit in characters. A longer result is put into working memory or truncated. */
  readonly chars: number;
  /** False if the model could not read the rest. A long result is then truncated. */
  readonly workingMemory: boolean;
}

export interface TakeContext {
  readonly state: Pick<StateStore, "putBlob" | "getBlob">;
  readonly log: Log;
  readonly limit: ResultLimit;
  /** How long working memory keeps the result, in milliseconds. */
  readonly ttlMs: number;
}

/** Returns the limit for runs of this profile with this model. The profile's own number of characters takes precedence over the model's. */
export function resultLimit(
  { limits, workingMemory = true, toolChoice }: Profile,
  { capabilities }: Pick<ModelProvider, "capabilities">,
): ResultLimit {
  return {
    chars: limits.resultChars ?? capabilities.resultChars,
    workingMemory: workingMemory && capabilities.tools && toolChoice !== "none",
  };
}

/**
 * Prepares an arrived result for the commit that joins it. The whole text of the returned result is in the store, or the result says that the text is
 * lost. If the text is too long for the model, the model gets an index of it or only its beginning. Everything that the commit will refer to is
 * stored when this resolves. Throws `StoreUnavailable`.
 */
export async function takeResult(call: Call, result: ToolResult, { state, log, limit, ttlMs }: TakeContext): Promise<TakenResult> {
  if (!result.contentRef && result.content.length <= limit.chars) return { result };
  const text = await heldText(state, result);
  if (text === null) {
    log.warn(
      { callId: call.callId, tool: call.toolName, blob: result.contentRef?.blob },
      "the long result of a call is missing from the store",
    );
    return { result: unavailable(call, result) };
  }
  if (text.length <= limit.chars) return { result };
  const { contentRef: _, ...rest } = result;
  const whole: ToolResult = { ...rest, ...(await referToText(state, text)) };
  if (!limit.workingMemory) return { result: whole, shown: await holdText(state, cutText(text, limit.chars)) };
  const index = indexOf(text, limit.chars);
  const indexKey = indexKeyOf(call);
  log.info(
    { callId: call.callId, tool: call.toolName, chars: text.length, chunks: index.chunks.length },
    "a long result goes into working memory",
  );
  return {
    result: whole,
    shown: {
      content: indexText(index, {
        tool: call.toolName,
        indexKey,
        chars: text.length,
        cutByWorker: result.truncated === true,
        reader: RECALL,
        ttlMs,
      }),
      index: await putBlobRepeatedly(state, Buffer.from(JSON.stringify(index))),
    },
  };
}

/**
 * Returns the result for a lost text. A read can be repeated. A write has happened even if its text is lost, so its result must not suggest
 * otherwise.
 */
function unavailable({ kind, toolName }: Pick<Call, "kind" | "toolName">, { contentRef, ...result }: ToolResult): ToolResult {
  if (kind === "write")
    return { ...result, content: `${result.content}${gone((contentRef?.chars ?? 0) - result.content.length)}`, truncated: true };
  return failedResult(
    "result_unavailable",
    `"${toolName}" answered with ${contentRef?.chars ?? 0} characters, and they are gone from the store. Call it again.`,
    { retryable: true },
  );
}

/** Returns the limit for a run, or null if its profile is unknown. */
export function limitOf(
  run: Pick<Run, "profile">,
  rules: { readonly profile: (name: string) => Profile | undefined },
  modelOf: (profile: string) => Pick<ModelProvider, "capabilities">,
): ResultLimit | null {
  const profile = rules.profile(run.profile);
  return profile ? resultLimit(profile, modelOf(run.profile)) : null;
}
