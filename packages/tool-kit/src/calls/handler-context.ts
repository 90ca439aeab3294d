import type { Log } from "@toolbus/telemetry";
import { nobodyToAsk } from "../questions/question.ts";
import { noMedia } from "../tool/result-media.ts";
import type { ToolContext, WriteContext } from "../tool/tool.ts";
import type { ToolCall } from "../tool/tool-call.ts";

/** What a handler may do besides its arguments. Without it, a handler keeps no media and asks nobody. */
export type HandlerPowers = Pick<ToolContext, "attach" | "ask">;

type CallOfHandler = Pick<ToolCall, "callId" | "toolName" | "progress" | "modelUse">;

const NO_POWERS: HandlerPowers = { attach: noMedia.attach, ask: nobodyToAsk };

/** Returns the context that a handler receives besides its arguments. */
export function toolContext(
  call: CallOfHandler & { readonly invoke: Pick<ToolCall["invoke"], "sessionId"> },
  { log }: { readonly log: Log },
  signal: AbortSignal,
  { attach, ask }: HandlerPowers = NO_POWERS,
): ToolContext {
  const { callId, invoke, progress, modelUse } = call;
  const logOf = ownLog(call, log);
  return {
    callId,
    sessionId: invoke.sessionId,
    signal,
    get log() {
      return logOf();
    },
    progress: progress.report,
    modelUsed: modelUse.add,
    attach,
    ask,
  };
}

/** Returns the context that the handlers `run` and `reconcile` of a write receive. */
export function writeContext(
  call: CallOfHandler,
  { log }: { readonly log: Log },
  signal: AbortSignal,
  { attach, ask }: HandlerPowers = NO_POWERS,
): WriteContext {
  const { callId, progress, modelUse } = call;
  const logOf = ownLog(call, log);
  return {
    idempotencyKey: callId,
    signal,
    get log() {
      return logOf();
    },
    progress: progress.report,
    modelUsed: modelUse.add,
    attach,
    ask,
  };
}

/** Makes the log of a handler when the handler asks for it. Most handlers log nothing, and a child of the log takes 4 us to make. */
function ownLog({ callId, toolName }: CallOfHandler, log: Log): () => Log {
  let own: Log | undefined;
  return () => (own ??= log.child({ callId, tool: toolName }));
}
