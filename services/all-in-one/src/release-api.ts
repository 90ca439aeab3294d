import { randomUUID } from "node:crypto";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ReleaseApi, ReleaseEvidence, ReleaseSummary } from "@toolbus/example-release-api";
import { Refusal } from "@toolbus/runtime";

export interface EmbeddedReleaseApi {
  readonly api: ReleaseApi;
  readonly releaseId: string;
  readonly notes: readonly string[];
}

/**
 * Starts the example release API, so that the first command works without a real one. It serves this repository's newest release, or the recorded one
 * if there is no history.
 */
export async function embeddedReleaseApi(directory: string, signal: AbortSignal): Promise<EmbeddedReleaseApi> {
  // The module is loaded only if it is needed, because a production process never needs it.
  const { loadRelease } = await import("@toolbus/example-release-api");
  const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
  const loaded = await loadRelease({ repo, allowRecorded: true, environment: process.env, signal });
  if (!loaded.ok) throw new Refusal(`${loaded.message} Or set RELEASE_API_URL to a release API of your own.`);
  const { release, evidence, notes } = loaded;
  return { api: await localReleaseApi(directory, release, evidence), releaseId: release.release_id, notes };
}

/**
 * Starts the example release API for one release and its evidence, with its reports in this data directory. Throws a `Refusal` if the reports cannot be stored or read
 * there.
 */
export async function localReleaseApi(directory: string, release: ReleaseSummary, evidence?: ReleaseEvidence): Promise<ReleaseApi> {
  const { startReleaseApi } = await import("@toolbus/example-release-api");
  try {
    return await startReleaseApi({
      directory: path.join(directory, "release-api"),
      releases: new Map([[release.release_id, release]]),
      evidence: new Map(evidence === undefined ? [] : [[release.release_id, evidence]]),
      clock: () => Date.now(),
      newId: randomUUID,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
    throw new Refusal(
      `The example release API cannot keep its reports in ${directory}: ${why}. Fix that, or name another data directory.`,
      { cause: error },
    );
  }
}
