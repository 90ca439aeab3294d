import path from "node:path";
import type { Contest } from "../contest.ts";
import { bareServer } from "./bare-server.ts";
import { benchGateway } from "./bench-gateway.ts";
import { post } from "./http-client.ts";

/** One `POST /v1/investigations` to its 202: checked, stored with full sync on SQLite, announced on the bus. Bare: checked, kept in a variable. */
export function accept(directory: string): Promise<Contest> {
  return acceptOn(directory, `sqlite:${path.join(directory, "state")}`);
}

/** The same without the disk: only the gateway's own work is left. */
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
