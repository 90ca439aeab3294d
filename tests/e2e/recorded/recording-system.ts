import { once } from "node:events";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { memoryBus } from "@toolbus/bus";
import { startReleaseApi } from "@toolbus/example-release-api";
import { staticKeySet } from "@toolbus/grants";
import { type ModelServer, startModelServer } from "@toolbus/model-servers";
import type { Infrastructure } from "@toolbus/runtime";
import { memoryStore } from "@toolbus/state";
import { defineTool, startWorker, toolset, type Worker } from "@toolbus/tool-kit";
import { someRelease } from "../releases.ts";
import { scratch } from "../scratch.ts";

/** When every recording starts. */
export const RECORDED_AT = 1_763_718_400_000;
/** The one release that there is. */
export const RELEASE = "v1.4.0";

/** Every service in this process, with a clock that the recording moves forward. Its model is a vendor's server that the recording tells what to answer. */
export interface RecordingSystem extends Pick<AllInOne, "gatewayUrl" | "approvalsUrl" | "keys"> {
  readonly model: ModelServer;
  /** Serves `read_commits`, which reports its progress and then waits for a cancel. */
  readonly worker: Worker;
  /** Moves the clock of all services, the store and the bus. */
  pass(ms: number): void;
  /** Stops the services, as an operator does. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function recordingSystem(): Promise<RecordingSystem> {
  let ahead = RECORDED_AT - Date.now();
  const clock = (): number => Date.now() + ahead;
  const files = scratch();
  const model = await startModelServer("anthropic");
  const api = await startReleaseApi({
    directory: files.at("release-api"),
    releases: new Map([[RELEASE, someRelease(RELEASE)]]),
    clock,
    newId: () => "report-1",
  });
  const parts = Promise.withResolvers<Infrastructure>();
  const replaced: Promise<void>[] = [];
  const system = await startAllInOne({
    directory: files.data(),
    env: {
      ANTHROPIC_API_KEY: model.key,
      LLM_BASE_URL: model.url,
      LLM_PROVIDER: "anthropic",
      LLM_MODEL: model.model,
      RELEASE_API_URL: api.url,
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      LOG_LEVEL: "silent",
      STATE_URL: "memory:",
      POLL_MS: "5",
    },
    wrap(built) {
      replaced.push(built.bus.close(), built.state.close());
      const own = { ...built, clock, bus: memoryBus({ clock }), state: memoryStore({ clock }) };
      parts.resolve(own);
      return own;
    },
  });
  const worker = await startWorker({
    ...(await parts.promise),
    toolset: toolset({ name: "reviews", tools: [readCommits] }),
    keys: staticKeySet({ keys: [] }),
  });
  let stopped: Promise<boolean> | null = null;
  const stop = async (): Promise<void> => void (await (stopped ??= system.stop()));
  return {
    gatewayUrl: system.gatewayUrl,
    approvalsUrl: system.approvalsUrl,
    keys: system.keys,
    model,
    worker,
    pass: (ms) => void (ahead += ms),
    stop,
    async [Symbol.asyncDispose]() {
      await worker.stop();
      await stop();
      await Promise.all(replaced);
      await model.close();
      await api.stop();
      files.remove();
    },
  };
}

/** None of the tools that ship reports progress or takes long enough to be cancelled. */
const readCommits = defineTool({
  name: "read_commits",
  kind: "read",
  description: "Reads the commits of a release one after another.",
  parameters: {
    type: "object",
    properties: { release_id: { type: "string", description: "The release, e.g. v1.4.0." } },
    required: ["release_id"],
    additionalProperties: false,
  },
  timeoutMs: 600_000,
  async run(_, { signal, progress }) {
    progress({ message: "Half of the commits are read.", fraction: 0.5 });
    await once(signal, "abort");
    return null;
  },
});
