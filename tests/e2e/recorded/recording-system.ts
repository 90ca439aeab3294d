import { once } from "node:events";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { memoryBus } from "@toolbus/bus";
import { startReleaseApi } from "@toolbus/example-release-api";
import { type ModelServer, startModelServer } from "@toolbus/model-servers";
import type { Infrastructure } from "@toolbus/runtime";
import { memoryStore } from "@toolbus/state";
import { defineTool, startWorker, toolset, type Worker } from "@toolbus/tool-kit";
import { someRelease } from "../testing/releases.ts";
import { scratch } from "../testing/scratch.ts";

/** The time at which every recording starts. */
export const RECORDED_AT = 1_763_718_400_000;
/** The only release. */
export const RELEASE = "v1.4.0";

/** Every service in this process, with a clock that the recording moves ahead. The recording also decides the answers of the model's server. */
export interface RecordingSystem extends Pick<AllInOne, "gatewayUrl" | "approvalsUrl" | "keys"> {
  readonly model: ModelServer;
  /**
   * A worker with three test tools. `read_commits` reports its progress and then waits until it is cancelled. `pick_reviewer` asks the requester. The
   * target of `close_review` answers late.
   */
  readonly worker: Worker;
  /** Resolves when `close_review` has reached its target. */
  readonly sent: Promise<void>;
  /** Lets the target of `close_review` answer. */
  answer(): void;
  /** Moves the clock of all services, the store and the bus. */
  pass(ms: number): void;
  /** Stops the services as an operator does. */
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
  const target = { reached: Promise.withResolvers<void>(), answered: Promise.withResolvers<void>() };
  const own = await parts.promise;
  const worker = await startWorker({
    ...own,
    toolset: toolset({ name: "reviews", tools: [readCommits, pickReviewer, closeReview(target)] }),
    keys: own.trusted.of("approvals"),
    signer: own.identity.signer,
  });
  let stopped: Promise<boolean> | null = null;
  const stop = async (): Promise<void> => void (await (stopped ??= system.stop()));
  return {
    gatewayUrl: system.gatewayUrl,
    approvalsUrl: system.approvalsUrl,
    keys: system.keys,
    model,
    worker,
    sent: target.reached.promise,
    answer: () => target.answered.resolve(),
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

/** A test tool, because no shipped tool reports progress or takes long enough to be cancelled. */
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

/** A test tool, because no shipped tool asks people. */
const pickReviewer = defineTool({
  name: "pick_reviewer",
  kind: "read",
  description: "Asks who reviews a release.",
  trust: "untrusted",
  parameters: {
    type: "object",
    properties: { release_id: { type: "string", description: "The release, e.g. v1.4.0." } },
    required: ["release_id"],
    additionalProperties: false,
  },
  timeoutMs: 600_000,
  async run(_, { ask }) {
    const form = { type: "object", properties: { reviewer: { type: "string", title: "Name", maxLength: 64 } }, required: ["reviewer"] };
    const reply = await ask({ message: "Who reviews the release?", form });
    return reply.action;
  },
});

/** Makes a test write, because no shipped write has an outcome that stays unknown for hours. */
function closeReview(target: { readonly reached: PromiseWithResolvers<void>; readonly answered: PromiseWithResolvers<void> }) {
  return defineTool({
    name: "close_review",
    kind: "write",
    description: "Closes the review of a release.",
    parameters: {
      type: "object",
      properties: { release_id: { type: "string", description: "The release, e.g. v1.4.0." } },
      required: ["release_id"],
      additionalProperties: false,
    },
    timeoutMs: 600_000,
    risk: { tier: "low" },
    // The target forgets the key before anybody can repeat the write.
    idempotency: { mode: "key", keepsForMs: 60_000 },
    effect: "Close the review of {release_id}.",
    prepare: async (args) => args,
    async run({ release_id: closed = null }) {
      target.reached.resolve();
      await target.answered.promise;
      return { closed };
    },
  });
}
