import type { TranscriptEntry } from "@toolbus/contracts";

/**
 * Returns the ids of a reply's calls, in order and unique within the reply and the transcript. A missing, used or unsuitable id becomes `call_<n>`,
 * where `n` starts at the number of earlier calls. The same transcript and reply always give the same ids.
 */
export function freeCallIds(given: readonly string[], transcript: readonly TranscriptEntry[]): readonly string[] {
  const before = transcript.flatMap((entry) => (entry.type === "assistant" ? entry.calls.map(({ id }) => id) : []));
  const taken = new Set(before);
  let n = before.length;
  return given.map((id) => {
    const free = id !== "" && !taken.has(id) && isKept(id) ? id : nextFree();
    taken.add(free);
    return free;
  });

  function nextFree(): string {
    while (taken.has(`call_${n}`) || given.includes(`call_${n}`)) n += 1;
    return `call_${n}`;
  }
}

/** Returns true for an id that we can store and send to other vendors. Any other id is replaced. */
function isKept(id: string): boolean {
  return id.length <= 256 && id.isWellFormed();
}
