import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;

/** What the MCP bridge knows about one of its servers. */
export const IndexedServer = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    /** The number of the server's registered tools. */
    tools: Type.Integer({ minimum: 0 }),
    /** Whether calls of the tools can be made now. */
    available: Type.Boolean(),
    /** The time at which the server last listed its tools, in milliseconds since 1970, or null if it never did. */
    indexedAt: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  },
  closed,
);
export type IndexedServer = Static<typeof IndexedServer>;

/** The largest number of servers in one message. */
export const MAX_INDEXED_SERVERS = 500;

/**
 * The body of `mcp.servers.indexed`. It is a hint that the tools of MCP servers may have changed in the registry. The registry itself says which
 * tools there are.
 */
export const McpServersIndexed = Type.Object({ servers: Type.Array(IndexedServer, { maxItems: MAX_INDEXED_SERVERS }) }, closed);
export type McpServersIndexed = Static<typeof McpServersIndexed>;

/** The body of `mcp.metadata.refresh`. It asks each bridge to announce its MCP servers again. */
export const McpMetadataRefresh = Type.Object({}, closed);
export type McpMetadataRefresh = Static<typeof McpMetadataRefresh>;
