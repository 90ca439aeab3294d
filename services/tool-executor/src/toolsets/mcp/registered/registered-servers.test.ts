import { HOME_SHARD, type JsonObject, keys } from "@toolbus/contracts";
import { ownKeys, signDocument } from "@toolbus/grants";
import { memoryStore, StoreUnavailable } from "@toolbus/state";
import { createLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { registeredServers } from "./registered-servers.ts";

const own = await ownKeys(["worker.mcp", "worker.release"]);
const log = createLog({ name: "test", level: "silent" });
const wiki = { name: "Wiki", command: "wiki", args: ["-v"], callId: "call-1" };

function setup() {
  const state = memoryStore({ clock: () => 1_800_000_000_000 });
  const open = (store = state) => registeredServers({ state: store, identity: own.identityOf("worker.mcp"), trusted: own.trusted, log });
  const key = keys.registeredMcpServers();
  let puts = 0;
  return {
    state,
    open,
    /** Writes the document as somebody else would. */
    async put(value: JsonObject): Promise<void> {
      const { documents } = await state.read([key]);
      await state.commit(HOME_SHARD, {
        op: `forge:${++puts}`,
        guards: [{ key, version: documents[0]?.version ?? 0 }],
        put: [{ key, value }],
      });
    },
    signed: (as: string, revision: number, server = wiki) =>
      signDocument(
        "tb-mcp-servers+jwt",
        { key, revision, content: { servers: [{ ...server, registeredAt: 1 }], calls: [] } },
        own.identityOf(as).signer,
      ),
  };
}

describe("the servers that calls registered", () => {
  it("are known to every replica, and after a restart, until a call removes them", async () => {
    const { open } = setup();
    const first = open();
    expect(await first.add(wiki)).toBe("done");
    expect(await first.add({ ...wiki, name: "crm", callId: "call-2" })).toBe("done");
    expect((await open().read())?.map(({ name, command, args }) => [name, command, args])).toEqual([
      ["Wiki", "wiki", ["-v"]],
      ["crm", "wiki", ["-v"]],
    ]);
    expect(await open().remove("WIKI", "call-3")).toBe("done");
    expect((await first.read())?.map(({ name }) => name)).toEqual(["crm"]);
    expect(await first.remove("wiki", "call-4")).toBe("missing");
  });

  it("are added once by each call, however often it is attempted, even after they were removed", async () => {
    const { open } = setup();
    const servers = open();
    await servers.add(wiki);
    expect(await servers.add(wiki)).toBe("repeated");
    expect(await servers.add({ ...wiki, name: "wiki", callId: "call-2" })).toBe("exists");
    await servers.remove("wiki", "call-3");
    expect(await servers.add(wiki)).toBe("repeated");
    expect(await servers.read()).toEqual([]);
  });

  it("are all added when two replicas add at the same time", async () => {
    const { open } = setup();
    const names = ["a", "b", "c", "d"];
    await Promise.all(names.map((name) => open().add({ ...wiki, name, callId: name })));
    expect((await open().read())?.map(({ name }) => name).toSorted()).toEqual(names);
  });

  it("are as many as the store can hold, and no more", async () => {
    const { open } = setup();
    const servers = open();
    const outcomes: string[] = [];
    for (let n = 0; n < 34; n++) outcomes.push(await servers.add({ ...wiki, name: `s${n}`, callId: `c${n}` }));
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(32);
    expect(outcomes.at(-1)).toBe("full");
    const long = setup().open();
    const args = Array.from({ length: 32 }, () => "x".repeat(500));
    for (let n = 0; n < 4; n++) expect(await long.add({ ...wiki, args, name: `s${n}`, callId: `c${n}` })).toBe("done");
    expect(await long.add({ ...wiki, args, name: "s4", callId: "c4" })).toBe("full");
  });

  it("are none that somebody else wrote into the store, nor those of an older copy", async () => {
    const { open, put, signed } = setup();
    const servers = open();
    await put({ servers: [{ ...wiki, registeredAt: 1 }], calls: [], revision: 1 });
    expect(await servers.read()).toBeNull();
    await put(await signed("worker.release", 2));
    expect(await servers.read()).toBeNull();
    await put({ ...(await signed("worker.mcp", 3)), servers: [{ ...wiki, command: "evil", registeredAt: 1 }] });
    expect(await servers.read()).toBeNull();
    await expect(servers.add(wiki)).rejects.toThrow("is not valid");
    await put(await signed("worker.mcp", 4));
    expect(await servers.read()).toHaveLength(1);
    await put(await signed("worker.mcp", 3));
    expect(await servers.read()).toBeNull();
  });

  it("are not known while the store does not answer", async () => {
    const { open, state } = setup();
    const silent = open({ ...state, read: () => Promise.reject(new StoreUnavailable("It is silent.")) });
    await expect(silent.read()).rejects.toThrow(StoreUnavailable);
  });
});
