import type { AgentConfig } from "../settings.ts";
import type { Profile } from "../profile.ts";

/** What transitions need besides documents: configuration and sources of ids, passed in so that they stay pure. */
export interface Rules {
  readonly config: AgentConfig;
  readonly profile: (name: string) => Profile | undefined;
  /** Names of the known profiles, for people. */
  readonly profileNames: readonly string[];
  /** 256 random bits, for a call's secret. */
  readonly newSecret: () => string;
  /** Random text that distinguishes a change from every other that is made from the same documents. */
  readonly newNonce: () => string;
  /** From 0 to below 1, for the waits between attempts. */
  readonly random: () => number;
  /** Owners of leases taken before this are dead. */
  readonly ownersDeadBefore: number;
}

/** The name of this service's timers and outbox. */
export const AGENT_SERVICE = "agent";

/** A document as it was read: a change is guarded by its version. Version 0: it did not exist. */
export interface Read<T> {
  readonly version: number;
  readonly value: T;
}

export const timerIds = {
  run: (runId: string) => `run:${runId}`,
  call: (callId: string) => `call:${callId}`,
} as const;
