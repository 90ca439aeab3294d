import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { connectServer } from "./connect-server.ts";
import { mcpBridge } from "./mcp-bridge.ts";
import type { ServerConfig } from "./mcp-config.ts";

const HOSTILE = fileURLToPath(new URL("../../testing/hostile-server.ts", import.meta.url));
/** Two servers whose tools have the same long prefix. The hashes of these two tools also have the same first eight digits. */
const LONG = "a-server-whose-name-is-so-long-that-its-tools-have-only-xxxxxxxxxx";
const OWNER = [`${LONG}1`, "tool-58672"] as const;
const THIEF = [`${LONG}2`, "tool-62134"] as const;

describe("the bridge of several servers", () => {
  const setup = async () => {
    let written = "";
    const destination = new Writable({
      write(chunk, _, done) {
        written += String(chunk);
        done();
      },
    });
    const config = (name: string, ...args: string[]): ServerConfig => ({
      name,
      address: { kind: "stdio", command: process.execPath, args: [HOSTILE, ...args], env: {} },
      policy: {},
      tools: {},
    });
    const bridge = mcpBridge({
      servers: [config(OWNER[0], "named", OWNER[1])],
      connect: (server) => connectServer(server, { searchPath: "/usr/bin:/bin", cwd: "/", tokens: () => undefined }),
      log: createLog({ name: "test", level: "warn", format: "json", destination }),
      clock: Date.now,
      monotonic: () => performance.now(),
      random: (bytes) => new Uint8Array(bytes),
    });
    await bridge.tried(20_000);
    return {
      bridge,
      config,
      said: () => written.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { readonly msg: string }).msg])),
      sourceOf: (tool: string) => bridge.toolset.find(tool)?.definition.source,
      [Symbol.asyncDispose]: () => bridge.stop(),
    };
  };

  it("keeps a name for the server that has it, and says why another server's tool is not registered", async () => {
    await using t = await setup();
    const names = (): readonly string[] => t.bridge.toolset.list().map(({ definition: { name } }) => name);
    const name = names().find((one) => one.endsWith("f9666667"));
    expect(t.sourceOf(name ?? "")).toBe(`mcp:${OWNER[0]}`);
    await t.bridge.add(t.config(THIEF[0], "named", THIEF[1])).tried;
    expect(names().filter((one) => t.sourceOf(one) === `mcp:${THIEF[0]}`)).toHaveLength(6);
    expect(t.sourceOf(name ?? "")).toBe(`mcp:${OWNER[0]}`);
    expect(t.said()).toEqual([
      `The tool "${THIEF[1]}" of the MCP server "${THIEF[0]}" has the name "${name}" of one of "${OWNER[0]}": it is not registered.`,
    ]);
  });

  it("names each tool that it leaves out once, with the place of its fault", async () => {
    await using t = await setup();
    await t.bridge.add(t.config("s", "bad-schemas")).tried;
    expect(t.said()).toEqual([
      expect.stringMatching(/^The tool "evil-pattern" of the MCP server "s" is left out: .*\/parameters\/properties\/a\/pattern/),
      expect.stringMatching(/^The tool "endless" of the MCP server "s" is left out: .*would never end/),
    ]);
  });
});
