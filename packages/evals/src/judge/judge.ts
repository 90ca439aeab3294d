import type { ModelProvider } from "@toolbus/models";
import { type Criterion, judgePrompt, PROMPT_VERSION } from "./judge-prompt.ts";
import { type Judged, judgedRecord } from "./judged-record.ts";
import type { Verdict } from "./verdict.ts";
import { type Vote, vote, type VoteOptions } from "./vote.ts";

/** What identifies a judge. A calibration is valid for exactly one identity. */
export interface JudgeIdentity {
  readonly provider: string;
  readonly model: string;
  readonly votes: number;
  /** The version of the prompt's wording. */
  readonly prompt: string;
}

/** The decision of a judge about one criterion. `answer` is null if too few votes could be read. */
export interface Judgement {
  readonly answer: "yes" | "no" | null;
  readonly yes: number;
  readonly no: number;
  /** The number of votes that could not be read. */
  readonly none: number;
  /** The reason of the first vote with this answer, or why there is no answer. */
  readonly reason: string;
}

/** Asks a model one question about one run at a time. */
export interface Judge {
  readonly identity: JudgeIdentity;
  /** Rejects only with the signal's reason. Every failure of the model is a judgement without an answer. */
  ask(criterion: Criterion, judged: Judged, signal: AbortSignal): Promise<Judgement>;
}

export interface JudgeOptions extends Pick<VoteOptions, "provider" | "wait"> {
  /** An odd number, so that the votes cannot be equal. 3 if absent. */
  readonly votes?: number;
  /** The longest wait for one answer, in milliseconds. One minute if absent. */
  readonly timeoutMs?: number;
}

const MOST_VOTES = 15;

/** Creates a judge over a model. Throws a RangeError for a number of votes that could be equal. */
export function judge({ provider, votes = 3, timeoutMs = 60_000, wait }: JudgeOptions): Judge {
  if (!Number.isInteger(votes) || votes < 1 || votes > MOST_VOTES || votes % 2 === 0)
    throw new RangeError(`A judge needs an odd number of votes from 1 to ${MOST_VOTES}, not ${votes}: set judge.votes to 3.`);
  return {
    identity: identityOf(provider, votes),
    async ask(criterion, judged, signal) {
      const prompt = judgePrompt(criterion, judgedRecord(judged));
      const options = { provider, timeoutMs, signal, ...(wait === undefined ? {} : { wait }) };
      return decided(await Promise.all(Array.from({ length: votes }, () => vote(prompt, options))));
    },
  };
}

function identityOf({ name, model }: ModelProvider, votes: number): JudgeIdentity {
  return { provider: name, model, votes, prompt: PROMPT_VERSION };
}

/** A majority of all votes decides, also of those that could not be read. So a vote that is missing can never change the answer. */
function decided(votes: readonly Vote[]): Judgement {
  const [yes, no] = (["yes", "no"] as const).map((answer) => votes.filter((one) => one.answer === answer).length);
  const counts = { yes: yes ?? 0, no: no ?? 0, none: votes.length - (yes ?? 0) - (no ?? 0) };
  const needed = (votes.length + 1) / 2;
  const answer = counts.yes >= needed ? "yes" : counts.no >= needed ? "no" : null;
  const agreeing = votes.find((one): one is Verdict => one.answer === answer && answer !== null);
  if (agreeing !== undefined) return { answer, ...counts, reason: agreeing.reason };
  const why = votes.find((one) => one.answer === null)?.why.replace(/\.$/, "") ?? "the votes are equal";
  return {
    answer: null,
    ...counts,
    reason: `The judge could not decide, because only ${counts.yes + counts.no} of ${votes.length} votes can be read: ${why}.`,
  };
}
