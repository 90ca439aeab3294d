import { counted } from "@toolbus/contracts";
import { type RateLimit, rateLimit } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";
import { GATEWAY_SERVICE } from "../settings.ts";

/** The limits of each principal per minute. A limit is null if its setting is 0. */
export interface Limits {
  readonly runs: RateLimit | null;
  readonly conversations: RateLimit | null;
  readonly actions: RateLimit | null;
}

export function limitsOf({ state, config, random }: Pick<Gateway, "state" | "config" | "random">): Limits {
  const limit = (name: string, perMinute: number, words: string): RateLimit | null =>
    perMinute === 0 ? null : rateLimit({ state, service: GATEWAY_SERVICE, name, words, perMinute, random });
  const { RUNS_PER_MINUTE: runs, CONVERSATIONS_PER_MINUTE: conversations, ACTIONS_PER_MINUTE: actions } = config;
  return {
    runs: limit("runs", runs, `start ${counted(runs, "run")}`),
    conversations: limit("conversations", conversations, `create ${counted(conversations, "conversation")}`),
    actions: limit(
      "actions",
      actions,
      `send ${actions === 1 ? "1 answer, cancel, replay, webhook or ticket request" : `${actions} answers, cancels, replays, webhooks and ticket requests`}`,
    ),
  };
}
