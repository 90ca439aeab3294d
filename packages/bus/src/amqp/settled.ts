import { setTimeout as wait } from "node:timers/promises";

/** Waits until the work resolves or rejects, for at most `ms` milliseconds. Returns whether the work ended in time. */
export async function settled(work: Promise<unknown>, ms: number): Promise<boolean> {
  const enough = new AbortController();
  const inTime = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([inTime, wait(ms, false, { signal: enough.signal })]);
  } finally {
    enough.abort();
  }
}
