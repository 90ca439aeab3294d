import type { AgentConfig } from "../settings.ts";
import type { Profile } from "../profile.ts";

/** The inputs of transitions besides documents: configuration and sources of ids. Callers pass them in, so that transitions stay pure. */
export interface Rules {
  readonly config: AgentConfig;
  readonly profile: (name: string) => Profile | undefined;
  /** The names of the known profiles, for messages to people. */
  readonly profileNames: readonly string[];
  /** Returns 256 random bits for a call's secret. */
  readonly newSecret: () => string;
  /** Returns random text that distinguishes a change from every other change that is made from the same documents. */
  readonly newNonce: () => string;
  /** Returns a random number from 0 to below 1, for the waits between attempts. */
  readonly random: () => number;
  /** If a lease began before this time, its holder is dead. */
  readonly ownersDeadBefore: number;
  /** Returns whether this process serves a toolset and makes its calls itself. Absent means never. */
  readonly servesHere?: (toolset: string) => boolean;
}

/** The name of this service's timers and outbox. */
export const AGENT_SERVICE = "agent";

/** A document as it was read. Its version guards a change. Version 0 means that the document did not exist. */
export interface Read<T> {
  readonly version: number;
  readonly value: T;
}

export const timerIds = {
  run: (runId: string) => `run:${runId}`,
  call: (callId: string) => `call:${callId}`,
} as const;
