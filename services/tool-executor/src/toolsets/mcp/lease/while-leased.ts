import { pause } from "@toolbus/runtime";
import type { Log } from "@toolbus/telemetry";
import { type HeldLease, type LeaseOptions, takeLease } from "./mcp-lease.ts";

/** What runs only on the replica with the lease. */
export interface Leased {
  /** Stops it after the calls under way have ended. */
  stop(): Promise<void>;
  /** Stops it at once, because another replica may take over. */
  abandon(): Promise<void>;
}

export interface WhileLeasedOptions extends Omit<LeaseOptions, "log"> {
  readonly start: () => Promise<Leased>;
  readonly log: Pick<Log, "info" | "warn" | "error">;
}

/**
 * Starts something on the one replica that holds the lease, and on another replica after that one stops or dies. If this replica gets the lease at
 * once, the returned promise resolves after the start, and rejects if the start fails. Otherwise this replica stands by, and retries a failed start.
 */
export async function whileLeased({ start, log, ...options }: WhileLeasedOptions): Promise<{ stop(): Promise<void> }> {
  const { standbyMs } = options.timings;
  const stopping = new AbortController();
  const take = (): Promise<HeldLease | null> => takeLease({ ...options, log });
  const lease = await take();
  if (!lease) log.info({}, "another replica runs the MCP servers; this one stands by");
  const running = run(lease, lease ? await started(lease) : null);
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };

  async function started(lease: HeldLease): Promise<Leased> {
    try {
      return await start();
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  async function run(lease: HeldLease | null, leased: Leased | null): Promise<void> {
    for (;;) {
      if (lease && leased) await serve(lease, leased);
      if (stopping.signal.aborted) return;
      await pause(standbyMs, stopping.signal);
      if (stopping.signal.aborted) return;
      lease = await take().catch((error: unknown) => {
        log.warn({ error }, "the lease of the MCP servers could not be read; it is retried");
        return null;
      });
      leased = lease ? await retried(lease) : null;
    }
  }

  async function retried(lease: HeldLease): Promise<Leased | null> {
    log.info({}, "this replica now runs the MCP servers");
    return await started(lease).catch((error: unknown) => {
      log.error({ error }, "the MCP servers could not be started; it is retried");
      return null;
    });
  }

  /** Waits until the lease is lost or this replica stops. */
  async function serve(lease: HeldLease, leased: Leased): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const over = AbortSignal.any([lease.lost, stopping.signal]);
    over.addEventListener("abort", () => resolve(), { once: true });
    if (over.aborted) resolve();
    await promise;
    if (lease.lost.aborted) {
      log.warn({}, "the lease of the MCP servers is lost; this replica ends its servers");
      await leased.abandon();
    } else await leased.stop();
    await lease.release();
  }
}
