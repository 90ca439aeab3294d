import {
  type Call,
  type CallQuestions,
  keys,
  parseCall,
  parseCallQuestions,
  parseRegistration,
  parseReplacedDefinition,
  parseResultIndex,
  type RecordedCall,
  type RecordedTool,
  type ToolResult,
} from "@toolbus/contracts";
import { hasToolHash } from "@toolbus/grants";
import { wholeResult } from "@toolbus/runtime";
import { blobOrNull, heldText, type StateStore } from "@toolbus/state";

type Reader = Pick<StateStore, "read" | "range" | "getBlob" | "putBlob">;

/** Returns these calls as far as the store still has them, each with its whole result. */
export async function recordedCalls(state: Reader, callIds: readonly string[]): Promise<readonly RecordedCall[]> {
  const calls: RecordedCall[] = [];
  for (const callId of callIds) {
    const { documents } = await state.read([keys.call(callId)]);
    const call = parseCall(documents[0]?.value);
    if (call.ok) calls.push(await recordedCall(state, call.value));
  }
  return calls;
}

/** Returns the definitions with these hashes, as far as the store still has them. */
export async function recordedTools(
  state: Reader,
  wanted: readonly { readonly toolset: string; readonly name: string; readonly version: string; readonly hash: string }[],
): Promise<readonly RecordedTool[]> {
  const found = new Map<string, RecordedTool>();
  for (const { toolset, name, version, hash } of wanted) {
    if (hash === "" || found.has(hash)) continue;
    const { documents } = await state.read([keys.registration(toolset, name, version), keys.replacedDefinition(toolset, hash)]);
    for (const parsed of [parseRegistration(documents[0]?.value), parseReplacedDefinition(documents[1]?.value)])
      if (parsed.ok && parsed.value.hash === hash && hasToolHash(parsed.value.definition, hash))
        found.set(hash, { toolset, hash, definition: parsed.value.definition });
  }
  return [...found.values()];
}

async function recordedCall(state: Reader, call: Call): Promise<RecordedCall> {
  const shown = call.shown && {
    content: (await heldText(state, call.shown)) ?? call.shown.content,
    index: await indexIn(state, call.shown.index),
  };
  const questions = await questionsOf(state, call);
  return {
    callId: call.callId,
    round: call.round,
    index: call.index,
    transcriptId: call.transcriptId,
    toolName: call.toolName,
    toolVersion: call.toolVersion,
    toolHash: call.toolHash,
    toolset: call.toolset,
    kind: call.kind,
    arguments: call.arguments,
    state: call.state,
    dispatch: call.dispatch,
    createdAt: call.createdAt,
    sentAt: call.sentAt,
    notAfter: call.notAfter,
    ...present(call, OPTIONAL),
    result: await wholeContent(state, call),
    long: call.result?.contentRef !== undefined,
    receipt: call.receipt !== undefined,
    ...(shown ? { shown } : {}),
    ...(questions ? { questions } : {}),
  };
}

/** The optional fields that a record has. The secret, the grant and the receipt are not among them. */
const OPTIONAL = ["via", "written", "asked", "approvalId", "approvedBy", "grantExpiresAt", "executeBy", "resolvedAt", "settled"] as const;

function present<K extends keyof Call>(call: Call, names: readonly K[]): Partial<Pick<Call, K>> {
  return Object.fromEntries(names.flatMap((name) => (call[name] === undefined ? [] : [[name, call[name]]]))) as Partial<Pick<Call, K>>;
}

async function wholeContent(state: Reader, call: Call): Promise<ToolResult | null> {
  const result = await wholeResult(state, call);
  if (!result?.contentRef) return result;
  const { contentRef: _, ...rest } = result;
  const content = await heldText(state, result);
  return content === null ? null : { ...rest, content };
}

async function indexIn(state: Reader, blob: string | undefined) {
  const bytes = blob === undefined ? null : await blobOrNull(state, blob);
  const index = bytes === null ? null : parseResultIndex(JSON.parse(Buffer.from(bytes).toString()));
  return index?.ok ? index.value : null;
}

async function questionsOf(state: Reader, { callId, toolset, questions }: Call): Promise<CallQuestions | null> {
  if (toolset === "" || questions?.length === 0) return null;
  const { documents } = await state.read([keys.questions(toolset, callId)]);
  const stored = parseCallQuestions(documents[0]?.value);
  return stored.ok ? stored.value : null;
}
