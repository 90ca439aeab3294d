import type { Contest } from "../contest.ts";
import { bareServer } from "./bare-server.ts";
import { type BenchRun, benchGateway } from "./bench-gateway.ts";
import { type Readers, startReaders } from "./readers.ts";
import { sampleEvent } from "./sample-event.ts";

/** What one piece of work delivers to each reader. */
export const BURST = 100;
// So that a long measurement does not fill the store: then another run continues, and the old one expires.
const EVENTS_OF_A_RUN = 20_000;
const KEPT_MS = 10_000;

/**
 * A burst of events, each in its own commit, until every reader has all of it; the readers are another process. State is in memory, so that only the way
 * from the commit to the wire is measured, without a disk. Bare: each event is written once and sent to every response.
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
        // The other side has one after each commit too.
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
