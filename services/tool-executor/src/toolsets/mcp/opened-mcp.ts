import type { McpBridge } from "./mcp-bridge.ts";

/** A bridge, with what follows the servers that calls registered. */
export interface OpenedMcp {
  readonly bridge: McpBridge;
  /** Makes the bridge's servers those of the file and those that are registered now. */
  refresh(): Promise<void>;
  /** Stops following the registered servers. The caller stops the bridge afterwards. */
  stop(): Promise<void>;
}
