import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** This MCP server for tests writes each call to a file, so that a test knows how often a call arrived. It answers `slowly` only the second time. */
const [file = ""] = process.argv.slice(2);
const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const inputSchema = { type: "object", properties: { note: { type: "string" } } };
const tools = [
  { name: "write-slowly", description: "Writes a note, and never answers.", inputSchema },
  { name: "read-slowly", description: "Reads a note.", inputSchema },
];

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: { name?: string } };
  if (id === undefined) return;
  if (method === "initialize")
    return say({
      id,
      result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "recording", version: "1" } },
    });
  if (method === "tools/list") return say({ id, result: { tools } });
  if (method !== "tools/call") return say({ id, error: { code: -32601, message: "Method not found" } });
  appendFileSync(file, `${params?.name}\n`);
  const times = readFileSync(file, "utf8").split(`${params?.name}\n`).length - 1;
  if (params?.name === "read-slowly" && times > 1) say({ id, result: { content: [{ type: "text", text: "the note" }] } });
});
