import { executorOf, noopTools } from "../embedded/noop-tools.ts";
import type { Loop } from "../run-loop/loop.ts";

/** The input of every contender. */
export interface RoundPlace {
  /** Redis, as the state store accepts it, without a namespace. */
  readonly redisUrl: string;
  readonly postgresUrl: string;
  /** The prefix of every key, and the name of every schema. */
  readonly namespace: string;
  /** The part of the address before `/v1/chat/completions` and `/v1/messages`. */
  readonly modelUrl: string;
}

/** One library that runs agents, or a hand-written loop. */
export interface RoundContender {
  open(place: RoundPlace): Promise<Loop>;
  /** Removes what it left on a server; it has already stopped. */
  remove?(place: RoundPlace): Promise<void>;
}

/** The model name that is requested everywhere. A model that every library knows, and that accepts every parameter. */
export const MODEL = "gpt-4.1";
/** The vendors' clients insist on one; nobody checks it. */
export const API_KEY = "sk-stub";

/** The base address of OpenAI's protocol. */
export function openaiUrl({ modelUrl }: Pick<RoundPlace, "modelUrl">): string {
  return `${modelUrl}/v1`;
}

/** In the result of each call of the tool exactly once, and nowhere else: the stub of a model counts it. */
export const RESULT_MARK = "item-15";

/** The model's final answer. */
export function answerOf(rounds: number): string {
  return `Looked ${rounds} times. Each look gave the same sixteen items, so there is nothing that a further one would add.`;
}

/** Throws if a run ended with anything else: then it left something out. */
export function checkAnswer(text: unknown, rounds: number): void {
  if (text !== answerOf(rounds)) throw new Error(`a run ended with ${JSON.stringify(text)?.slice(0, 200) ?? "nothing"}`);
}

/** The one tool, for those that accept JSON Schema. */
export const look = executorOf(noopTools(), "look").definition;
