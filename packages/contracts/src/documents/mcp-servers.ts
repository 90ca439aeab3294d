import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/**
 * The MCP servers that `mcp_register_server` added. A worker of the toolset `mcp` signs the document and writes it to the family `registry.mcp`. All
 * its replicas start these servers.
 */
export const McpServers = Type.Object(
  {
    servers: Type.Array(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: 64 }),
          command: Type.String({ minLength: 1, maxLength: 500 }),
          args: Type.Array(Type.String({ maxLength: 500 }), { maxItems: 32 }),
          registeredAt: Type.Integer(),
          /** The call that registered the server. */
          callId: Type.String({ maxLength: 200 }),
        },
        closed,
      ),
      { maxItems: 32 },
    ),
    /** The latest calls that changed the document. A repeated attempt of such a call changes nothing. */
    calls: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 }),
    revision: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The signature by the key of the toolset `mcp` over all other fields. */
    signature: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  closed,
);
export type McpServers = Static<typeof McpServers>;
export const parseMcpServers = parser(McpServers);

/**
 * The lease of the replica of the toolset `mcp` that runs the MCP servers. The times are those of the store. A worker of the toolset writes it to the
 * family `registry.mcp`.
 */
export const McpLease = Type.Object({ holder: Type.String(), since: Type.Integer(), until: Type.Integer() }, closed);
export type McpLease = Static<typeof McpLease>;
export const parseMcpLease = parser(McpLease);
