import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import { chatBrain, type ModelServer } from "@toolbus/model-servers";
import type { Infrastructure } from "@toolbus/runtime";
import { vi } from "vitest";
import { serverOf, type Vendor } from "./model-vendors.ts";
import { someRelease } from "./releases.ts";

/** The only release, and a message that asks for it. */
export const RELEASE = "v1.5.0";
export const ASK = `get_release_summary {"release_id": "${RELEASE}"}`;

/** Starts a release API with that release, whose reports are numbered. */
export async function oneRelease(directory: string): Promise<ReleaseApi> {
  let reports = 0;
  return startReleaseApi({
    directory,
    releases: new Map([[RELEASE, someRelease(RELEASE)]]),
    clock: () => 1_700_000_000_000,
    newId: () => `report-${++reports}`,
  });
}

export interface ModelSystem {
  readonly server: ModelServer;
  readonly system: AllInOne;
  stop(): Promise<void>;
}

export interface ModelSystemOptions {
  readonly directory: string;
  readonly api: ReleaseApi;
  readonly env?: Readonly<Record<string, string>>;
  /** Adds a layer between the services and their infrastructure. */
  readonly wrap?: (infrastructure: Infrastructure) => Infrastructure;
}

/** Starts every service in this process, with a model of this vendor that does what the messages ask for. */
export async function modelSystem(vendor: Vendor, { directory, api, env = {}, wrap }: ModelSystemOptions): Promise<ModelSystem> {
  const server = await serverOf(vendor);
  if (!server) throw new Error(`${vendor.name} has no server`);
  server.think(chatBrain());
  const own = vendor.env(server);
  // The AWS credential chain reads the environment of the process.
  for (const [name, value] of Object.entries(own)) if (name.startsWith("AWS_")) vi.stubEnv(name, value);
  const ports = { GATEWAY_PORT: "0", APPROVALS_PORT: "0" };
  const system = await startAllInOne({
    directory,
    env: { ...own, ...ports, RELEASE_API_URL: api.url, LOG_LEVEL: "silent", ...env },
    ...(wrap ? { wrap } : {}),
  });
  return {
    server,
    system,
    async stop() {
      await system.stop();
      await server.close();
      vi.unstubAllEnvs();
    },
  };
}
