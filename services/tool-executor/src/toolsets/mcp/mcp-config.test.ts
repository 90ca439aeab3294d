import { describe, expect, it } from "vitest";
import { parseMcpConfig } from "./mcp-config.ts";

const read = (servers: object, env: Record<string, string> = {}) =>
  parseMcpConfig(JSON.stringify({ mcpServers: servers }), { file: "mcp.json", env });
const good = { command: "node" };

describe("a file of MCP servers", () => {
  it("is accepted in its usual form", () => {
    const { servers, problems } = read(
      {
        files: { command: "npx", args: ["-y", "server", "${HOME}/docs"], env: { TOKEN: "${TOKEN}", MODE: "${MODE:-fast}" } },
        remote: { url: "https://x.test/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
        old: { type: "sse", url: "http://x.test/sse" },
        off: { command: "node", disabled: true },
      },
      { HOME: "/home/a", TOKEN: "t-1" },
    );
    expect(problems).toEqual([]);
    expect(servers.map(({ name, address }) => [name, address])).toEqual([
      ["files", { kind: "stdio", command: "npx", args: ["-y", "server", "/home/a/docs"], env: { TOKEN: "t-1", MODE: "fast" } }],
      ["remote", { kind: "http", url: "https://x.test/mcp", headers: { Authorization: "Bearer t-1" } }],
      ["old", { kind: "sse", url: "http://x.test/sse", headers: {} }],
    ]);
  });

  it("takes an empty variable for one that is not set, and never expands a value again", () => {
    const args = ["${MODE:-fast}", "${VALUE}"];
    const { servers } = read({ s: { ...good, args } }, { MODE: "", VALUE: "${HOME} ${MODE:-x}", HOME: "/home/a" });
    expect(servers[0]?.address).toMatchObject({ args: ["fast", "${HOME} ${MODE:-x}"] });
    expect(read({ s: { ...good, args } }, { VALUE: "" }).problems).toEqual([
      expect.stringMatching(/^The MCP server "s" .* VALUE in "args"/),
    ]);
  });

  it("takes client credentials from the environment", () => {
    const oauth = { clientId: "${ID}", clientSecret: "${SECRET}", scope: "tools", issuer: "https://auth.test" };
    const { servers, problems } = read({ s: { url: "https://x.test/mcp", oauth } }, { ID: "toolbus", SECRET: "s-1" });
    expect(problems).toEqual([]);
    expect(servers[0]?.address).toMatchObject({
      oauth: { clientId: "toolbus", clientSecret: "s-1", scope: "tools", issuer: "https://auth.test" },
    });
  });

  it("says how its servers run: in which sandbox, and on which replicas", () => {
    const { servers } = read(
      {
        closed: { ...good, sandbox: true },
        open: { ...good, sandbox: { network: true, bind: ["${DATA}/in/", "rw:/out", { path: "/also", write: true }] }, perReplica: true },
        none: { ...good, sandbox: false, perReplica: false },
      },
      { DATA: "/data" },
    );
    expect(servers.map(({ address }) => address)).toEqual([
      { kind: "stdio", command: "node", args: [], env: {}, sandbox: { bind: [], network: false } },
      {
        kind: "stdio",
        command: "node",
        args: [],
        env: {},
        sandbox: {
          network: true,
          bind: [
            { path: "/data/in", write: false },
            { path: "/out", write: true },
            { path: "/also", write: true },
          ],
        },
        perReplica: true,
      },
      { kind: "stdio", command: "node", args: [], env: {} },
    ]);
  });

  it("sets what no server can: kind, tier, idempotency", () => {
    const { servers } = read({
      s: { ...good, toolbus: { tier: "critical", tools: { "get-sum": { kind: "read", fingerprint: "0".repeat(32) } } } },
    });
    expect(servers[0]).toMatchObject({ policy: { tier: "critical" }, tools: { "get-sum": { kind: "read", fingerprint: "0".repeat(32) } } });
  });

  it.each([
    [{}, 'The MCP server "bad" in mcp.json has neither "command" nor "url": name the program that starts it, or where it listens.'],
    [{ command: " " }, 'The MCP server "bad" in mcp.json has an empty "command": name the program that starts it.'],
    [{ command: "a", url: "https://x" }, 'The MCP server "bad" in mcp.json has a "command" and a "url": keep one of them.'],
    [{ url: "nowhere" }, 'The MCP server "bad" in mcp.json has a "url" that is not an address: write it as https://host/mcp.'],
    [
      { url: "https://x", type: "carrier-pigeon" },
      'The MCP server "bad" in mcp.json has an unknown "type": write "http" or "sse", or leave it out.',
    ],
    [
      { command: "a", env: { KEY: "${NOT_SET}" } },
      'The MCP server "bad" in mcp.json needs the variable NOT_SET in "env.KEY", which is not set: set NOT_SET, or write ${NOT_SET:-…} with a default.',
    ],
    [
      { command: "a", toolbus: { teir: "low" } },
      'The MCP server "bad" in mcp.json has an unknown word "teir" in "toolbus": use kind, tier, idempotency, timeoutMs, trust, fingerprint.',
    ],
    [
      { command: "a", toolbus: { tier: "none" } },
      'The MCP server "bad" in mcp.json needs "toolbus.tier" as one of low, medium, high, critical.',
    ],
    [
      { url: "https://x", oauth: { clientId: "a" } },
      'The MCP server "bad" in mcp.json needs "oauth.clientSecret": write the secret that the authorization server gave to Toolbus.',
    ],
    [
      { url: "https://x", oauth: { clientId: "a", clientSecret: "${NOT_SET}" } },
      'The MCP server "bad" in mcp.json needs the variable NOT_SET in "oauth.clientSecret", which is not set: set NOT_SET, or write ${NOT_SET:-…} with a default.',
    ],
    [
      { url: "https://x", oauth: { clientId: "a", clientSecret: "b", tokenUrl: "http://x/token" } },
      'The MCP server "bad" in mcp.json needs "oauth.tokenUrl" as an address that begins with https://.',
    ],
    [
      { url: "https://x", oauth: { clientId: "a", clientSecret: "b", isuer: "https://x" } },
      'The MCP server "bad" in mcp.json has an unknown word in "oauth": use clientId, clientSecret, scope, tokenUrl, issuer.',
    ],
    [
      { url: "https://x", headers: { authorization: "Bearer a" }, oauth: { clientId: "a", clientSecret: "b" } },
      'The MCP server "bad" in mcp.json has "oauth" and a header "Authorization": keep one of them.',
    ],
    [
      { command: "a", oauth: { clientId: "a", clientSecret: "b" } },
      'The MCP server "bad" in mcp.json has a "command" and "oauth": only a server with a "url" gets tokens.',
    ],
    [
      { command: "a", sandbox: "yes" },
      'The MCP server "bad" in mcp.json needs "sandbox" as true, false, or an object with "bind" and "network".',
    ],
    [
      { command: "a", sandbox: { netwrok: true } },
      'The MCP server "bad" in mcp.json has an unknown word "netwrok" in "sandbox": use bind, network.',
    ],
    [
      { command: "a", sandbox: { bind: ["data"] } },
      'The MCP server "bad" in mcp.json needs the path "data" in "sandbox.bind" to begin with "/".',
    ],
    [
      { command: "a", sandbox: { bind: ["rw:/home/.."] } },
      'The MCP server "bad" in mcp.json may not bind "/" into its sandbox: name the folders that it needs.',
    ],
    [
      { url: "https://x", sandbox: true },
      'The MCP server "bad" in mcp.json has a "url" and a "sandbox": the bridge does not start this server, so take "sandbox" out.',
    ],
    [{ command: "a", perReplica: 1 }, 'The MCP server "bad" in mcp.json needs "perReplica" as true or false.'],
    ["text", 'The MCP server "bad" in mcp.json is not an object: write {"command": "…"} or {"url": "…"}.'],
  ])("names server and remedy for a bad entry, and serves the others: %j", (bad, sentence) => {
    const { servers, problems } = read({ bad, good });
    expect(problems).toEqual([sentence]);
    expect(servers.map(({ name }) => name)).toEqual(["good"]);
  });

  it("refuses a duplicate name, and two that differ in punctuation only", () => {
    const doubled = parseMcpConfig('{"mcpServers":{"a":{"command":"x"},"b":{"command":"y","env":{"a":"1"}},"a":{"command":"z"}}}', {
      file: "mcp.json",
      env: {},
    });
    expect(doubled.problems).toEqual(['The MCP server "a" is in mcp.json twice: give one of them another name.']);
    expect(doubled.servers.map(({ name }) => name)).toEqual(["b"]);
    expect(read({ "my-files": good, "My Files": good }).problems).toEqual([
      'The MCP server "My Files" in mcp.json has the same name in snake case as "my-files": give one of them another name.',
    ]);
  });

  it("says where it is not JSON, or that it has no servers, and quotes nothing from it", () => {
    const broken = parseMcpConfig('{"mcpServers": {"a": {"env": {"TOKEN": "secret"', { file: "mcp.json", env: {} });
    expect(broken.problems.join()).toMatch(/^mcp\.json is not JSON/);
    expect(broken.problems.join()).not.toContain("secret");
    const quoting = parseMcpConfig('{"mcpServers": secret}', { file: "mcp.json", env: {} });
    expect(quoting.problems).toEqual([expect.stringMatching(/^mcp\.json is not JSON[^"]*: correct it there\.$/)]);
    expect(quoting.problems.join()).not.toContain("secret");
    expect(parseMcpConfig("[]", { file: "mcp.json", env: {} }).problems.join()).toMatch(/^mcp\.json has no "mcpServers"/);
  });
});
