import type { JsonObject, TranscriptEntry } from "@toolbus/contracts";
import type { ModelServer } from "@toolbus/model-servers";
import type { ModelContext, ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import type { ToolSpec } from "../schema/tool-spec.ts";
import type { WireProviderCase } from "./wire-provider-case.ts";

export const runId = "rn_00_1";

export const lookup: ToolSpec = toolNamed("lookup_order");
export const restock: ToolSpec = toolNamed("restock_item");

export function toolNamed(name: string): ToolSpec {
  const parameters = {
    type: "object",
    properties: { id: { type: "string", description: "Of the order." }, count: { type: "integer" } },
    required: ["id"],
    additionalProperties: false,
  };
  return { name, description: `Does what ${name} says, for one order by its id.`, parameters };
}

export function userEntry(text: string): TranscriptEntry {
  return { type: "user", runId, text, at: 0 };
}

/** Creates a turn of this loop, which no vendor has seen. */
export function seedTurn(text: string, ...calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]) {
  return {
    type: "assistant",
    runId,
    round: 0,
    text,
    at: 0,
    provider: "toolbus",
    model: "seed",
    calls: calls.map((call, n) => ({ ...call, callId: `${runId}.0.${n}` })),
  } as const satisfies TranscriptEntry;
}

export function resultEntry(id: string, name: string, content: string, isError = false): TranscriptEntry {
  return { type: "result", runId, round: 0, id, callId: `${runId}.0.0`, name, status: isError ? "error" : "ok", content, isError, at: 0 };
}

export function requestOf(transcript: readonly TranscriptEntry[], more: Partial<ModelRequest> = {}): ModelRequest {
  const run = { runId, profile: "chat", input: {} satisfies JsonObject };
  return { system: "You look after orders.", transcript, tools: [lookup, restock], maxTokens: 1024, run, ...more };
}

/** Returns the request after this reply. `content` returns the result of each call by its number. */
export function afterReply(
  request: ModelRequest,
  reply: ModelReply,
  provider: ModelProvider,
  content: (n: number) => { readonly content: string; readonly isError: boolean } = () => ({ content: '{"found":true}', isError: false }),
): ModelRequest {
  const round = request.transcript.length;
  const turn: TranscriptEntry = {
    type: "assistant",
    runId,
    round,
    text: reply.text,
    at: 0,
    provider: provider.name,
    model: reply.model,
    calls: reply.calls.map((call, n) => ({ ...call, callId: `${runId}.${round}.${n}` })),
    ...(reply.vendor ? { vendor: reply.vendor } : {}),
  };
  const results = turn.calls.map(({ id, callId, name }, n): TranscriptEntry => ({
    type: "result",
    runId,
    round,
    id,
    callId,
    name,
    status: "ok",
    at: 0,
    ...content(n),
  }));
  return { ...request, transcript: [...request.transcript, turn, ...results] };
}

// The deadline of a request. Every provider is faster. If a provider hangs, its test fails with a reason.
const DEADLINE_MS = 20_000;

export function contextOf(deltas: string[], signal: AbortSignal = AbortSignal.timeout(DEADLINE_MS)): ModelContext {
  return { signal, onText: (delta) => void deltas.push(delta) };
}

export async function completed(provider: ModelProvider, request: ModelRequest): Promise<{ reply: ModelReply; deltas: readonly string[] }> {
  const deltas: string[] = [];
  return { reply: await provider.complete(request, contextOf(deltas)), deltas };
}

/** Returns the error of a request and the text that was streamed before it. Throws if the request has a reply. */
export async function failure(
  provider: ModelProvider,
  request: ModelRequest,
  signal?: AbortSignal,
): Promise<{ readonly error: unknown; readonly deltas: string[] }> {
  const deltas: string[] = [];
  const outcome = await provider.complete(request, contextOf(deltas, signal)).then(
    (reply) => ({ reply }),
    (error: unknown) => ({ error }),
  );
  if ("reply" in outcome) throw new Error(`There is a reply: ${JSON.stringify(outcome.reply)}`);
  return { error: outcome.error, deltas };
}

export interface WireSetup extends AsyncDisposable {
  readonly server: ModelServer;
  readonly provider: ModelProvider;
}

/** Starts a separate server for one test, and a provider that talks to it. */
export async function wireSetup({ start, open }: WireProviderCase): Promise<WireSetup> {
  const server = await start();
  return { server, provider: open(server), [Symbol.asyncDispose]: () => server.close() };
}
