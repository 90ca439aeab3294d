import { agent, modelEnvironment } from "@toolbus/agent";
import { approvals } from "@toolbus/approvals";
import { gateway } from "@toolbus/gateway";
import { processSettings } from "@toolbus/runtime";
import { toolExecutor } from "@toolbus/tool-executor";
import type { ApartName } from "./start-apart.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const SETTINGS: Readonly<Record<ApartName, Readonly<Record<string, unknown>>>> = {
  mcp: toolExecutor.settings,
  "tool-executor": toolExecutor.settings,
  operations: toolExecutor.settings,
  approvals: approvals.settings,
  agent: agent.settings,
  gateway: gateway.settings,
};

// The settings of telemetry, and those that Node itself reads for certificates, preloaded modules, time zone and colours.
const SURROUNDINGS = /^(OTEL_\w+|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|TZ|NO_COLOR|FORCE_COLOR)$/;

/** The settings that one of several processes on a machine cannot take from a shared environment, each with the reason. */
export const NOT_SHARED = {
  TOOLSETS: "each toolset has its own process",
  RECEIPT_KEY_FILE: "each toolset has its own key, in the data directory",
  METRICS_PORT: "one port cannot serve every process; start each service by itself to give it its own",
  HEALTH_PORT: "one port cannot serve every process; gateway and approvals answer /readyz at their addresses",
} as const;

/**
 * Returns the part of an environment that one service reads: its own settings and those that every process has. Only the agent gets the settings that
 * choose the model, and the model's keys.
 */
export function settingsOfService(service: ApartName, environment: Environment): Readonly<Record<string, string>> {
  const mine = { ...processSettings, ...SETTINGS[service] };
  const notMine: ReadonlySet<string> = new Set(["BUS_URL", "STATE_URL", ...Object.keys(NOT_SHARED)]);
  const picked = Object.entries(environment).flatMap(([name, value]) =>
    value && !notMine.has(name) && (Object.hasOwn(mine, name) || SURROUNDINGS.test(name)) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(picked), ...(service === "agent" ? modelEnvironment(environment) : {}) };
}

/** Returns every setting that any of the services reads. */
export function everySetting(): readonly string[] {
  return [...new Set([processSettings, ...Object.values(SETTINGS)].flatMap((settings) => Object.keys(settings)))];
}
