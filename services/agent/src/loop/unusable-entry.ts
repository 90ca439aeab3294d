import type { MessageEntry } from "@toolbus/contracts";
import { storedBytes } from "./bounded-text.ts";
import type { Stopped } from "./end.ts";
import type { Rules } from "./rules.ts";

// A run's document holds message and input together with the run's tools and report, in 64 KiB.
const MAX_ENTRY_BYTES = 40 * 1024;

/** Why a run of this entry can never work, with what to do about it; null when it can. Nothing that fails here is worth another try. */
export function faultOf(entry: MessageEntry, rules: Rules): Stopped | null {
  if (!rules.profile(entry.profile)) return { code: "profile_unknown", message: unknownProfile(entry.profile, rules) };
  const bytes = storedBytes(entry.text) + Buffer.byteLength(JSON.stringify(entry.input));
  if (bytes <= MAX_ENTRY_BYTES) return null;
  return {
    code: "message_too_large",
    message: `The message takes ${bytes} bytes with its input, and ${MAX_ENTRY_BYTES} is the most; send a shorter one.`,
  };
}

function unknownProfile(name: string, { profileNames }: Rules): string {
  return `There is no profile "${name.slice(0, 64)}" here; there are ${profileNames.join(", ")}. Start a conversation with one of them.`;
}
