import { setTimeout as pause } from "node:timers/promises";

/** The result of repeated health checks of processes. */
export interface Watched {
  /** The longest response time of each process, in milliseconds. */
  readonly slowest: Readonly<Record<string, number>>;
  /** Every missing answer and every status other than 200. */
  readonly failed: readonly string[];
}

const AGAIN_MS = 50;

/** Repeatedly asks every address for its health until `end`. */
export function watchedHealth(addresses: Readonly<Record<string, string>>): { end(): Promise<Watched> } {
  const over = new AbortController();
  const slowest: Record<string, number> = {};
  const failed: string[] = [];
  const all = Object.entries(addresses).map(async ([name, url]) => {
    while (!over.signal.aborted) {
      const begun = performance.now();
      const status = await fetch(url, { signal: AbortSignal.timeout(5000) }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        (error: unknown) => String(error),
      );
      slowest[name] = Math.round(Math.max(slowest[name] ?? 0, performance.now() - begun));
      if (status !== 200) failed.push(`${name}: ${status}`);
      await pause(AGAIN_MS);
    }
  });
  return {
    async end() {
      over.abort();
      await Promise.all(all);
      return { slowest, failed };
    },
  };
}
