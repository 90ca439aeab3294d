import { executorOf, noopTools } from "../embedded/noop-tools.ts";
import type { Loop } from "../run-loop/loop.ts";

/** What every contender is given. */
export interface RoundPlace {
  /** Redis, as the state store takes it, without a namespace. */
  readonly redisUrl: string;
  readonly postgresUrl: string;
  /** Before every key, and the name of every schema. */
  readonly namespace: string;
  /** Before `/v1/chat/completions` and `/v1/messages`. */
  readonly modelUrl: string;
}

/** One library that runs agents, or a loop by hand. */
export interface RoundContender {
  open(place: RoundPlace): Promise<Loop>;
  /** Removes what it left on a server; it has stopped. */
  remove?(place: RoundPlace): Promise<void>;
}

/** As it is asked for everywhere. A model that everybody knows, and that takes every parameter. */
export const MODEL = "gpt-4.1";
/** The vendors' clients insist on one; nobody looks at it. */
export const API_KEY = "sk-stub";

/** Where OpenAI's protocol is spoken. */
export function openaiUrl({ modelUrl }: Pick<RoundPlace, "modelUrl">): string {
  return `${modelUrl}/v1`;
}

/** In the result of each call of the tool exactly once, and nowhere else: the stub of a model counts it. */
export const RESULT_MARK = "item-15";

/** What the model says in the end. */
export function answerOf(rounds: number): string {
  return `Looked ${rounds} times. Each look gave the same sixteen items, so there is nothing that a further one would add.`;
}

/** Throws when a run ended with anything else: then it left something out. */
export function checkAnswer(text: unknown, rounds: number): void {
  if (text !== answerOf(rounds)) throw new Error(`a run ended with ${JSON.stringify(text)?.slice(0, 200) ?? "nothing"}`);
}

/** The one tool, as those read it who take JSON Schema. */
export const look = executorOf(noopTools(), "look").definition;
