import path from "node:path";
import { agentWith, type WrapModel } from "@toolbus/agent";
import { approvals } from "@toolbus/approvals";
import { gateway } from "@toolbus/gateway";
import { type Running, type RunOptions, runServices } from "@toolbus/runtime";
import { toolExecutorWith } from "@toolbus/tool-executor";
import { GENEROUS, OWN_TOOLSETS, PIN_EVERYTHING } from "./embedded-settings.ts";
import { type LocalKeys, localKeys } from "./local-keys.ts";

export interface AllInOneOptions {
  /** The directory for everything that must survive a restart. */
  readonly directory: string;
  /** The settings, which override the embedded defaults. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Toolsets to serve in this process, in addition to those of the setting `TOOLSETS`. */
  readonly toolsets?: Parameters<typeof toolExecutorWith>[0];
  readonly wrap?: RunOptions["wrap"];
  /** Wraps each model of the agent. The default changes nothing. */
  readonly wrapModel?: WrapModel;
  readonly signal?: AbortSignal;
}

export interface AllInOne {
  readonly gatewayUrl: string;
  readonly approvalsUrl: string;
  readonly keys: LocalKeys;
  stop(): Promise<boolean>;
}

/** Starts every service in this process. They are the same services as in separate processes, with SQLite for the state and the bus in memory. */
export async function startAllInOne({
  directory,
  env,
  toolsets = [],
  wrap,
  wrapModel = (model) => model,
  signal,
}: AllInOneOptions): Promise<AllInOne> {
  const keys = await localKeys(path.join(directory, "keys"));
  const running = await runServices([toolExecutorWith(toolsets), approvals, agentWith(wrapModel), gateway], {
    env: { ...embeddedDefaults(directory, keys), ...toolsetsOf(env), ...setSettings(env) },
    ...(wrap ? { wrap } : {}),
    ...(signal ? { signal } : {}),
  });
  return { gatewayUrl: urlOf(running, "gateway"), approvalsUrl: urlOf(running, "approvals"), keys, stop: () => running.stop() };
}

/** The default data directory. */
export const DEFAULT_DIRECTORY = ".toolbus";

/** Returns the settings of the embedded form: the bus in memory, and everything else in the directory. */
export function embeddedDefaults(directory: string, keys: LocalKeys): Record<string, string> {
  const at = (...parts: string[]): string => path.join(directory, ...parts);
  return {
    BUS_URL: "memory:",
    STATE_URL: `sqlite:${at("state")}`,
    GATEWAY_API_KEYS_FILE: keys.gatewayKeysFile,
    APPROVALS_API_KEYS_FILE: keys.approvalsKeysFile,
    GATEWAY_KEY_FILE: keys.services.gateway,
    AGENT_KEY_FILE: keys.services.agent,
    APPROVALS_KEY_FILE: keys.services.approvals,
    APPROVALS_SEAL_KEYS_FILE: keys.services.seals,
    APPROVALS_JWKS_FILE: at("keys", "jwks.json"),
    RECEIPT_KEY_FILE: keys.services.receipts,
    ...PIN_EVERYTHING,
    ...GENEROUS,
  };
}

/** Returns the toolsets that ship, and the toolset of MCP servers if a file names some. */
function toolsetsOf({ MCP_CONFIG_FILE }: AllInOneOptions["env"]): { readonly TOOLSETS: string } {
  return { TOOLSETS: MCP_CONFIG_FILE ? `${OWN_TOOLSETS.TOOLSETS},mcp` : OWN_TOOLSETS.TOOLSETS };
}

/** Returns the settings that are set and not empty. An empty variable means the default. */
export function setSettings(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]])));
}

/** Returns the address at which a service listens. */
export function urlOf(running: Running, name: string): string {
  const service = running.services.get(name);
  if (!service || !("url" in service) || typeof service.url !== "string") throw new Error(`The service ${name} has no address.`);
  return service.url;
}
