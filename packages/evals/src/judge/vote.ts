import { setTimeout as sleep } from "node:timers/promises";
import { AuthenticationError, ModelError, type ModelProvider, RateLimitError } from "@toolbus/models";
import type { JudgePrompt } from "./judge-prompt.ts";
import { readVerdict, type Verdict } from "./verdict.ts";

/** One vote of a judge, or why there is none. */
export type Vote = Verdict | { readonly answer: null; readonly why: string };

export interface VoteOptions {
  readonly provider: ModelProvider;
  /** The longest wait for one answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Waits before a failed request is sent again. It rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

// A thinking model spends tokens before it writes its sentence.
const MAX_TOKENS = 4000;
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 20_000;

/**
 * Asks for one vote. An answer that cannot be read is asked for once more, and so is a request that failed for a passing reason. Rejects only with
 * the signal's reason or with a bug.
 */
export async function vote(prompt: JudgePrompt, options: VoteOptions): Promise<Vote> {
  for (const user of [prompt.user, prompt.again]) {
    const answered = await answerTo(prompt.system, user, options);
    if ("why" in answered) return { answer: null, why: answered.why };
    const verdict = readVerdict(answered.text);
    if (verdict !== null) return verdict;
  }
  return { answer: null, why: "it answered twice with something else than the JSON object it was asked for" };
}

type Answer = { readonly text: string } | { readonly why: string };

async function answerTo(system: string, user: string, options: VoteOptions): Promise<Answer> {
  const { signal, wait = (ms, until) => sleep(ms, undefined, { signal: until }) } = options;
  const first = await request(system, user, options);
  if (!("retryAfterMs" in first)) return first;
  await wait(Math.min(first.retryAfterMs ?? RETRY_MS, LONGEST_RETRY_MS), signal).catch(() => undefined);
  signal.throwIfAborted();
  return request(system, user, options);
}

async function request(
  system: string,
  user: string,
  { provider, timeoutMs, signal }: VoteOptions,
): Promise<Answer | { readonly why: string; readonly retryAfterMs: number | null }> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const entry = { type: "user", runId: "judge", text: user, at: 0 } as const;
  try {
    const { text } = await provider.complete(
      {
        system,
        transcript: [entry],
        tools: [],
        toolChoice: "none",
        maxTokens: Math.min(MAX_TOKENS, provider.capabilities.maxOutputTokens),
        run: { runId: "judge", profile: "judge", input: {} },
      },
      { signal: AbortSignal.any([signal, deadline]), onText: () => undefined },
    );
    return { text };
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return { why: `it did not answer within ${timeoutMs / 1000} s` };
    if (!(error instanceof ModelError)) throw error;
    const why = error instanceof AuthenticationError ? `its provider does not accept the key (${error.message})` : error.message;
    if (!error.retryable) return { why };
    return { why, retryAfterMs: error instanceof RateLimitError ? error.retryAfterMs : null };
  }
}
