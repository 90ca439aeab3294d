import type { Log } from "@toolbus/telemetry";

/** Work that began, or that waits until nothing speaks against it. */
export interface Gated {
  /** Returns why the work has not begun, in a sentence that strangers may read. Empty if it has begun. */
  readonly unready: () => readonly string[];
  /** Resolves when the work has begun, or when the gate was stopped before. Never rejects. */
  readonly settled: Promise<void>;
  /** Ends the wait, or stops the work. Safe to call twice. */
  stop(): Promise<void>;
}

export interface GateOptions {
  /** Returns why the work must not begin now, or null. Rejects only when the signal aborts, or for something that a person must fix first. */
  readonly obstacle: (signal: AbortSignal) => Promise<string | null>;
  readonly begin: () => Promise<{ stop(): Promise<void> }>;
  readonly log: Log;
  /** The waits between two checks, in milliseconds. The last one is used for all later checks. */
  readonly waitsMs?: readonly number[];
}

const WAITS_MS = [1000, 2000, 5000, 10_000, 30_000];

/**
 * Begins work as soon as `obstacle` finds nothing. If it finds something at once, the gate is returned nevertheless and checks again in the
 * background, so that the process can say why it is not ready. Rejects with the first error of `obstacle` or of `begin`. A later error is logged, and
 * becomes the reason for the next wait.
 */
export async function startGate({ obstacle, begin, log, waitsMs = WAITS_MS }: GateOptions): Promise<Gated> {
  const stopping = new AbortController();
  let work: { stop(): Promise<void> } | null = null;
  let why = await attempt();
  let stop: Promise<void> | null = null;
  if (why !== null) log.error({}, notReady(why));
  const settled = why === null ? Promise.resolve() : keepTrying();
  return {
    unready: () => (why === null ? [] : [why]),
    settled,
    stop: () =>
      (stop ??= (async () => {
        stopping.abort(new Error("The process stops."));
        await settled;
        await work?.stop();
      })()),
  };

  /** Begins the work, or returns why not. */
  async function attempt(): Promise<string | null> {
    const found = await obstacle(stopping.signal);
    if (found === null) work = await begin();
    return found;
  }

  async function keepTrying(): Promise<void> {
    for (let tries = 0; ; tries++) {
      await pause(waitsMs[Math.min(tries, waitsMs.length - 1)] ?? 1000, stopping.signal);
      if (stopping.signal.aborted) return;
      const before = why;
      try {
        why = await attempt();
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.error({ error }, "work that waited could not begin; it is tried again");
        why = "the start failed, and is tried again";
      }
      if (why === null) return log.info({ checks: tries + 2 }, "ready now");
      if (why !== before) log.error({}, notReady(why));
    }
  }
}

/** A reason may be a whole sentence or only a part of one. */
function notReady(why: string): string {
  return `Not ready: ${why.replace(/\.$/, "")}. It is checked again.`;
}

/** Waits for this time, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  });
}
