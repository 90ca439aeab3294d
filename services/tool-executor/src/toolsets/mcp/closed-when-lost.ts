import { isJSONRPCRequest, isJSONRPCResponse, SseError, type Transport } from "@modelcontextprotocol/client";

/**
 * Closes a remote transport when an answer can no longer arrive, so that no call waits for it until its time-out. That is the case if the stream of
 * a call broke off and the server does not resume it. With the older HTTP, all answers come on one stream, so it is the case if this stream breaks
 * off. Returns the same transport.
 */
export function closedWhenLost(transport: Transport): Transport {
  const waiting = new Set<string | number>();
  const send = transport.send.bind(transport);
  const start = transport.start.bind(transport);
  let started = false;
  const close = (): void => void transport.close().catch(() => undefined);
  transport.start = async () => {
    await start();
    started = true;
  };
  transport.send = async (message, options) => {
    // Only calls are followed. The SDK reads the answers of its own handshake in another way, and each step of the handshake has a deadline.
    if (Array.isArray(message) || !isJSONRPCRequest(message) || message.method !== "tools/call") return send(message, options);
    const { id } = message;
    waiting.add(id);
    return send(message, {
      ...options,
      onRequestStreamEnd() {
        options?.onRequestStreamEnd?.();
        if (waiting.delete(id)) close();
      },
    });
  };
  // The SDK calls these before its own handlers, which it sets when it connects.
  transport.onmessage = (message) => {
    if (isJSONRPCResponse(message) && message.id !== undefined) waiting.delete(message.id);
  };
  transport.onerror = (error) => {
    if (started && error instanceof SseError) close();
  };
  return transport;
}
