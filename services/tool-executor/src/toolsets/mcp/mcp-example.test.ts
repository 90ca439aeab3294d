import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { probeServers } from "./probe-servers.ts";

const ROOT = path.resolve(import.meta.dirname, "../../../../..");
const EXAMPLE = "services/tool-executor/mcp-example.json";

describe("the MCP server in the image", () => {
  it("starts from the folder of the image without an installation, and lists its tools", async () => {
    const { problems, servers } = await probeServers(readFileSync(path.join(ROOT, EXAMPLE), "utf8"), {
      file: EXAMPLE,
      // In the image, the command is found through the search path of Node's own image.
      env: { PATH: path.dirname(process.execPath) },
      cwd: ROOT,
      stepMs: 30_000,
      signal: AbortSignal.timeout(60_000),
    });
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([{ name: "memory", ok: true }]);
    expect(servers[0]?.ok === true && servers[0].tools.map(({ name }) => name)).toContain("memory__read_graph");
  });

  it("is a dependency that the image installs, and the file that docker-compose.yml names", () => {
    const manifest = JSON.parse(readFileSync(path.join(ROOT, "services/tool-executor/package.json"), "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    expect(Object.keys(manifest.dependencies)).toContain("@modelcontextprotocol/server-memory");
    const compose = readFileSync(path.join(ROOT, "docker-compose.yml"), "utf8");
    const [, named = ""] = /MCP_CONFIG_FILE: \$\{MCP_CONFIG_FILE:-([^}]+)\}/.exec(compose) ?? [];
    expect(existsSync(path.join(ROOT, named))).toBe(true);
  });
});
