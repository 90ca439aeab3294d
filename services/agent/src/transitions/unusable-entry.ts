import type { MessageEntry, Run } from "@toolbus/contracts";
import type { Stopped } from "./end.ts";
import type { Rules } from "./rules.ts";
import { tooLarge } from "./run-size.ts";

/** Returns why the run of this entry can never work and what to do about it, or null if it can. A retry would not help. */
export function faultOf(entry: MessageEntry, run: Run, rules: Rules): Stopped | null {
  if (!rules.profile(entry.profile)) return { code: "profile_unknown", message: unknownProfile(entry.profile, rules) };
  const message = tooLarge(run, entry.text);
  return message === null ? null : { code: "message_too_large", message };
}

function unknownProfile(name: string, { profileNames }: Rules): string {
  return `There is no profile "${name.slice(0, 64)}" here; the known ones are ${profileNames.join(", ")}. Start a conversation with one of them.`;
}
