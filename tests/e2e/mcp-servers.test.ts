import { mkdirSync, writeFileSync } from "node:fs";
import { describeOnServer } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inMemory, onServers, type Place } from "./testing/dead-letter-places.ts";
import { namedPipe, NPM_SERVERS, remoteEverything, type RemoteServer } from "./testing/mcp-places.ts";
import { type McpSystem, processesWith, startMcpSystem } from "./testing/mcp-system.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

/** Only the longer test run covers every bus. The shorter one covers NATS, where the bridge has its own process. */
const LONG = ![undefined, "ci"].includes(process.env["LONG_PROOFS"]);
const BROKERS = LONG ? (["nats", "rabbitmq"] as const) : (["nats"] as const);
/** How `server-everything` is reached. The names are part of the names of its tools. */
const EVERYTHING = ["everything_stdio", "everything_http", "everything_sse"] as const;
const SLOW = { duration: 600, steps: 3000 };

describe.runIf(LONG)("real MCP servers, on the bus in memory", () => {
  suite(() => inMemory);
});

/** A call of each server and each transport, and a part of its answer. */
const ANSWERS = [
  ...EVERYTHING.map((server) => [`${server}__get_sum`, { a: 2, b: 40 }, "42"] as const),
  ["filesystem__read_text_file", { path: "note.txt" }, "It is up."] as const,
  ["memory__read_graph", {}, "it is up"] as const,
  [
    "sequential__sequentialthinking",
    { thought: "It is up.", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    "thoughtHistoryLength",
  ] as const,
];

for (const bus of BROKERS)
  describeOnServer(bus, `real MCP servers, on ${bus} with the bridge in a process of its own`, (broker) =>
    describeOnServer("redis", "and Redis", (redis) => suite(() => onServers(broker(), redis()))),
  );

function suite(place: () => Place): void {
  let files: Scratch;
  let remotes: Readonly<Record<"http" | "sse", RemoteServer>>;
  let system: McpSystem;
  const node = (file: string, args: readonly string[], env: object = {}): object => ({
    command: process.execPath,
    args: [file, ...args],
    env,
  });

  beforeAll(async () => {
    files = scratch();
    const [http, sse] = await Promise.all([remoteEverything("streamableHttp"), remoteEverything("sse")]);
    remotes = { http, sse };
    mkdirSync(files.at("files"));
    writeFileSync(files.at("files", "note.txt"), "It is up.\n");
    writeFileSync(files.at("memory.jsonl"), '{"type":"entity","name":"pay","entityType":"service","observations":["it is up"]}\n');
    system = await startMcpSystem(place(), {
      everything_stdio: node(NPM_SERVERS.everything, ["stdio", files.at("everything")]),
      everything_http: { url: http.url },
      everything_sse: { type: "sse", url: sse.url },
      filesystem: node(NPM_SERVERS.filesystem, [files.at("files")]),
      memory: node(NPM_SERVERS.memory, [files.at("memory")], { MEMORY_FILE_PATH: files.at("memory.jsonl") }),
      sequential: node(NPM_SERVERS.sequential, [files.at("sequential")]),
    });
  });
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await remotes?.http[Symbol.asyncDispose]();
    await remotes?.sse[Symbol.asyncDispose]();
    files?.remove();
  });

  it("are listed, each tool with its server as its source", async () => {
    const tools = await system.tools();
    const sources = new Set(tools.map(({ source }) => source).filter((source) => source.startsWith("mcp:")));
    expect([...sources].toSorted()).toEqual([...EVERYTHING, "filesystem", "memory", "sequential"].map((name) => `mcp:${name}`).toSorted());
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(EVERYTHING.map((server) => `${server}__get_sum`)));
    expect(names).toEqual(expect.arrayContaining(["filesystem__read_text_file", "memory__read_graph", "sequential__sequentialthinking"]));
  });

  it.each(ANSWERS)("answer: %s", async (tool, args, answer) => {
    const asked = "path" in args ? { ...args, path: files.at("files", args.path) } : args;
    expect(await system.call(tool, asked)).toMatchObject({ status: "ok", content: expect.stringContaining(answer) });
  });

  it.each(EVERYTHING)("show the progress of a call, and take its cancel: %s", async (server) => {
    const runId = await system.begin(`${server}__trigger_long_running_operation`, SLOW);
    expect(await system.sees(runId, "progress")).toMatchObject({
      tool: `${server}__trigger_long_running_operation`,
      fraction: expect.any(Number),
    });
    await system.cancel(runId);
    expect(await system.results(runId)).toMatchObject([{ status: "cancelled" }]);
    expect(await system.call(`${server}__echo`, { message: "still here" })).toMatchObject({
      content: expect.stringContaining("still here"),
    });
  });

  it.each([
    ["everything_stdio", () => killOwn(files.at("everything"))],
    ["everything_http", () => restart(remotes.http)],
    ["everything_sse", () => restart(remotes.sse)],
  ] as const)("fail the call in which they are killed, and come back: %s", async (server, kill) => {
    const runId = await system.begin(`${server}__trigger_long_running_operation`, SLOW);
    await system.sees(runId, "progress");
    await kill();
    expect(await system.results(runId)).toMatchObject([{ status: "error", content: expect.stringContaining("unavailable") }]);
    expect(await system.answer(`${server}__echo`, { message: "back" })).toContain("back");
  });

  it("fail the call in which they are killed, and come back: filesystem", async () => {
    const pipe = namedPipe(files.at("files", "pipe"));
    const runId = await system.begin("filesystem__read_text_file", { path: pipe.file });
    // The server is in the middle of the call when it has opened the pipe.
    const held = await pipe.read();
    killOwn(files.at("files"));
    await held.close();
    expect(await system.results(runId)).toMatchObject([{ status: "error", content: expect.stringContaining("unavailable") }]);
    expect(await system.answer("filesystem__list_directory", { path: files.at("files") })).toContain("note.txt");
  });

  it.each([
    ["memory", "memory__read_graph", {}],
    [
      "sequential",
      "sequential__sequentialthinking",
      { thought: "It is up.", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    ],
  ] as const)("fail the call in which they are killed, and come back: %s", async (server, tool, args) => {
    const [pid = 0] = processesWith(files.at(server));
    // These servers answer at once, so a stopped one is in the middle of the call until it dies.
    process.kill(pid, "SIGSTOP");
    const runId = await system.begin(tool, args);
    await system.sees(runId, "turn");
    process.kill(pid, "SIGKILL");
    expect(await system.results(runId)).toMatchObject([{ status: "error", content: expect.stringContaining("unavailable") }]);
    expect(await system.answer(tool, args)).not.toBe("");
  });

  function killOwn(marker: string): void {
    const pids = processesWith(marker);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) process.kill(pid, "SIGKILL");
  }

  async function restart(remote: RemoteServer): Promise<void> {
    await remote.kill();
    await remote.start();
  }
}
