import type { ToolList, ToolView } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { client } from "../http/client.ts";
import { sendJson, serverUnderTest } from "../testing/server-under-test.ts";
import { toolUnderTest } from "../testing/tool-under-test.ts";
import { checkTools } from "./check-work.ts";

/** The store's time, which differs from this machine's time. */
const AS_OF = 1_000_000;

describe("doctor, checking the tools", () => {
  it("says how old the oldest heartbeat is, so that nobody mistakes a worker that just died for a live one", async () => {
    const found = await checked([tool("find_order", AS_OF - 3000), tool("read_page", AS_OF - 29_000)]);
    expect(found).toMatchObject({ level: "ok", message: expect.stringMatching(/all available.* 29 s ago, one is due every 30 s$/) });
  });

  it("warns of a tool whose workers missed their heartbeat, although it still counts as available", async () => {
    const found = await checked([tool("find_order", AS_OF - 41_000), tool("read_page", AS_OF - 50_000), tool("web", AS_OF)]);
    expect(found).toMatchObject({
      level: "warn",
      message: "3 registered; no worker of read_page@1 has sent a heartbeat for 50 s, nor of 1 more: one is due every 30 s.",
      fix: expect.stringContaining("90 s"),
    });
  });

  it("fails if a tool has no live worker, because its last one stopped or went missing, and says how long ago", async () => {
    const stopped: ToolView = { ...tool("find_order", AS_OF - 20_000), ...ASLEEP, leftAt: AS_OF - 15_000 };
    const missed: ToolView = { ...tool("read_page", AS_OF - 100_000), ...ASLEEP };
    expect(await checked([stopped, missed, tool("web", AS_OF)])).toEqual({
      name: "tools",
      level: "fail",
      message: expect.stringMatching(/^3 registered; no worker is alive for find_order@1, read_page@1, the first for 1 min/) as string,
      fix: `Start the program that serves "${toolUnderTest.toolset}". Calls wait for it. A toolset whose workers may be scaled to zero declares it (scalesToZero).`,
    });
  });

  it("shows the command only for the toolsets of Toolbus, because another one has a program of its own", async () => {
    const fixFor = async (...toolsets: readonly string[]) => {
      const found = await checked(toolsets.map((toolset) => ({ ...tool("find_order", AS_OF - 20_000), ...ASLEEP, toolset })));
      return "fix" in found ? found.fix : "";
    };
    expect(await fixFor("release", "mcp")).toMatch(
      /^Start a worker of "mcp", "release"\. The command is "TOOLSETS=mcp,release npx node [^"]+".* Calls wait/,
    );
    expect(await fixFor("lab")).toMatch(/^Start the program that serves "lab"\. Calls wait/);
    expect(await fixFor("lab", "mcp")).toMatch(
      /^Start a worker of "mcp"\. The command is "TOOLSETS=mcp .*\. Start the program that serves "lab"\. Calls wait/,
    );
  });

  it("fails on a tool that nobody has served for over an hour, warns if another version is served, and passes if workers may be scaled to zero", async () => {
    const long: ToolView = { ...tool("find_order", AS_OF - 3_700_000), ...ASLEEP };
    expect(await checked([long])).toMatchObject({
      level: "fail",
      message: "1 registered; no worker has served find_order@1 for over an hour, so no new run is offered it.",
    });
    expect(await checked([long, { ...tool("find_order", AS_OF), version: "2" }])).toMatchObject({ level: "warn" });
    expect(await checked([long, { ...tool("find_order", AS_OF), toolset: "others" }])).toMatchObject({ level: "fail" });
    expect(await checked([{ ...long, scalesToZero: true }])).not.toMatchObject({ level: "fail" });
  });

  it("warns after a rollback, names the version without workers, and does not ask to start them again", async () => {
    const rolledBack: ToolView = { ...tool("find_order", AS_OF - 60_000), ...ASLEEP, version: "2", leftAt: AS_OF - 50_000 };
    expect(await checked([rolledBack, tool("find_order", AS_OF)])).toEqual({
      name: "tools",
      level: "warn",
      message: "2 registered; no worker serves find_order@2, so new runs get another version.",
      fix: 'A version that is gone for good, such as after a rollback, can be removed: "toolbus tools remove find_order --version 2".',
    });
  });

  it("fails if a worker says that a tool cannot be used, with its reason", async () => {
    const unavailable = { since: 1, reason: "The payments API does not answer." };
    const found = await checked([{ ...tool("find_order", AS_OF), available: false, availability: "unavailable", unavailable }]);
    expect(found).toMatchObject({
      level: "fail",
      message: "1 registered; find_order@1 cannot be used now: The payments API does not answer.",
    });
  });

  it("says how a Toolbus that was started here serves the tools of MCP servers again", async () => {
    const asleep = ["mcp", "lab"].map((toolset) => ({ ...tool("find_order", AS_OF - 20_000), ...ASLEEP, toolset }));
    expect(await checked(asleep, AS_OF, {}, true)).toMatchObject({
      fix: expect.stringMatching(
        /^Start Toolbus again with MCP_CONFIG_FILE, .* "toolbus tools remove --server NAME"\. Start the program that serves "lab"\. Calls wait/,
      ),
    });
  });

  it("fails if a registration cannot be read, because nobody uses it", async () => {
    const unreadable = [
      { toolset: "shop", name: "pay", version: "2", reason: "/colour is not a known field\u001b[31m" },
      { toolset: "shop", name: "refund", version: "1", reason: "/hash must be string" },
    ];
    expect(await checked([tool("find_order", AS_OF)], AS_OF, { unreadable })).toEqual({
      name: "tools",
      level: "fail",
      message: expect.stringMatching(
        /^The registration of pay@2, refund@1 cannot be read, so nobody uses it: \/colour is not [^\u001b]*$/,
      ) as string,
      fix: expect.stringMatching(/^Usually the worker of "shop" is of a newer version than the gateway: upgrade the gateway/) as string,
    });
  });

  it("says only that all are available if the gateway does not report its time", async () => {
    expect(await checked([tool("find_order", 1)], null)).toMatchObject({ level: "ok", message: "1 registered, all available" });
  });
});

const ASLEEP = { available: false, availability: "asleep" } as const;

async function checked(tools: readonly ToolView[], asOf: number | null = AS_OF, more: Partial<ToolList> = {}, isStartedHere = false) {
  await using server = await serverUnderTest((_request, response) =>
    sendJson(response, { registryVersion: "1", tools, ...(asOf === null ? {} : { asOf }), ...more }),
  );
  return await checkTools(client({ url: server.url, service: "gateway", key: null }), isStartedHere);
}

function tool(name: string, lastSeenAt: number): ToolView {
  return { ...toolUnderTest, name, lastSeenAt };
}
