import type { JsonObject } from "@toolbus/contracts";
import type { Ask } from "@toolbus/tool-kit";

/** A call of a tool over the connection to its server. */
export interface SessionCall {
  /** The server's own name for the tool. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly idempotencyKey?: string;
  readonly timeoutMs: number;
  /** When it aborts, the server is notified that nobody waits for the call any more. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { readonly message?: string | undefined; readonly fraction?: number }) => void;
  /** Asks the requester of the run of this call. */
  readonly ask: Ask;
}
