import path from "node:path";
import type { Contest } from "../contest.ts";
import { bareServer } from "./bare-server.ts";
import { benchGateway } from "./bench-gateway.ts";
import { firstEvent, post } from "./http-client.ts";
import { sampleEvent } from "./sample-event.ts";

/**
 * Measures from the `POST` of a new run to the first event of its stream, on SQLite with full sync. The gateway accepts, stores and announces the
 * run. The benchmark stores the first event, as the run's agent would. Then the client opens the stream and receives the event. The bare side serves
 * the same two requests and writes the event at once.
 */
export async function firstEventOfNewRun(directory: string): Promise<Contest> {
  const words = [sampleEvent(0)];
  const gateway = await benchGateway({ directory, stateUrl: `sqlite:${path.join(directory, "state")}`, firstWords: words });
  const bare = await bareServer(words);
  return {
    subject: async () => firstEvent((await gateway.newRun()).events, gateway.apiKey),
    async bare() {
      await post(`${bare.url}/v1/investigations`, "", { releaseId: "v2" });
      await firstEvent(bare.events, "");
    },
    async stop() {
      await gateway.stop();
      await bare.stop();
    },
  };
}

/** Measures from the `GET` of a run's stream to its first event, on a new connection. The run has ten events and is active. */
export async function firstEventOfRun(directory: string): Promise<Contest> {
  const words = Array.from({ length: 10 }, () => sampleEvent(0));
  const gateway = await benchGateway({ directory, stateUrl: `sqlite:${path.join(directory, "state")}` });
  const bare = await bareServer(words);
  const { events, say } = await gateway.newRun();
  await say(words);
  return {
    subject: () => firstEvent(events, gateway.apiKey),
    bare: () => firstEvent(bare.events, ""),
    async stop() {
      await gateway.stop();
      await bare.stop();
    },
  };
}
