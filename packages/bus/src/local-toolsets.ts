import type { Message, ToolInvoke, ToolResult } from "@toolbus/contracts";

/**
 * A toolset that this process serves. A call of it needs no message: it runs through the worker's whole pipeline, within the worker's limit of
 * concurrency, but the bus has no copy of it. If the process dies, the call's timer makes the call again.
 */
export interface LocalToolset {
  /**
   * Runs a read or a computation. `invoke` has the attributes of the message that a remote worker would get. Returns null if the call gets no answer
   * here, for example because the worker stops.
   */
  read(invoke: Message, body: ToolInvoke, signal: AbortSignal): Promise<ToolResult | null>;
  /** Runs a call of any kind. Returns the message that a remote worker would send, or null if the call gets no answer here. */
  answer(invoke: Message, signal: AbortSignal): Promise<Message | null>;
  /** Returns whether this call is running or waits to run here. */
  runs(callId: string): boolean;
}

/** The toolsets that are served in this process, by the topic of their invokes. A worker adds itself when it takes calls and removes itself when it stops. */
export type LocalToolsets = Map<string, LocalToolset>;
