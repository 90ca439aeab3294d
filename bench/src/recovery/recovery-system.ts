import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Apart, startApart } from "@toolbus/all-in-one";
import { DEFAULT_AGENT, queuesOf, topics } from "@toolbus/contracts";
import type { RunRedis } from "../run-loop/run-redis.ts";
import { withOption } from "../server-urls.ts";
import type { BrokerKind } from "../tool-call/driver.ts";
import { removeBus } from "../tool-call/remove-bus.ts";
import { GATE_VARIABLE } from "./ask-gate.ts";
import { type Gate, startGate } from "./gate.ts";

/** Two replicas of every service, each in a process of its own, and the gate at which the benchmark holds their work. */
export interface RecoverySystem {
  readonly apart: Apart;
  readonly gate: Gate;
}

export interface RecoveryServers {
  readonly broker: BrokerKind;
  readonly brokerUrl: string;
  readonly redis: RunRedis;
}

const GATED_AGENT = fileURLToPath(new URL("gated-agent.ts", import.meta.url));
const GATED_WORKER = fileURLToPath(new URL("gated-worker.ts", import.meta.url));
const QUEUES = queuesOf({ agents: [DEFAULT_AGENT], toolsets: ["release", "operations"] });

/** Starts a system with a namespace of its own, uses it, and always stops it and removes its data. */
export async function withRecoverySystem<T>(
  { broker, brokerUrl, redis }: RecoveryServers,
  signal: AbortSignal,
  use: (system: RecoverySystem) => Promise<T>,
): Promise<T> {
  const namespace = `bench-${randomBytes(5).toString("hex")}`;
  const directory = await mkdtemp(path.join(tmpdir(), "toolbus-bench-"));
  const gate = await startGate();
  const said: string[] = [];
  let apart: Apart | null = null;
  try {
    apart = await startApart({
      directory,
      busUrl: withOption(brokerUrl, "namespace", namespace),
      stateUrl: withOption(redis.url, "namespace", namespace),
      replicas: 2,
      env: { [GATE_VARIABLE]: gate.url, PIN_ON_FIRST_SIGHT: "true" },
      modules: { agent: GATED_AGENT, "tool-executor": GATED_WORKER },
      onOutput: (name, text) => void said.push(`${name}: ${text}`),
      signal,
    });
    return await use({ apart, gate });
  } catch (error) {
    // The processes have said why they did not do their work.
    if (!signal.aborted) process.stderr.write(said.slice(-LAST_LINES).join(""));
    throw error;
  } finally {
    await Promise.all(apart?.replicas().map(({ process: running }) => running.kill()) ?? []);
    await gate.stop();
    await removeBus(broker, { url: brokerUrl, namespace }, [...QUEUES, ...QUEUES.map((queue) => topics.dead(queue))]);
    await redis.remove(namespace);
    await rm(directory, { recursive: true, force: true });
  }
}

const LAST_LINES = 40;
