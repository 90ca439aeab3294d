import { startAsked } from "../asked-process.ts";

/**
 * How long a reader may take no data until the gateway disconnects it. This is shorter than the default, so that the benchmark does not wait long for
 * it.
 */
export const STANDSTILL_MS = 2000;

export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
  /** The length of each event's text, in bytes. */
  readonly bytes: number;
}

/** The questions to the process of the gateway. The numbers of runs start from 0. */
export type GatewayQuestion =
  | { readonly kind: "publish"; readonly run: number; readonly pace: Pace }
  | { readonly kind: "key" | "run" | "memory" };

/** The memory of the process, in bytes. */
export interface Memory {
  /** The memory after a garbage collection. */
  readonly rss: number;
  /** The highest memory since the last question, measured while events were appended. */
  readonly peak: number;
}

export interface HostedRun {
  /** The address of the run's stream. */
  readonly events: string;
  /** Appends events at this pace for this long, and returns their number. */
  publish(pace: Pace): Promise<number>;
}

/** A gateway on SQLite, in a separate process. */
export interface GatewayHost {
  readonly apiKey: string;
  newRun(): Promise<HostedRun>;
  memory(): Promise<Memory>;
  stop(): Promise<void>;
}

export async function startGatewayHost(): Promise<GatewayHost> {
  const { ask, stop } = startAsked<GatewayQuestion>(new URL("gateway-process.ts", import.meta.url), ["--expose-gc"]);
  try {
    const { apiKey } = (await ask({ kind: "key" })) as { readonly apiKey: string };
    return {
      apiKey,
      async newRun() {
        const { run, events } = (await ask({ kind: "run" })) as { readonly run: number; readonly events: string };
        return { events, publish: async (pace) => ((await ask({ kind: "publish", run, pace })) as { readonly said: number }).said };
      },
      memory: async () => (await ask({ kind: "memory" })) as Memory,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
