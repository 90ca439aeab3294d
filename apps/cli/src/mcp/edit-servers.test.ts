import { mkdtempDisposable, readdir, readFile, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { runCommandLine } from "../toolbus/program.ts";
import { withoutServer, withServer } from "./edit-servers-text.ts";

/** A file in a person's own format, with an unusual order, an unknown member and an entry on one line. */
const OWN = `{
\t"note": "mine",
\t"mcpServers": {
\t\t"zoo": { "command": "zoo", "args": ["-v", "1"] },
\t\t"Apple": {
\t\t\t"url": "https://apple.test/mcp"
\t\t}
\t},
\t"last": [1,  2]
}
`;

describe("a file of MCP servers that a command edits", () => {
  it("gets a new entry at the end, in the indentation of the file, and is otherwise the same", () => {
    const added = withServer(OWN, "wiki", { command: "wiki", args: ["a"] });
    expect(added).toBe(
      OWN.replace(
        '"https://apple.test/mcp"\n\t\t}\n',
        '"https://apple.test/mcp"\n\t\t},\n\t\t"wiki": {\n\t\t\t"command": "wiki",\n\t\t\t"args": [\n\t\t\t\t"a"\n\t\t\t]\n\t\t}\n',
      ),
    );
    expect(JSON.parse(withoutServer(added, "wiki"))).toEqual(JSON.parse(OWN));
  });

  it("loses one entry, wherever it is, and is otherwise the same", () => {
    expect(withoutServer(OWN, "zoo")).toContain('"last": [1,  2]');
    expect(Object.keys((JSON.parse(withoutServer(OWN, "zoo")) as { mcpServers: object }).mcpServers)).toEqual(["Apple"]);
    expect(withoutServer(OWN, "Apple")).toContain('"zoo": { "command": "zoo", "args": ["-v", "1"] }');
  });

  it("keeps names that are special to JavaScript as they are", () => {
    const added = withServer('{"mcpServers":{}}', "__proto__", { command: "x" });
    expect(Object.keys((JSON.parse(added) as { mcpServers: object }).mcpServers)).toEqual(["__proto__"]);
  });
});

/** Runs a command in a folder with this `mcp.json`, or with none. */
async function inFolder(text: string | null) {
  const folder = await mkdtempDisposable(path.join(os.tmpdir(), "mcp-edit-"));
  const file = path.join(folder.path, "mcp.json");
  if (text !== null) await writeFile(file, text, { mode: 0o640 });
  const { around, said } = surroundingsUnderTest();
  return {
    file,
    folder: folder.path,
    run: async (...words: readonly string[]) => {
      const code = await runCommandLine(["mcp", ...words], { ...around, cwd: folder.path });
      return { code, ...said() };
    },
    text: () => readFile(file, "utf8"),
    servers: async () => (JSON.parse(await readFile(file, "utf8")) as { mcpServers: Record<string, unknown> }).mcpServers,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe("toolbus mcp add", () => {
  it("adds a server with its command, and says what to do next", async () => {
    await using t = await inFolder(OWN);
    const { code, out } = await t.run("add", "wiki", "--env", "TOKEN=${TOKEN}", "--sandbox", "--", "npx", "-y", "wiki-server");
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, 3)).toEqual([
      'Added "wiki" to mcp.json.',
      expect.stringMatching(/^Try it: \S*toolbus mcp test mcp\.json$/),
      expect.stringContaining("restart Toolbus with MCP_CONFIG_FILE=mcp.json"),
    ]);
    expect((await t.servers())["wiki"]).toEqual({ command: "npx", args: ["-y", "wiki-server"], env: { TOKEN: "${TOKEN}" }, sandbox: true });
    expect((await stat(t.file)).mode & 0o777).toBe(0o640);
    expect(await readdir(t.folder)).toEqual(["mcp.json"]);
  });

  it("adds a server with its address to a new file, which only its owner reads", async () => {
    await using t = await inFolder(null);
    const words = ["--address", "https://wiki.test/mcp", "--header", "Authorization: Bearer ${TOKEN}", "--type", "sse", "--json"];
    expect(JSON.parse((await t.run("add", "wiki", ...words)).out)).toEqual({ file: "mcp.json", server: "wiki", added: true });
    expect(await t.text()).toBe(
      `${JSON.stringify({ mcpServers: { wiki: { type: "sse", url: "https://wiki.test/mcp", headers: { Authorization: "Bearer ${TOKEN}" } } } }, null, 2)}\n`,
    );
    expect((await stat(t.file)).mode & 0o777).toBe(0o600);
  });

  it("proposes to remove a server of the same name from the same file", async () => {
    await using t = await inFolder(OWN);
    await expect(t.run("add", "zoo", "--", "x")).rejects.toThrow(/toolbus mcp remove zoo"/);
    await expect(t.run("add", "zoo", "--file", "mcp.json", "--", "x")).rejects.toThrow(/toolbus mcp remove zoo --file mcp\.json"/);
  });

  it.each<[string, readonly string[], string]>([
    [
      "a name that the file has",
      ["zoo", "--", "x"],
      'mcp.json already has an MCP server "zoo": choose another name, or remove that one first',
    ],
    ["a name that is the same in snake case", ["apple", "--", "x"], 'has the same name in snake case as "Apple"'],
    ["neither a command nor an address", ["wiki"], "Say how the server is reached"],
    ["a command and an address", ["wiki", "--address", "https://x.test", "--", "x"], "Say how the server is reached"],
    ["an address that is none", ["wiki", "--address", "nowhere"], 'Nothing was added. The MCP server "wiki" in mcp.json has a "url"'],
    [
      "an entry that the bridge would leave out",
      ["wiki", "--", ""],
      'Nothing was added. The MCP server "wiki" in mcp.json has an empty "command"',
    ],
    ["a header of a command", ["wiki", "--header", "A: b", "--", "x"], "--header is for a server with --address: leave it out."],
    ["a sandbox of an address", ["wiki", "--address", "https://x.test", "--sandbox"], "--sandbox is for a server that the bridge starts"],
    ["a variable without a value, which it does not repeat", ["wiki", "--env", "secret", "--", "x"], "Write each --env as NAME=VALUE."],
  ])("refuses %s, and leaves the file as it is", async (_, words, sentence) => {
    await using t = await inFolder(OWN);
    await expect(t.run("add", ...words)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(sentence) });
    expect(await t.text()).toBe(OWN);
  });

  it("changes no file that is not a file of MCP servers", async () => {
    await using t = await inFolder('{"servers": {}}');
    await expect(t.run("add", "wiki", "--", "x")).rejects.toMatchObject({
      message: 'mcp.json is not JSON with "mcpServers": correct it, for example to {"mcpServers": {}}.',
    });
  });
});

describe("toolbus mcp remove", () => {
  it("removes a server, in any case, and says what to do next", async () => {
    await using t = await inFolder(OWN);
    expect(await t.run("remove", "APPLE")).toMatchObject({ code: 0, out: expect.stringContaining('Removed "Apple" from mcp.json.') });
    expect(Object.keys(await t.servers())).toEqual(["zoo"]);
    expect(JSON.parse((await t.run("remove", "zoo", "--json")).out)).toEqual({ file: "mcp.json", server: "zoo", removed: true });
    expect(await t.servers()).toEqual({});
  });

  it("names the servers of the file if there is no such server, and says that a file is missing", async () => {
    await using t = await inFolder(OWN);
    await expect(t.run("remove", "wiki")).rejects.toMatchObject({
      message: 'mcp.json has no MCP server "wiki". It has: zoo, Apple.',
    });
    await expect(t.run("remove", "wiki", "--file", "other.json")).rejects.toMatchObject({
      message: "The file of MCP servers other.json does not exist: name the file with --file, or set MCP_CONFIG_FILE.",
    });
  });
});
