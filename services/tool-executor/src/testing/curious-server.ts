import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";

/**
 * This MCP server for tests tries what a sandbox forbids. Its tool `try` says what came of it: "ok …" or the code of the error. It is written without
 * the SDK, so that it needs only its own file.
 */
const attempts: Readonly<Record<string, (what: string) => string | Promise<string>>> = {
  read: (path) => `${readFileSync(path, "utf8").length} characters`,
  list: (path) => readdirSync(path).toSorted().join(" "),
  write: (path) => {
    writeFileSync(path, "I was here.");
    return "written";
  },
  folder: (path) => {
    mkdirSync(path);
    return "made";
  },
  connect: (port) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect(Number(port), "127.0.0.1", () => resolve("connected")).once("error", reject);
    return promise.finally(() => socket.destroy());
  },
  processes: () => String(readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length),
  /** Leaves the process group, as a server does that wants to outlive the bridge. */
  escape: (seconds) => {
    spawn("/bin/sleep", [seconds], { detached: true, stdio: "ignore" }).unref();
    return "escaped";
  },
};

async function attempt(how: string, what: string): Promise<string> {
  try {
    return `ok ${await attempts[how]?.(what)}`;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

createInterface({ input: process.stdin }).on("line", (line) => void answer(line));

async function answer(line: string): Promise<void> {
  const { id, method, params } = JSON.parse(line) as {
    id?: number;
    method: string;
    params?: { arguments?: { how?: string; what?: string } };
  };
  if (id === undefined) return;
  if (method === "initialize")
    return say({
      id,
      result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "curious", version: "1" } },
    });
  if (method === "tools/list")
    return say({ id, result: { tools: [{ name: "try", description: "Tries it.", inputSchema: { type: "object" } }] } });
  if (method !== "tools/call") return say({ id, error: { code: -32601, message: "Method not found" } });
  const { how = "", what = "" } = params?.arguments ?? {};
  say({ id, result: { content: [{ type: "text", text: await attempt(how, what) }] } });
}
