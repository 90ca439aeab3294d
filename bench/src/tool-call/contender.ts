import { startAsked } from "../asked-process.ts";
import type { Place } from "./driver.ts";
import { type DriverName, drivers } from "./drivers.ts";
import type { SideQuestion } from "./side-process.ts";

/** One driver with both its sides, each in its own process, ready to be measured. */
export interface Contender {
  /** This many calls, with this many of them in flight at any time. */
  calls(load: { readonly count: number; readonly inFlight: number }): Promise<void>;
  /**
   * Begins to count. Returns a function that reports the processor time per call of both sides since then, in milliseconds; the broker's is not included.
   */
  cpuMsPerCall(): Promise<() => Promise<number>>;
  /** Leaves nothing running, and nothing on the broker. */
  stop(): Promise<void>;
}

const PROCESS = new URL("side-process.ts", import.meta.url);

export async function startContender(name: DriverName, place: Place, collector: string | null = null): Promise<Contender> {
  const answers = startAsked<SideQuestion>(PROCESS);
  const calls = startAsked<SideQuestion>(PROCESS);
  const stop = async (): Promise<void> => {
    // A caller that waits for an answer has to get it before the answering side is gone.
    await calls.stop();
    await answers.stop();
    await (await drivers[name]()).remove(place);
  };
  try {
    await answers.ask({ kind: "begin", side: "answers", driver: name, place, collector });
    await calls.ask({ kind: "begin", side: "calls", driver: name, place, collector });
  } catch (error) {
    // Report the error that ended it.
    await stop().catch(() => undefined);
    throw error;
  }
  let made = 0;
  return {
    async calls({ count, inFlight }) {
      await calls.ask({ kind: "calls", count, inFlight });
      made += count;
    },
    async cpuMsPerCall() {
      const [before, madeBefore] = [await cpuMs(), made];
      return async () => ((await cpuMs()) - before) / (made - madeBefore);
    },
    stop,
  };

  async function cpuMs(): Promise<number> {
    const both = await Promise.all([calls, answers].map((side) => side.ask({ kind: "cpu" })));
    return (both as readonly { readonly cpuMs: number }[]).reduce((sum, each) => sum + each.cpuMs, 0);
  }
}
