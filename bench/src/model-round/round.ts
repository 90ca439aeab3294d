import { executorOf, noopTools } from "../embedded/noop-tools.ts";
import type { Loop } from "../run-loop/loop.ts";

/** The input of every contender. */
export interface RoundPlace {
  /** The address of Redis, in the form of the state store, without a namespace. */
  readonly redisUrl: string;
  readonly postgresUrl: string;
  /** The prefix of every Redis key, and the base of every PostgreSQL schema name. */
  readonly namespace: string;
  /** The part of the address before `/v1/chat/completions` and `/v1/messages`. */
  readonly modelUrl: string;
}

/** A library that makes runs of an agent, or a hand-written loop. */
export interface RoundContender {
  open(place: RoundPlace): Promise<Loop>;
  /** Removes the contender's data from every server. The contender has already stopped. */
  remove?(place: RoundPlace): Promise<void>;
}

/** The name of the model in every request. Every library knows this model, and it accepts every parameter. */
export const MODEL = "gpt-4.1";
/** The vendors' clients require a key, but the stub does not check it. */
export const API_KEY = "sk-stub";

/** Returns the base address of OpenAI's protocol. */
export function openaiUrl({ modelUrl }: Pick<RoundPlace, "modelUrl">): string {
  return `${modelUrl}/v1`;
}

/** A text that occurs exactly once in the result of each call and nowhere else. The stub of a model counts it. */
export const RESULT_MARK = "item-15";

/** Returns the model's final answer. */
export function answerOf(rounds: number): string {
  return `Looked ${rounds} times. Each look gave the same sixteen items, so there is nothing that a further one would add.`;
}

/** Throws if a run ended with any other answer, because the run then left something out. */
export function checkAnswer(text: unknown, rounds: number): void {
  if (text !== answerOf(rounds)) throw new Error(`a run ended with ${JSON.stringify(text)?.slice(0, 200) ?? "nothing"}`);
}

/** The definition of the one tool, for the contenders that accept JSON Schema. */
export const look = executorOf(noopTools(), "look").definition;
