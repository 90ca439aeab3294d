import { type Call, cutText, failedResult, type Run, type ShownResult, type ToolResult } from "@toolbus/contracts";
import { heldText, holdText, putBlobRepeatedly, referToText, type StateStore } from "@toolbus/state";
import type { ModelProvider } from "@toolbus/models";
import type { Log } from "@toolbus/telemetry";
import type { Profile } from "../profile.ts";
import { gone } from "./stored-entries.ts";
import { indexOf, indexText } from "./result-index.ts";
import { RECALL } from "./recall.ts";
import { indexKeyOf } from "./working-keys.ts";

/** A result as it is joined, and what the model reads of it if that differs. */
export interface TakenResult {
  readonly result: ToolResult;
  readonly shown?: ShownResult;
}

/** How much of a result a model is given, and what happens to a longer one. */
export interface ResultLimit {
  /** In characters; a longer result is put into working memory, or truncated. */
  readonly chars: number;
  /** False: the model could not read the rest, so a long result is truncated. */
  readonly workingMemory: boolean;
}

export interface TakeContext {
  readonly state: Pick<StateStore, "putBlob" | "getBlob">;
  readonly log: Log;
  readonly limit: ResultLimit;
  /** How long working memory keeps it. */
  readonly ttlMs: number;
}

/** The limits for the runs of this profile with this model: the profile's own number of characters takes precedence over the model's. */
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
 * Prepares an arrived result for the commit that joins it. Its whole text is in the store, or the result says that it is not. If it is too long for the
 * model, an index of it is made (or its beginning is taken), and everything that the commit will refer to is stored when this resolves. Throws
 * `StoreUnavailable`.
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
      content: indexText(index, { tool: call.toolName, indexKey, chars: text.length, reader: RECALL, ttlMs }),
      index: await putBlobRepeatedly(state, Buffer.from(JSON.stringify(index))),
    },
  };
}

/** A read can be repeated. A write has happened, even if its answer is lost, and must not look as if it had not. */
function unavailable({ kind, toolName }: Pick<Call, "kind" | "toolName">, { contentRef, ...result }: ToolResult): ToolResult {
  if (kind === "write")
    return { ...result, content: `${result.content}${gone((contentRef?.chars ?? 0) - result.content.length)}`, truncated: true };
  return failedResult(
    "result_unavailable",
    `"${toolName}" answered with ${contentRef?.chars ?? 0} characters, and they are gone from the store. Call it again.`,
    { retryable: true },
  );
}

/** The limit for a run. */
export function limitOf(
  run: Pick<Run, "profile">,
  rules: { readonly profile: (name: string) => Profile | undefined },
  modelOf: (profile: string) => Pick<ModelProvider, "capabilities">,
): ResultLimit | null {
  const profile = rules.profile(run.profile);
  return profile ? resultLimit(profile, modelOf(run.profile)) : null;
}
