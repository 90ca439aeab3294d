import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { Arena } from "./arena.ts";
import type { People } from "./people.ts";
import { textIn } from "./text-in.ts";

/** The answer of the gateway's MCP server. */
export interface McpAnswer {
  readonly status: number;
  /** The code of an error of the protocol or of Toolbus, the status of a call that waits, or the status of a result. */
  readonly code: string;
  readonly text: string;
  /** The id of the run of the call. It is empty if no run began. */
  readonly handle: string;
}

export interface McpRequest {
  /** Null means a request without a key. */
  readonly who: keyof People | null;
  /** The body, as JSON or as text. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const DEADLINE_MS = 30_000;

/** Sends one request to the MCP server of the gateway. Any header may be forged, also `Host`. */
export async function overMcp({ gateway, system }: Arena, { who, body, headers = {} }: McpRequest): Promise<McpAnswer> {
  const sent = httpRequest(gateway("/mcp"), {
    method: "POST",
    // A request may announce a longer body than it sends, so no other request may use its connection.
    agent: false,
    headers: {
      ...(who === null ? {} : { authorization: `Bearer ${system.people[who]}` }),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      ...headers,
    },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  sent.end(typeof body === "string" ? body : JSON.stringify(body));
  const [response] = await once(sent, "response");
  const said = await text(response);
  return { status: Number(response.statusCode), ...readAnswer(said) };
}

/** Calls a tool over MCP, as this person. */
export function callTool(
  arena: Arena,
  who: keyof People,
  { name, args = {}, more = {}, headers = {} }: { name: string; args?: JsonObject; more?: JsonObject; headers?: Record<string, string> },
): Promise<McpAnswer> {
  return overMcp(arena, { who, body: toolCall(name, args, more), headers });
}

/** Returns the message that calls a tool. `more` are further fields of its parameters. */
export function toolCall(name: string, args: JsonObject, more: JsonObject = {}): JsonObject {
  return { jsonrpc: "2.0", id: randomUUID(), method: "tools/call", params: { name, arguments: args, ...more } };
}

function readAnswer(said: string): Omit<McpAnswer, "status"> {
  const [, data = said] = /^data: (\{"(?:jsonrpc|id|result).*)$/m.exec(said) ?? [];
  const message = objectIn(data);
  const error = objectOf(message["error"]);
  const result = objectOf(message["result"]);
  const [meta, structured] = [objectOf(result["_meta"]), objectOf(result["structuredContent"])];
  const inResult = structured["code"] ?? objectOf(structured["error"])["code"] ?? structured["status"] ?? meta["toolbus/status"];
  const code = error["code"] ?? inResult ?? message["code"] ?? "";
  return {
    code: typeof code === "number" ? String(code) : textIn(code),
    text: data.slice(0, 2000),
    handle: textIn(meta["toolbus/handle"] ?? ""),
  };
}

function objectIn(said: string): JsonObject {
  try {
    return objectOf(JSON.parse(said) as Json);
  } catch {
    return {};
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}
