import { setTimeout as wait } from "node:timers/promises";
import {
  MAX_QUESTIONS,
  QUESTION_CHARS,
  type QuestionOutcome,
  readForm,
  type ToolDefinition,
  type ToolQuestion,
  trustOf,
  visible,
} from "@toolbus/contracts";
import { StoreUnavailable } from "@toolbus/state";
import type { InvokeContext } from "../calls/invoke-context.ts";
import type { ToolCall } from "../tool/tool-call.ts";
import type { Ask, Question, Reply } from "./question.ts";
import { asksForSecret } from "./secret-question.ts";
import { type Settled, type StoredQuestions, storedQuestions } from "./stored-questions.ts";

/** The questions of one attempt of a call. */
export interface AttemptQuestions {
  readonly ask: Ask;
  /** Ends the open questions of earlier attempts. Call it before the attempt runs. Throws `StoreUnavailable`. */
  begin(): Promise<void>;
}

export interface AttemptTime {
  /** Returns how much of the attempt's time is left, in milliseconds. */
  readonly leftMs: () => number;
  readonly timeoutMs: number;
}

/** A server may ask without end, so from then on the store is not read. */
const ASKED_ENOUGH: Reply = { action: "decline", reason: "The call has already asked its most questions." };
/** How often the worker looks for the answer. */
const LOOK_EVERY_MS = 500;
/** The least time to answer a question. */
const LEAST_MS = 1000;

/**
 * Returns the function with which an attempt asks the requester of its run. The store has each question and its end. Progress only hints at them. The
 * worker waits for the answer of the gateway until shortly before the attempt's time ends, so that the tool can still end properly.
 */
export function askPerson(
  call: ToolCall,
  definition: Pick<ToolDefinition, "name" | "source" | "trust">,
  { state, toolset, random, log }: Pick<InvokeContext, "state" | "toolset" | "random" | "log">,
  time: AttemptTime,
): AttemptQuestions {
  const { callId, progress } = call;
  let asking: { readonly from: string; readonly stored: StoredQuestions } | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    // A person reads one question at a time, so the next one waits.
    ask(question) {
      const reply = turn.then(() => within(question));
      turn = reply;
      return reply;
    },
    async begin() {
      if (call.count > 1 || call.dispatch > 1) await noted(opened().stored.endEarlier());
    },
  };

  /** Makes the access to the questions with the first of them, because almost no call has any. */
  function opened(): { readonly from: string; readonly stored: StoredQuestions } {
    if (asking) return asking;
    const from = visible(definition.source).slice(0, 200);
    const untrusted = trustOf(definition) === "untrusted";
    asking = { from, stored: storedQuestions({ state, toolset: toolset.name, callId, from, untrusted, random }) };
    return asking;
  }

  async function within(question: Question): Promise<Reply> {
    try {
      return await put(question);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) log.warn({ error, callId }, "a question of a tool could not be asked");
      return { action: "cancel", reason: "The question could not be stored." };
    }
  }

  async function put({ message, form, signal }: Question): Promise<Reply> {
    const spareMs = Math.min(2000, time.timeoutMs / 10);
    const leftMs = Math.floor(time.leftMs() - spareMs);
    if (leftMs < LEAST_MS || signal?.aborted === true) return { action: "cancel", reason: "The time of the call is over." };
    const { from, stored } = opened();
    if (stored.count() >= MAX_QUESTIONS) return ASKED_ENOUGH;
    const refused = refusalOf({ message, form });
    const added = await noted(
      stored.add((now): ToolQuestion => {
        const question = { id: idOf(random(16)), message: shown(message), askedAt: now, expiresAt: now + leftMs };
        return refused === null ? { ...question, form } : { ...question, ended: { outcome: "refused", at: now, reason: refused } };
      }),
    );
    if (!added) return ASKED_ENOUGH;
    progress.questions(refused === null ? `${from} asks a question, and waits for the answer` : `${from} asked a question. ${refused}`);
    if (refused !== null) return { action: "decline", reason: refused };
    const settled = await settledIn(stored, added.id, { leftMs, signal });
    progress.questions(`The question of ${from} is over: ${settled.outcome}`);
    return replyOf(settled);
  }

  async function noted<T>(work: Promise<T>): Promise<T> {
    const done = await work;
    call.questions.count = opened().stored.count();
    return done;
  }
}

/** Returns the attempt's `ask` for one handler. Its questions are withdrawn when the handler's signal aborts. */
export function askUntil({ ask }: AttemptQuestions, signal: AbortSignal): Ask {
  return (question) => ask({ ...question, signal: question.signal === undefined ? signal : AbortSignal.any([signal, question.signal]) });
}

/** Waits for the end of a question. A store that does not answer is asked again until the time is over. */
async function settledIn(
  stored: StoredQuestions,
  id: string,
  { leftMs, signal }: { readonly leftMs: number; readonly signal: AbortSignal | undefined },
): Promise<Settled> {
  // The store's own clock decides when the question has expired. This limit only ends the wait for a store that does not answer.
  for (let looks = Math.ceil(leftMs / LOOK_EVERY_MS) + SPARE_LOOKS; looks > 0; looks--) {
    const settled = await stored.settle(id, signal?.aborted === true).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) return null;
      throw error;
    });
    if (settled) return settled;
    await wait(LOOK_EVERY_MS, undefined, { ref: false, ...(signal === undefined || signal.aborted ? {} : { signal }) }).catch(
      () => undefined,
    );
  }
  return { outcome: "expired" };
}

const SPARE_LOOKS = 20;

function replyOf({ outcome, content }: Settled): Reply {
  if (outcome === "accepted") return { action: "accept", content: content ?? {} };
  if (outcome === "declined") return { action: "decline", reason: "The person declined." };
  return { action: "cancel", reason: WHY_NOT[outcome] };
}

const WHY_NOT: Readonly<Record<Exclude<QuestionOutcome, "accepted" | "declined">, string>> = {
  expired: "Nobody answered in time.",
  cancelled: "The question was withdrawn.",
  interrupted: "Another attempt has taken over.",
  refused: "Toolbus did not ask.",
};

/** Returns why people are not asked this question, in a sentence for viewers of the run, or null if they are. */
function refusalOf({ message, form }: Pick<Question, "message" | "form">): string | null {
  if (asksForSecret({ message, form })) return "Toolbus declined, because the question asks for a secret.";
  if (message.trim() === "" || message.length > QUESTION_CHARS)
    return `Toolbus declined, because the question does not have 1 to ${QUESTION_CHARS} characters.`;
  const read = readForm(form);
  return read.ok ? null : `Toolbus declined, because ${read.reason}.`.slice(0, 300);
}

function shown(message: string): string {
  return visible(message.slice(0, QUESTION_CHARS)).slice(0, QUESTION_CHARS).toWellFormed();
}

function idOf(bytes: Uint8Array): string {
  return `q_${Buffer.from(bytes).toString("hex")}`;
}
