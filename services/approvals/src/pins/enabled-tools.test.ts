import { mkdtempDisposable, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { HOME_SHARD, keys, topics } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { setup as setupApprovals, until } from "../testing/approvals-under-test.ts";
import { readEnabledTools } from "./enabled-tools.ts";
import { note, refund, register, requestMessage, smallRefund, START } from "../testing/writes-under-test.ts";

const listed = (tool: typeof refund, toolset = "orders") => ({ tool: tool.name, toolset, version: tool.version, hash: toolHash(tool) });
const second = { ...refund, version: "2", description: "Pays money back, again." };
const weaker = { ...refund, version: "3", risk: { tier: "low" as const } };

describe("the file of enabled tools", () => {
  it("enables exactly the definitions that it names, at the start, and no others", async () => {
    await using t = await setup([listed(refund)], [refund, note]);
    expect([await t.outcome(1, refund), await t.outcome(2, note)]).toEqual(["approved", "refused"]);
    expect(await t.audit(HOME_SHARD)).toMatchObject([{ event: "pinned", by: "file", tool: "issue_refund", toolHash: toolHash(refund) }]);
  });

  it("enables what registers later, when that is announced or asked for", async () => {
    await using t = await setup([listed(refund), listed(note)], []);
    await register(t.store, refund, START);
    expect(await t.outcome(1, refund)).toBe("approved");
    await register(t.store, note, START);
    const parts = { topic: topics.toolAnnounce, type: "toolbus.tool.announce", source: "/workers/orders", id: "announce:orders#1" };
    await t.bus.announce({
      ...requestMessage(smallRefund(1), 0, START),
      ...parts,
      body: JSON.stringify({ toolset: "orders", tools: [note.name] }),
    });
    await until(async () => (await t.pin(note.name)) !== null);
  });

  it("enables no other definition, of whatever tool and toolset it is said to be", async () => {
    await using t = await setup([listed(refund)], []);
    await register(t.store, second, START);
    await register(t.store, { ...refund }, START, "intruder");
    expect([await t.outcome(1, second), await t.outcome(2, refund)]).toEqual(["refused", "refused"]);
    expect(await t.pin(refund.name)).toBeNull();
  });

  it("moves on to a newer definition that it names, a weaker one too, and keeps the older one for the runs that began with it", async () => {
    await using t = await setup([listed(refund), listed(weaker)], [refund]);
    await register(t.store, weaker, START + 1);
    expect([await t.outcome(1, weaker), await t.outcome(2, refund)]).toEqual(["approved", "approved"]);
    expect(await t.pin(refund.name)).toMatchObject({ hash: toolHash(weaker), pinnedBy: "file" });
  });

  it("gives way to what an operator decided", async () => {
    await using t = await setup([listed(refund)], [refund]);
    await t.request("otto", "/v1/writes/issue_refund/disable", { method: "POST" });
    await t.restart();
    expect(await t.outcome(1, refund)).toBe("refused");
    expect(await t.pin(refund.name)).toMatchObject({ enabled: false, pinnedBy: "otto" });
  });

  it.each([
    ["is no list", "{}", /^The file of enabled tools .* cannot be used: .*it is a list of/],
    ["lacks a hash", '[{"tool": "a", "toolset": "b"}]', /cannot be used: \/0.* it is a list of/],
    ["is not JSON", "[", /cannot be used/],
  ])("is refused when it %s", async (_, text, words) => {
    await using folder = await mkdtempDisposable(path.join(os.tmpdir(), "enabled-"));
    const file = path.join(folder.path, "tools.json");
    await writeFile(file, text);
    await expect(readEnabledTools(file)).rejects.toThrow(words);
  });

  it("is refused when it is not there, and none is needed", async () => {
    await expect(readEnabledTools("/nowhere/tools.json")).rejects.toThrow(/cannot be read \(ENOENT\): correct TOOLS_ENABLED_FILE/);
    expect((await readEnabledTools("")).size).toBe(0);
  });
});

async function setup(enabled: readonly object[], tools: readonly (typeof refund)[]) {
  const folder = await mkdtempDisposable(path.join(os.tmpdir(), "enabled-"));
  const file = path.join(folder.path, "tools.json");
  await writeFile(file, JSON.stringify(enabled));
  const t = await setupApprovals({ tools, env: { PIN_ON_FIRST_SIGHT: "false", TOOLS_ENABLED_FILE: file } });
  return {
    ...t,
    async pin(tool: string): Promise<unknown> {
      return (await t.store.read([keys.pin(tool)])).documents[0]?.value ?? null;
    },
    async outcome(n: number, tool: typeof refund): Promise<unknown> {
      await t.ask({ ...smallRefund(n), tool });
      return (await t.decided.next()).body["outcome"];
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}
