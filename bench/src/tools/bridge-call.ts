import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { memoryBus } from "@toolbus/bus";
import { generateSigningKey, publicKeySet, signerOf, staticKeySet } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { startWorker } from "@toolbus/tool-kit";
import { openMcp, probeServers } from "@toolbus/tool-executor/mcp";
import type { Contest } from "../contest.ts";
import { callClient } from "../embedded/call-client.ts";

const SERVER = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const ENTRY = { command: process.execPath, args: [SERVER, "stdio"] };
const ARGUMENTS = { message: "m".repeat(400) };
const STEP_MS = 20_000;

/**
 * Calls the tool `echo` of a real MCP server over stdio. The subject sends an invoke over the bus in memory, and the bridge checks it and calls the
 * server. The bare side calls another process of the same server with the SDK's client. Both have `inFlight` calls at the same time.
 */
export async function bridgeCall(inFlight: number): Promise<Contest> {
  const bridge = await openBridge();
  const sdk = new Client({ name: "bench", version: "1" });
  await sdk.connect(new StdioClientTransport({ ...ENTRY, stderr: "ignore" }));
  const all = async (call: () => Promise<unknown>): Promise<void> => void (await Promise.all(Array.from({ length: inFlight }, call)));
  return {
    subject: () => all(() => bridge.call()),
    bare: () => all(() => sdk.callTool({ name: "echo", arguments: ARGUMENTS })),
    async stop() {
      await sdk.close();
      await bridge.stop();
    },
  };
}

async function openBridge() {
  const clock = (): number => Date.now();
  const monotonic = (): number => performance.now();
  const random = (bytes: number) => randomBytes(bytes);
  const folder = await mkdtemp(path.join(tmpdir(), "toolbus-bench-"));
  const file = path.join(folder, "mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers: { everything: { ...ENTRY, toolbus: { tools: { echo: await asRead() } } } } }));
  const bus = memoryBus({ clock });
  const state = memoryStore({ clock });
  const bridge = await openMcp(file, { state, clock, log: silentLog, monotonic, random, env: {} });
  const worker = await startWorker({
    toolset: bridge.toolset,
    bus,
    state,
    keys: staticKeySet(publicKeySet([await generateSigningKey()])),
    signer: await signerOf(await generateSigningKey()),
    log: silentLog,
    clock,
    monotonic,
    random,
    concurrency: 64,
  });
  const client = await callClient({ bus, shards: state.shards, clock, toolset: bridge.toolset.name });
  const echo = bridge.toolset.list().find(({ definition }) => definition.name === "everything__echo");
  if (echo?.definition.kind !== "read") throw new Error("The bridge has no read everything__echo.");
  return {
    call: () => client.call(echo, ARGUMENTS),
    async stop() {
      await worker.stop();
      await bridge.stop();
      await bus.close();
      await state.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns what an operator writes to declare the tool a read. */
async function asRead() {
  const text = JSON.stringify({ mcpServers: { everything: ENTRY } });
  const options = { file: "mcp.json", env: process.env, cwd: process.cwd(), stepMs: STEP_MS, signal: AbortSignal.timeout(STEP_MS) };
  const [server] = (await probeServers(text, options)).servers;
  const echo = server?.ok ? server.tools.find(({ name }) => name === "everything__echo") : undefined;
  if (!echo) throw new Error("The server has no tool echo.");
  return { kind: "read", fingerprint: echo.fingerprint };
}
