import { randomUUID } from "node:crypto";
import path from "node:path";
import { startAllInOne } from "@toolbus/all-in-one";
import { loadRelease, startReleaseApi } from "@toolbus/example-release-api";
import { bareRun } from "./bare-run.ts";
import type { Contest } from "../contest.ts";
import { investigate } from "./investigate.ts";

/**
 * Does one whole run over HTTP, up to its terminal event. The subject posts an investigation, follows its stream, and approves its one write over the
 * approvals' own API. All services are in this process, with state on SQLite. The bare side does the same steps by hand on the same release API: it
 * fetches the summary, assesses it, and files the report.
 */
export async function fullRun(directory: string, signal: AbortSignal): Promise<Contest> {
  const loaded = await loadRelease({ repo: directory, allowRecorded: true, signal });
  if (!loaded.ok) throw new Error(loaded.message);
  const { release } = loaded;
  const api = await startReleaseApi({
    directory: path.join(directory, "release-api"),
    releases: new Map([[release.release_id, release]]),
    clock: () => Date.now(),
    newId: randomUUID,
  });
  try {
    // The tools' own limits allow 120 reports a minute. Further runs would wait, and the benchmark with them.
    const env = { GATEWAY_PORT: "0", APPROVALS_PORT: "0", RELEASE_API_URL: api.url, TOOL_LIMITS: "*.callsPerMinute=0", LOG_LEVEL: "error" };
    const system = await startAllInOne({ directory: path.join(directory, "system"), env });
    return {
      subject: () => investigate(system, release.release_id, signal),
      bare: () => bareRun(api.url, release.release_id, randomUUID(), signal),
      async stop() {
        await system.stop();
        await api.stop();
      },
    };
  } catch (error) {
    await api.stop();
    throw error;
  }
}
