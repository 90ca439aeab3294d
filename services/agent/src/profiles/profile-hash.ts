import type { JsonObject, ProfileText } from "@toolbus/contracts";
import { contentHash } from "@toolbus/grants";
import type { Profile } from "../profile.ts";

/** Returns the hash of a profile. If any part of two profiles differs, their hashes differ. */
export function profileHash(profile: Profile): string {
  const known = hashes.get(profile);
  if (known !== undefined) return known;
  const hash = contentHash(JSON.stringify(profile));
  hashes.set(profile, hash);
  return hash;
}

/** Returns the document with all parts of a profile. */
export function profileText(profile: Profile, at: number): ProfileText {
  const text = JSON.stringify(profile);
  const fits = Buffer.byteLength(text) <= MAX_BYTES;
  return { hash: profileHash(profile), profile: fits ? (JSON.parse(text) as JsonObject) : null, at };
}

/** The limit leaves some room below the 64 KiB of a document. */
const MAX_BYTES = 60 * 1024;

// A profile does not change while an agent runs, and every run needs its hash.
const hashes = new WeakMap<Profile, string>();
