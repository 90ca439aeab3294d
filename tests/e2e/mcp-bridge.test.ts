import { readFileSync } from "node:fs";
import path from "node:path";
import { topics } from "@toolbus/contracts";
import { describeOnServer } from "@toolbus/testing/servers";
import { describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { CONSUMED, inMemory, onServers, type Place } from "./testing/dead-letter-places.ts";
import { runProgram, startCommand } from "./testing/program.ts";
import { scratch } from "./testing/scratch.ts";

const MEMORY = path.resolve(
  import.meta.dirname,
  "../../services/tool-executor/node_modules/@modelcontextprotocol/server-memory/dist/index.js",
);
const ENTITY = { name: "pay", entityType: "service", observations: ["it is up"] };
const CREATE = `memory__create_entities ${JSON.stringify({ entities: [ENTITY] })}`;

/** Starts a Toolbus with the memory server of the MCP project. An environment variable names the server's file. */
async function started(place: Place) {
  await using begun = new AsyncDisposableStack();
  const files = scratch();
  begun.defer(() => files.remove());
  begun.defer(() => place.remove([topics.invoke("mcp"), ...CONSUMED].flatMap((topic) => [topic, `dead.${topic}`])));
  const memories = files.at("memories.jsonl");
  const server = { command: process.execPath, args: [MEMORY], env: { MEMORY_FILE_PATH: "${MEMORIES}" } };
  const config = files.file("mcp.json", JSON.stringify({ mcpServers: { memory: server } }));
  const { BUS_URL, STATE_URL } = place.env;
  const where = BUS_URL && STATE_URL ? ["--bus", BUS_URL, "--state", STATE_URL] : [];
  const data = files.data();
  const program = startCommand(process.execPath, [TOOLBUS, "start", "--data", data, ...where], {
    env: { GATEWAY_PORT: "0", APPROVALS_PORT: "0", LOG_LEVEL: "error", MCP_CONFIG_FILE: config, MEMORIES: memories },
    group: true,
  });
  begun.use(program);
  await program.says(/Stop with Ctrl-C/);
  const address = (service: string): string => new RegExp(`^${service} +(\\S+)$`, "m").exec(program.stdout())?.[1] ?? "";
  const env = { TOOLBUS_URL: address("gateway"), TOOLBUS_APPROVALS_URL: address("approvals"), DATA_DIR: data };
  const open = begun.move();
  return {
    remembered: () => readFileSync(memories, "utf8"),
    toolbus: (...args: string[]) => runProgram(TOOLBUS, args, { env }),
    /** Starts a chat that runs while a person decides. Its standard output and standard error are merged. */
    chat: (text: string) => startCommand("sh", ["-c", 'exec "$0" "$@" 2>&1', process.execPath, TOOLBUS, "chat", text], { env }),
    async stop() {
      program.kill("SIGINT");
      return (await program.ended()).code;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function refusesThenWrites(place: Place): Promise<void> {
  await using system = await started(place);
  const { toolbus } = system;
  // Nobody has reviewed the tool yet, so it is treated as unreviewed even if the server calls it harmless.
  expect(await toolbus("chat", CREATE)).toMatchObject({ code: 0, stdout: expect.stringContaining("an operator has to enable it first") });
  expect((await toolbus("tools", "pending")).stdout).toMatch(/^memory__create_entities +1 +mcp +high +pending/m);
  const shown = (await toolbus("tools", "show", "memory__create_entities", "--diff")).stdout;
  const [, hash = ""] = /^hash +(sha256-\S+)$/m.exec(shown) ?? [];
  expect(await toolbus("tools", "enable", "memory__create_entities", "--hash", hash, "--yes")).toMatchObject({ code: 0 });

  // The other writes of the server are enabled together, by the hash of exactly these definitions.
  const asked = await toolbus("mcp", "enable", "Memory");
  expect(asked).toMatchObject({ code: 2, stdout: "" });
  const [, all = ""] = /--hash (sha256-\S+)/.exec(asked.stderr) ?? [];
  expect(await toolbus("mcp", "enable", "memory", "--hash", hash, "--yes")).toMatchObject({ code: 1 });
  const enabled = await toolbus("mcp", "enable", "memory", "--hash", all, "--yes", "--json");
  expect(JSON.parse(enabled.stdout)).toMatchObject({ enabled: expect.arrayContaining(["memory__delete_entities@1"]), lessStrict: [] });
  expect((await toolbus("tools", "pending")).stdout).not.toContain("memory__");
  expect(await toolbus("mcp", "enable", "wiki")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("There are writes of: memory."),
  });
  expect((await toolbus("mcp", "list")).stdout).toMatch(/^memory +9 +9 +ready$/m);
  // All of them can be switched off together, and enabled again.
  const disabled = await toolbus("mcp", "disable", "Memory", "--json");
  expect(JSON.parse(disabled.stdout)).toMatchObject({
    disabled: expect.arrayContaining(["memory__create_entities", "memory__delete_entities"]),
  });
  expect((await toolbus("tools", "pending", "--all")).stdout).toMatch(/^memory__create_entities .* disabled/m);
  expect(await toolbus("tools", "enable", "memory__create_entities", "--hash", hash, "--yes")).toMatchObject({ code: 0 });

  await using chat = system.chat(CREATE);
  const [, approvalId = ""] = await chat.says(/approvals approve (ap_\S+)/);
  expect(() => system.remembered()).toThrow(/ENOENT/);
  expect(await toolbus("approvals", "approve", approvalId, "--yes")).toMatchObject({ code: 0 });
  expect(await chat.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining("memory__create_entities answered") });
  expect(system.remembered().trim().split("\n")).toEqual([expect.stringContaining('"name":"pay"')]);
  expect(await system.stop()).toBe(0);
}

describe("the tools of an MCP server, with toolbus start in one process", () => {
  it("are refused until somebody enables the definition, wait for a person, and write once", () => refusesThenWrites(inMemory));
});

// Only the longer test run covers RabbitMQ.
for (const kind of process.env["LONG_PROOFS"] ? (["nats", "rabbitmq"] as const) : (["nats"] as const))
  describeOnServer(kind, "the tools of an MCP server, with the bridge in a process of its own", (broker) =>
    describeOnServer("redis", "and Redis", (redis) => {
      it("are refused until somebody enables the definition, wait for a person, and write once", () =>
        refusesThenWrites(onServers(broker(), redis())));
    }),
  );
