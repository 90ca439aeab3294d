import {
  type CallQuestions,
  type Json,
  keys,
  MAX_QUESTIONS,
  parseCallQuestions,
  parseQuestionAnswer,
  type QuestionAnswer,
  type QuestionOutcome,
  shardOf,
  type ToolQuestion,
} from "@toolbus/contracts";
import { commitRepeatedly, type StateStore } from "@toolbus/state";

export interface StoredQuestions {
  /**
   * Stores a question of this attempt, and ends the questions of earlier attempts. Returns the stored question, or null if the call has had its most
   * questions.
   */
  add(make: (now: number) => ToolQuestion): Promise<ToolQuestion | null>;
  /**
   * Returns the outcome of a question, or null while people may still answer it. An answer counts if the gateway accepted it before this. After that,
   * the question has ended in the store. `withdrawn` ends an open question.
   */
  settle(id: string, withdrawn: boolean): Promise<Settled | null>;
  /** Ends the open questions of earlier attempts, which nobody waits for any more. */
  endEarlier(): Promise<void>;
  /** Returns the number of questions under the call, as far as this attempt knows. */
  count(): number;
}

export type Settled = { readonly outcome: QuestionOutcome; readonly content?: QuestionAnswer["content"] };

export interface StoredQuestionsOptions {
  readonly state: StateStore;
  readonly toolset: string;
  readonly callId: string;
  readonly from: string;
  readonly untrusted: boolean;
  readonly random: (bytes: number) => Uint8Array;
}

/** The time for which the questions of a call are kept. The agent reads them when the call ends. */
const KEPT_MS = 86_400_000;
const TRIES = 20;

interface Seen {
  readonly now: number;
  readonly version: number;
  readonly questions: readonly ToolQuestion[];
}

/**
 * Returns the questions of one attempt of a call, as the store has them. The document of the questions and the answer of the gateway are in one shard.
 * So the end of a question is one commit with both as guards: a question is answered or it has expired, never both.
 */
export function storedQuestions({ state, toolset, callId, from, untrusted, random }: StoredQuestionsOptions): StoredQuestions {
  const key = keys.questions(toolset, callId);
  const own = new Set<string>();
  let known = 0;
  return {
    count: () => known,
    async add(make) {
      for (let tries = 0; tries < TRIES; tries++) {
        const seen = await read();
        const earlier = seen.questions.map((question) => ended(question, seen.now));
        if (earlier.length >= MAX_QUESTIONS) return null;
        const added = make(seen.now);
        if (!(await write(seen, [...earlier, added]))) continue;
        own.add(added.id);
        return added;
      }
      throw new Error(`The questions of ${callId} changed too often.`);
    },
    async settle(id, withdrawn) {
      for (let tries = 0; tries < TRIES; tries++) {
        const answerKey = keys.questionAnswer(toolset, callId, id);
        const { now, documents } = await state.read([key, answerKey]);
        const seen = seenOf(documents[0] ?? null, now);
        const question = seen.questions.find((one) => one.id === id);
        if (!question) return { outcome: "interrupted" };
        if (question.ended) return { outcome: question.ended.outcome };
        const answer = parseQuestionAnswer(documents[1]?.value);
        const settled = settledBy(question, { answer: answer.ok ? answer.value : null, now, withdrawn });
        if (!settled) return null;
        const after = seen.questions.map((one) => (one.id === id ? endedAs(one, settled.outcome, now) : one));
        if (await write(seen, after, [{ key: answerKey, version: documents[1]?.version ?? 0 }])) return settled;
      }
      return null;
    },
    async endEarlier() {
      for (let tries = 0; tries < TRIES; tries++) {
        const seen = await read();
        const after = seen.questions.map((question) => ended(question, seen.now));
        if (after.every((question, n) => question === seen.questions[n]) || (await write(seen, after))) return;
      }
    },
  };

  /** Ends a question that another attempt left open. */
  function ended(question: ToolQuestion, now: number): ToolQuestion {
    return question.ended || own.has(question.id) ? question : endedAs(question, "interrupted", now);
  }

  async function read(): Promise<Seen> {
    const { now, documents } = await state.read([key]);
    return seenOf(documents[0] ?? null, now);
  }

  function seenOf(document: { readonly version: number; readonly value: Json } | null, now: number): Seen {
    const parsed = parseCallQuestions(document?.value);
    const questions = parsed.ok ? parsed.value.questions : [];
    known = questions.length;
    return { now, version: document?.version ?? 0, questions };
  }

  /** Returns false if another process has changed a document in the meantime. */
  async function write(
    seen: Seen,
    questions: readonly ToolQuestion[],
    guards: readonly { readonly key: string; readonly version: number }[] = [],
  ): Promise<boolean> {
    const value: CallQuestions = { callId, from, untrusted, questions: [...questions] };
    const reply = await commitRepeatedly(state, shardOf(callId), {
      op: `questions:${callId}:${Buffer.from(random(8)).toString("hex")}`,
      guards: [{ key, version: seen.version }, ...guards],
      put: [{ key, value: value as unknown as Json, expiresAt: seen.now + KEPT_MS }],
    });
    if (reply.outcome !== "ok") return false;
    known = questions.length;
    return true;
  }
}

function settledBy(
  question: ToolQuestion,
  { answer, now, withdrawn }: { readonly answer: QuestionAnswer | null; readonly now: number; readonly withdrawn: boolean },
): Settled | null {
  if (answer?.action === "accept") return { outcome: "accepted", content: answer.content ?? {} };
  if (answer) return { outcome: "declined" };
  if (now >= question.expiresAt) return { outcome: "expired" };
  return withdrawn ? { outcome: "cancelled" } : null;
}

function endedAs({ form: _, ...question }: ToolQuestion, outcome: QuestionOutcome, at: number): ToolQuestion {
  return { ...question, ended: { outcome, at } };
}
