import { existsSync } from "node:fs";
import path from "node:path";
import type { Apart } from "@toolbus/all-in-one";
import { type ServiceAddresses, spawnService, workerKeyFile } from "@toolbus/runtime";
import type { Scratch } from "../e2e/testing/scratch.ts";
import { IMPATIENT } from "../e2e/apart/impatient.ts";

const HOSTILE = path.resolve(import.meta.dirname, "../../services/tool-executor/src/testing/hostile-server.ts");

/** The name of the server in the bridge's file. Nobody has enabled its tools. */
export const CONFIGURED = "wiki";

/** The bridge to MCP servers of an attacked system. */
export interface Bridge {
  /** Returns the settings with which the bridge starts next. */
  settings(): Readonly<Record<string, string>>;
  /** Whether calls may register servers after the next start of the bridge. */
  allowRegistering(allowed: boolean): void;
  /** A file that exists once a program of an attacker has run. */
  readonly marker: string;
  readonly isMarked: () => boolean;
}

export function bridgeIn(files: Scratch): Bridge {
  let mode = "unsandboxed";
  const marker = files.at("marker");
  const mcpServers = { [CONFIGURED]: { command: process.execPath, args: [HOSTILE] } };
  const file = files.file("mcp.json", JSON.stringify({ mcpServers }));
  return {
    settings: () => ({ MCP_CONFIG_FILE: file, MCP_REGISTER_SERVERS: mode, PATH: "/usr/bin:/bin" }),
    allowRegistering: (allowed) => void (mode = allowed ? "unsandboxed" : "off"),
    marker,
    isMarked: () => existsSync(marker),
  };
}

/** Starts the toolset of guides in its own process, with its own login and key. Returns how to stop it. */
export async function startGuides(
  { keys: { services } }: Pick<Apart, "keys">,
  { addresses, onOutput }: { readonly addresses: ServiceAddresses; readonly onOutput: (name: string, text: string) => void },
): Promise<() => Promise<unknown>> {
  const started = await spawnService({
    name: "guides",
    module: import.meta.resolve("@toolbus/tool-executor/main"),
    env: {
      ...IMPATIENT,
      LOG_LEVEL: "info",
      BUS_URL: addresses.busUrl,
      STATE_URL: addresses.stateUrl,
      SERVICE_KEYS_FILE: services.trusted,
      TOOLSETS: "guides",
      RECEIPT_KEY_FILE: workerKeyFile(services, "guides"),
    },
    onOutput: (text) => onOutput("guides", text),
  });
  return () => started.stop();
}
