import type { Profile } from "../profile.ts";

/** The times of an agent's settings that have to fit those of its profiles, in milliseconds. */
export interface AgentTimes {
  readonly MODEL_TIMEOUT_MS: number;
  readonly CALL_NOT_AFTER_MS: number;
}

/** Returns one sentence with the remedy for each mismatch. With a mismatch, a run of the profile ends for a reason that nobody intended. */
export function timesThatDoNotFit(
  profiles: Iterable<Profile>,
  { MODEL_TIMEOUT_MS: modelMs, CALL_NOT_AFTER_MS: callMs }: AgentTimes,
): readonly string[] {
  return [...profiles].flatMap(({ name, limits: { activeMs, noWorkerMs } }) => [
    ...(activeMs < modelMs
      ? [
          `One model call may take ${seconds(modelMs)} (MODEL_TIMEOUT_MS), and a run of the profile "${name}" has ${seconds(activeMs)} in all: a slow model ends it as time_limit. ` +
            "Raise limits.activeSeconds of the profile, or lower MODEL_TIMEOUT_MS.",
        ]
      : []),
    ...(noWorkerMs !== undefined && noWorkerMs > callMs
      ? [
          `The profile "${name}" waits ${seconds(noWorkerMs)} for a worker (limits.noWorkerSeconds), and a call may begin for ${seconds(callMs)} only (CALL_NOT_AFTER_MS): the model never gets no_worker. ` +
            "Lower limits.noWorkerSeconds, or raise CALL_NOT_AFTER_MS.",
        ]
      : []),
  ]);
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
