import path from "node:path";
import { approvals } from "@toolbus/approvals";
import { gateway } from "@toolbus/gateway";
import { runServices } from "@toolbus/runtime";
import { type AllInOne, type AllInOneOptions, embeddedDefaults, setSettings, urlOf } from "./start-all-in-one.ts";
import { localKeys } from "./local-keys.ts";

/**
 * Starts approvals and the gateway alone, on the store of a Toolbus that is stopped. So an operator can raise the era before any work begins. Neither
 * an agent nor a worker runs. No message leaves the process, because nobody would receive it. A message of the outbox stays there for the next start.
 */
export async function startForOperator({
  directory,
  env,
  signal,
}: Pick<AllInOneOptions, "directory" | "env" | "signal">): Promise<AllInOne> {
  const keys = await localKeys(path.join(directory, "keys"));
  const running = await runServices([approvals, gateway], {
    env: { ...embeddedDefaults(directory, keys), ...setSettings(env), ...ALONE, SERVICE_KEYS_FILE: keys.services.trusted },
    wrap: (infrastructure) => ({ ...infrastructure, bus: { ...infrastructure.bus, publish: refuse } }),
    ...(signal ? { signal } : {}),
  });
  return { gatewayUrl: urlOf(running, "gateway"), approvalsUrl: urlOf(running, "approvals"), keys, stop: () => running.stop() };
}

/** Free ports of this machine, and no output besides that of the command. */
const ALONE = {
  BUS_URL: "memory:",
  GATEWAY_HOST: "127.0.0.1",
  GATEWAY_PORT: "0",
  APPROVALS_HOST: "127.0.0.1",
  APPROVALS_PORT: "0",
  APPROVALS_JWKS_FILE: "",
  HEALTH_PORT: "0",
  METRICS_PORT: "0",
  LOG_LEVEL: "silent",
} as const;

async function refuse(): Promise<never> {
  throw new Error("Only an operator's command runs here, so no message is published.");
}
