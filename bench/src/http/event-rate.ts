import type { Contest } from "../contest.ts";
import { bareServer } from "./bare-server.ts";
import { type BenchRun, benchGateway } from "./bench-gateway.ts";
import { type Readers, startReaders } from "./readers.ts";
import { sampleEvent } from "./sample-event.ts";

/** The number of events that one piece of work delivers to each reader. */
export const BURST = 100;
// After this many events, the benchmark continues with a new run and the old run expires. So a long measurement does not fill the store.
const EVENTS_OF_A_RUN = 20_000;
const KEPT_MS = 10_000;

/**
 * Appends a burst of events, each in its own commit, and waits until every reader has received all of them. The readers are in another process. State
 * is in memory, so that only the work between the commit and the response is measured. The bare side builds the text of each event once and sends it
 * to every response.
 */
export async function eventRate(directory: string, readers: number): Promise<Contest> {
  const process = startReaders();
  const gateway = await benchGateway({ directory, stateUrl: "memory:" });
  const bare = await bareServer();
  const words = Array.from({ length: BURST }, () => sampleEvent(0));
  let run: { readonly run: BenchRun; readonly readers: Readers } | null = null;
  let said = 0;
  const bareReaders = await process.open(bare.events, "", readers, "reads");
  let bareSaid = 0;
  return {
    async subject() {
      if (run && said >= EVENTS_OF_A_RUN) {
        await run.readers.close();
        run = null;
      }
      if (!run) {
        said = 0;
        const next = await gateway.newRun();
        run = { run: next, readers: await process.open(next.events, gateway.apiKey, readers, "reads") };
      }
      for (const event of words) await run.run.say([event], KEPT_MS);
      said += BURST;
      await run.readers.had(said);
    },
    async bare() {
      for (const event of words) {
        bare.say([event]);
        // The subject also yields after each event.
        await Promise.resolve();
      }
      bareSaid += BURST;
      await bareReaders.had(bareSaid);
    },
    async stop() {
      await process.stop();
      await gateway.stop();
      await bare.stop();
    },
  };
}
