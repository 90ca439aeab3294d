import { startAsked } from "../asked-process.ts";

/** How long a reader may stand still until it is disconnected: less than the default, because nobody wants to wait for it here. */
export const STANDSTILL_MS = 2000;

export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
  /** The length of each event's text. */
  readonly bytes: number;
}

/** What the process of the gateway is asked; `run` counts from 0. */
export type GatewayQuestion =
  | { readonly kind: "publish"; readonly run: number; readonly pace: Pace }
  | { readonly kind: "key" | "run" | "memory" };

/** In bytes. */
export interface Memory {
  /** After the garbage collector has been. */
  readonly rss: number;
  /** The most since the last time that it was asked, while events were appended. */
  readonly peak: number;
}

export interface HostedRun {
  /** Where its stream is. */
  readonly events: string;
  /** Appends events at this pace for so long; gives how many they were. */
  publish(pace: Pace): Promise<number>;
}

/** A gateway on SQLite in a process of its own. */
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
