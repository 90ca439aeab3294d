import path from "node:path";
import type { Contest } from "../contest.ts";
import { bareServer } from "./bare-server.ts";
import { benchGateway } from "./bench-gateway.ts";
import { post } from "./http-client.ts";

/**
 * Does one `POST /v1/investigations`, up to its 202. The gateway checks the request, stores it on SQLite with full sync, and announces it on the bus.
 * The bare side checks the request and stores it in a variable.
 */
export function accept(directory: string): Promise<Contest> {
  return acceptOn(directory, `sqlite:${path.join(directory, "state")}`);
}

/** Does the same with state in memory, so that only the gateway's own work is measured. */
export function acceptInMemory(directory: string): Promise<Contest> {
  return acceptOn(directory, "memory:");
}

async function acceptOn(directory: string, stateUrl: string): Promise<Contest> {
  const gateway = await benchGateway({ directory, stateUrl });
  const bare = await bareServer();
  return {
    subject: async () => void (await gateway.newRun()),
    bare: async () => void (await post(`${bare.url}/v1/investigations`, "", { releaseId: "v2" })),
    async stop() {
      await gateway.stop();
      await bare.stop();
    },
  };
}
