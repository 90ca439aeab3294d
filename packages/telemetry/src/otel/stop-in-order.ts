/** A part of the SDK that sends its remaining items when it is stopped. */
export interface Stoppable {
  shutdown(): Promise<void>;
}

/**
 * Stops one stage after the other, so that the last stage can still report a failure of the first. Each stage has a share of the remaining time. So a
 * stage whose collector does not answer takes no time from the later ones. Returns false if a stage did not stop within its share. Never rejects,
 * because other code reports failed exports.
 */
export async function stopInOrder(
  stages: readonly (readonly Stoppable[])[],
  { withinMs, monotonic }: { readonly withinMs: number; readonly monotonic: () => number },
): Promise<boolean> {
  const end = monotonic() + withinMs;
  const all = stages.filter((stage) => stage.length > 0);
  let inTime = true;
  for (const [n, stage] of all.entries()) {
    const share = Math.max(0, end - monotonic()) / (all.length - n);
    if (!(await endsWithin(stage, share))) inTime = false;
  }
  return inTime;
}

async function endsWithin(stage: readonly Stoppable[], ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  const ended = Promise.allSettled(stage.map((part) => part.shutdown())).then(() => true);
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
