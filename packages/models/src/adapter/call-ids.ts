import type { TranscriptEntry } from "@toolbus/contracts";

/**
 * The ids of a reply's calls, in order, made unique within the reply and the transcript: a missing or used id is replaced by `call_<n>`, n counting the
 * calls so far. The same transcript and reply give the same ids.
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

/** An id is stored and sent to other vendors: a monstrous one is replaced. */
function isKept(id: string): boolean {
  return id.length <= 256 && id.isWellFormed();
}
