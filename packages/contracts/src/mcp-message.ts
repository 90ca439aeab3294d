import { Type } from "./schema.ts";
import { declared } from "./parse.ts";

/**
 * A message of the Model Context Protocol, which is JSON-RPC 2.0. The gateway passes it to the protocol's SDK, which checks the rest. Later versions
 * of the protocol may add fields, so unknown fields are allowed.
 */
export const McpMessage = Type.Object({
  jsonrpc: Type.Optional(Type.Unsafe<unknown>({})),
  id: Type.Optional(Type.Unsafe<unknown>({ description: "Absent in a notification." })),
  method: Type.Optional(Type.Unsafe<unknown>({ description: "Such as `tools/list` or `tools/call`." })),
  params: Type.Optional(Type.Unsafe<unknown>({})),
});
export const mcpMessage = declared("McpMessage", McpMessage);

/** The answer to a message: its result or an error. */
export const McpAnswer = Type.Object({
  jsonrpc: Type.Literal("2.0"),
  id: Type.Optional(Type.Unsafe<unknown>({})),
  result: Type.Optional(Type.Unsafe<object>({ type: "object" })),
  error: Type.Optional(Type.Unsafe<object>({ type: "object" })),
});
export const mcpAnswer = declared("McpAnswer", McpAnswer);
