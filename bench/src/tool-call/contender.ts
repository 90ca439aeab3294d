import { startAsked } from "../asked-process.ts";
import type { Place } from "./driver.ts";
import { type DriverName, drivers } from "./drivers.ts";
import type { SideQuestion } from "./side-process.ts";

/** One driver, with its calling side and its answering side in separate processes, ready to be measured. */
export interface Contender {
  /** Makes this many calls, with `inFlight` calls in flight at any time. */
  calls(load: { readonly count: number; readonly inFlight: number }): Promise<void>;
  /**
   * Starts to count processor time. The returned function reports the processor time of both sides per call since then, in milliseconds. The broker's
   * time is not included.
   */
  cpuMsPerCall(): Promise<() => Promise<number>>;
  /** Stops both processes and removes their data from the broker. */
  stop(): Promise<void>;
}

const PROCESS = new URL("side-process.ts", import.meta.url);

export async function startContender(name: DriverName, place: Place, collector: string | null = null): Promise<Contender> {
  const answers = startAsked<SideQuestion>(PROCESS);
  const calls = startAsked<SideQuestion>(PROCESS);
  const stop = async (): Promise<void> => {
    // A caller that waits for an answer must receive it before the answering side stops.
    await calls.stop();
    await answers.stop();
    await (await drivers[name]()).remove(place);
  };
  try {
    await answers.ask({ kind: "begin", side: "answers", driver: name, place, collector });
    await calls.ask({ kind: "begin", side: "calls", driver: name, place, collector });
  } catch (error) {
    // An error of the cleanup must not hide the error that stopped the contender.
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
