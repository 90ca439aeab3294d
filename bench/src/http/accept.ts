import path from "node:path";
import type { Contest } from "../contest.ts";
import { bareServer } from "./bare-server.ts";
import { benchGateway } from "./bench-gateway.ts";
import { post } from "./http-client.ts";

/** One `POST /v1/investigations` to its 202: checked, stored with full sync on SQLite, announced on the bus. Bare: checked, kept in a variable. */
export async function accept(directory: string): Promise<Contest> {
  const gateway = await benchGateway({ directory, stateUrl: `sqlite:${path.join(directory, "state")}` });
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
