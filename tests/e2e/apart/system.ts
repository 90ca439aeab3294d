import { type Apart, type ApartName, type ApartOptions, type Replica, startApart } from "@toolbus/all-in-one";
import { type GatedReleaseApi, gatedReleaseApi } from "../testing/gated-release-api.ts";
import { scratch } from "../testing/scratch.ts";
import { IMPATIENT } from "./impatient.ts";

/** A system with each service in its own processes, as users and operators see it. */
export interface ApartSystem {
  readonly apart: Apart;
  readonly api: GatedReleaseApi;
  /** The output of the processes. */
  readonly output: () => string;
  readonly replicas: (service: ApartName) => readonly Replica[];
  stop(): Promise<void>;
}

export interface ApartSystemOptions {
  readonly busUrl?: string;
  readonly stateUrl?: string;
  /** Overrides `busUrl` and `stateUrl` for single services (see `ApartOptions`). */
  readonly addresses?: NonNullable<ApartOptions["addresses"]>;
  /** The number of processes of each service, two by default. */
  readonly replicas?: number;
  readonly releases: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly modules?: Partial<Readonly<Record<ApartName, string>>>;
}

export async function startApartSystem({ releases, env, modules, replicas = 2, ...servers }: ApartSystemOptions): Promise<ApartSystem> {
  const files = scratch();
  const api = await gatedReleaseApi(files.at("api"), releases);
  const written: string[] = [];
  try {
    const apart = await startApart({
      directory: files.data(),
      ...servers,
      replicas,
      env: { ...IMPATIENT, DRAIN_MS: "10000", RELEASE_API_URL: api.url, ...env },
      ...(modules ? { modules } : {}),
      onOutput: (name, text) => void written.push(text.replace(/^(?=.)/gm, `${name}: `)),
    });
    return {
      apart,
      api,
      output: () => written.join(""),
      replicas: (service) => apart.replicas().filter((replica) => replica.service === service),
      async stop() {
        await apart.stop();
        await api.stop();
        files.remove();
      },
    };
  } catch (error) {
    await api.stop();
    files.remove();
    throw new Error(`The services did not start: ${written.join("")}`, { cause: error });
  }
}
