import { HOME_SHARD, type Json, keys, type Registration } from "@toolbus/contracts";
import { generateSigningKey, publicKeySet, signDocument, type Signer, signerOf, staticKeySet } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { type Toolset, toolset } from "../tool/toolset.ts";
import { nameOwners } from "./name-owners.ts";
import { readRegistry } from "./read-registry.ts";
import { registerToolset, unregister } from "./registry.ts";

const approvalsKey = await generateSigningKey();
const approvals = staticKeySet(publicKeySet([approvalsKey]));
const signer = await signerOf(approvalsKey);

const parameters = { type: "object", properties: {}, additionalProperties: false };
const read = (name: string, version = "1") => defineTool({ name, version, kind: "read", description: "Looks.", parameters, run: () => 1 });
const pay = defineTool({
  name: "send_payment",
  kind: "write",
  description: "Pays.",
  effect: "Pays.",
  risk: { tier: "high" },
  idempotency: { mode: "none" },
  timeoutMs: 1000,
  parameters,
  prepare: async () => ({}),
  run: async () => 1,
});

function setup() {
  const state = memoryStore({ clock: () => 1000 });
  const lines: string[] = [];
  const log = { ...silentLog, error: (_: object, text: string) => void lines.push(text) };
  const owners = nameOwners({ approvals, log });
  const commit = async (key: string, value: Json): Promise<void> => {
    const { documents } = await state.read([key]);
    const version = documents[0]?.version ?? 0;
    await state.commit(HOME_SHARD, { op: `put:${key}:${version}`, guards: [{ key, version }], put: [{ key, value }] });
  };
  const named = (registrations: Iterable<Registration>) =>
    [...registrations].map(({ toolset: owner, definition }) => `${owner}/${definition.name}@${definition.version}`).toSorted();
  return {
    state,
    lines,
    owners,
    all: () => readRegistry(state),
    admitted: async () => named(await readRegistry(state, log, undefined, owners)),
    strange: async () => named((await owners.strangers(state, await readRegistry(state))).keys()),
    /** Registers a toolset as a login can that does not ask whether a name is free. */
    async force({ name, list }: Toolset) {
      for (const { definition, hash } of list()) {
        const key = keys.registration(name, definition.name, definition.version);
        await state.commit(HOME_SHARD, {
          op: `force:${key}`,
          guards: [{ key, version: 0 }],
          put: [{ key, value: { toolset: name, definition, hash, registeredAt: 1000, lastSeenAt: 1000 } as Json }],
          index: [{ index: keys.registryIndex(), member: `${name}/${definition.name}@${definition.version}`, score: 0 }],
        });
      }
    },
    async pin(owner: string, by: Signer = signer, revision = 1) {
      const [executor] = toolset({ name: owner, tools: [pay] }).list();
      const { definition, hash } = executor!;
      const content = { toolset: owner, definition, hash, enabled: true, pinnedAt: 1000, pinnedBy: "ops" } as unknown as Json;
      const key = keys.pin("send_payment");
      await commit(key, await signDocument("tb-pin+jwt", { key, revision, content: content as never }, by));
    },
  };
}

const payments = () => toolset({ name: "payments", tools: [pay, read("read_balance")] });

describe("a name with a pin", () => {
  it("belongs to the pin's toolset, whatever others register under it, and whether or not its own tool is listed", async () => {
    const t = setup();
    await registerToolset(t.state, payments());
    await t.pin("payments");
    await t.force(toolset({ name: "notes", tools: [read("send_payment", "2"), read("read_note")] }));
    expect(await t.admitted()).toEqual(["notes/read_note@1", "payments/read_balance@1", "payments/send_payment@1"]);
    expect(await t.strange()).toEqual(["notes/send_payment@2"]);
    expect(t.lines).toEqual([
      expect.stringMatching(/"notes" registers "send_payment", .* pinned for the toolset "payments".*login of "notes"/),
    ]);
    await unregister(t.state, "payments", "send_payment", "1");
    expect(await t.admitted()).toEqual(["notes/read_note@1", "payments/read_balance@1"]);
    expect(t.lines).toHaveLength(1);
  });

  it("is taken back as soon as the pin is stored", async () => {
    const t = setup();
    await t.force(toolset({ name: "notes", tools: [read("send_payment", "2")] }));
    expect(await t.admitted()).toEqual(["notes/send_payment@2"]);
    await t.pin("payments");
    expect(await t.admitted()).toEqual([]);
  });

  it("belongs to nobody by a pin that approvals did not sign", async () => {
    const t = setup();
    await registerToolset(t.state, payments());
    await t.pin("notes", await signerOf(await generateSigningKey()));
    expect(await t.admitted()).toEqual(["payments/read_balance@1", "payments/send_payment@1"]);
  });
});

describe("a name without a pin", () => {
  it("that several toolsets register can be used by none of them, until only one of them has it", async () => {
    const t = setup();
    await registerToolset(t.state, payments());
    await t.force(toolset({ name: "notes", tools: [read("read_balance", "9"), read("read_note")] }));
    expect(await t.admitted()).toEqual(["notes/read_note@1", "payments/send_payment@1"]);
    expect(await t.strange()).toEqual(["notes/read_balance@9", "payments/read_balance@1"]);
    expect(t.lines).toHaveLength(2);
    await unregister(t.state, "notes", "read_balance", "9");
    expect(await t.admitted()).toEqual(["notes/read_note@1", "payments/read_balance@1", "payments/send_payment@1"]);
  });

  it("may have several versions of one toolset", async () => {
    const t = setup();
    await registerToolset(t.state, toolset({ name: "orders", tools: [read("look", "1"), read("look", "2")] }));
    expect(await t.admitted()).toEqual(["orders/look@1", "orders/look@2"]);
  });
});

describe("a registry in order", () => {
  it("is given as the same list while nothing changes", async () => {
    const t = setup();
    await registerToolset(t.state, payments());
    await t.pin("payments");
    const once = () => readRegistry(t.state, silentLog, undefined, t.owners);
    const list = await once();
    expect(await once()).toBe(list);
    expect(list).toBe(await t.all());
    await t.pin("payments", signer, 2);
    expect(await once()).toEqual(list);
  });
});
