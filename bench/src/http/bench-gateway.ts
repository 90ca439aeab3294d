import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { memoryBus } from "@toolbus/bus";
import { attributes, type Json, keyOf, keys, type RunEvent, shardOf, topics } from "@toolbus/contracts";
import { drawnRandom, ownKeys } from "@toolbus/grants";
import { gateway } from "@toolbus/gateway";
import { readSettings } from "@toolbus/runtime";
import { connectState } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { post } from "./http-client.ts";

/** A real gateway on its own port, with only the benchmark behind it. */
export interface BenchGateway {
  readonly url: string;
  readonly apiKey: string;
  /** Accepts an investigation over HTTP. */
  newRun(): Promise<BenchRun>;
  stop(): Promise<void>;
}

export interface BenchRun {
  readonly runId: string;
  /** The address of the run's stream. */
  readonly events: string;
  /**
   * Appends events to the run's log in one commit, as the run's agent would. The log expires this long after the commit, by default after an hour.
   */
  say(events: readonly RunEvent[], keptMs?: number): Promise<void>;
}

export interface BenchGatewayOptions {
  readonly directory: string;
  readonly stateUrl: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The events that an agent appends at once to a new run. */
  readonly firstWords?: readonly RunEvent[];
}

const KEPT_MS = 3_600_000;

export async function benchGateway({ directory, stateUrl, env = {}, firstWords }: BenchGatewayOptions): Promise<BenchGateway> {
  const clock = (): number => Date.now();
  const apiKey = `tb_user_${randomBytes(24).toString("base64url")}`;
  const keysFile = path.join(directory, "api-keys.json");
  const sha256 = createHash("sha256").update(apiKey).digest("hex");
  await writeFile(keysFile, JSON.stringify([{ id: "bench", sha256, principal: "bench", tenant: "local", roles: ["user"], scopes: [] }]));
  const state = await connectState(stateUrl, { clock });
  const bus = memoryBus({ clock });
  await bus.consume(
    topics.runWake,
    async ({ message }) => {
      if (firstWords) await benchRun(String(message.attributes[attributes.entry])).say(firstWords);
      return { kind: "ack" };
    },
    { concurrency: 16 },
  );
  const own = await ownKeys(["gateway"]);
  const keyed = { identity: own.identityOf("gateway"), trusted: own.trusted, embedded: true };
  const infrastructure = { bus, state, log: silentLog, ...keyed, random: drawnRandom(), monotonic: () => performance.now(), clock };
  // No agent takes the accepted runs, so the gateway must not announce them again. All clients have the same principal, so its limits are raised or
  // turned off.
  const patient = {
    WAKE_REPEAT_MS: "3600000",
    SSE_PER_PRINCIPAL: "100000",
    SSE_PING_MS: "3600000",
    RUNS_PER_PRINCIPAL: "0",
    RUNS_PER_MINUTE: "0",
  };
  const settings = { GATEWAY_PORT: "0", GATEWAY_API_KEYS_FILE: keysFile, ...patient, ...env };
  const service = await gateway.start(infrastructure, readSettings(gateway.settings, settings));
  return {
    url: service.url,
    apiKey,
    async newRun() {
      const { runId } = await post(`${service.url}/v1/investigations`, apiKey, { releaseId: "v2" });
      return benchRun(String(runId));
    },
    async stop() {
      await service.stop();
      await bus.close();
      await state.close();
    },
  };

  function benchRun(runId: string): BenchRun {
    // The gateway only reads the log. The document that guards these commits exists only in the benchmark.
    const key = keyOf("conversation", shardOf(runId), `bench ${runId}`);
    let version = 0;
    let said = 0;
    return {
      runId,
      events: `${service.url}/v1/runs/${runId}/events`,
      async say(events, keptMs = KEPT_MS) {
        const expiresAt = clock() + keptMs;
        const { outcome, commit } = await state.commit(shardOf(runId), {
          op: `say ${++said}`,
          guards: [{ key, version }],
          put: [{ key, value: null, expiresAt }],
          append: [{ log: keys.events(runId), entries: events as unknown as readonly Json[], expiresAt }],
        });
        if (outcome !== "ok") throw new Error(`the events of a run were not stored: ${outcome}`);
        version = commit;
      },
    };
  }
}
