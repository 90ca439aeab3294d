import { createHash } from "node:crypto";
import { apiKeys } from "@toolbus/runtime";
import { memoryStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { sealedUnderTest } from "../testing/approvals-under-test.ts";
import { createSessions, type SessionProvider } from "./sessions.ts";

const AMY = { id: "key of amy", principal: "amy", tenant: "acme", roles: ["approver" as const], scopes: ["approve:high"] };
const BEN = { id: "oidc:ben", tenant: "acme", roles: ["approver" as const], scopes: [], keyId: "oidc:login.example.com" };
const IDENTITY = { person: "ben", providerGroups: ["approvers"] };

describe("a session of the page", () => {
  it("begins only once for a sign-in at the provider, also if two returns race", async () => {
    await using s = setup();
    const begun = await Promise.all([1, 2, 3].map(() => s.sessions().beginOnce(BEN, IDENTITY, "flow-1")));
    expect(begun.filter((secret) => secret !== null)).toHaveLength(1);
    expect(await s.sessions().beginOnce(BEN, IDENTITY, "flow-1")).toBeNull();
    expect(await s.sessions().beginOnce(BEN, IDENTITY, "flow-2")).not.toBeNull();
  });

  it("of a key is over if nobody may sign in with a key", async () => {
    await using s = setup();
    const secret = await s.sessions().begin(s.keys.named(AMY.id) ?? BEN);
    expect((await s.sessions().find(secret))?.principal.id).toBe("amy");
    expect(await s.sessions({ keys: null }).find(secret)).toBeNull();
  });

  it.each<{ what: string; provider: SessionProvider | null }>([
    { what: "there is no provider any more", provider: null },
    {
      what: "the provider is another one",
      provider: { issuer: "https://other.example.com/", clientId: "toolbus", principalOf: () => BEN },
    },
    { what: "the client is another one", provider: { issuer: "https://login.example.com/", clientId: "other", principalOf: () => BEN } },
    { what: "the groups give no right any more", provider: { ...provider(), principalOf: () => null } },
    { what: "the person is another principal now", provider: { ...provider(), principalOf: () => ({ ...BEN, id: "ben" }) } },
  ])("of the provider is over if $what", async ({ provider: changed }) => {
    await using s = setup();
    const secret = (await s.sessions().beginOnce(BEN, IDENTITY, "flow")) ?? "";
    expect((await s.sessions().find(secret))?.principal).toEqual(BEN);
    expect(await s.sessions({ provider: changed }).find(secret)).toBeNull();
  });
});

function provider(): SessionProvider {
  return { issuer: "https://login.example.com/", clientId: "toolbus", principalOf: () => BEN };
}

function setup() {
  const store = memoryStore({ clock: () => 1_700_000_000_000 });
  const { sealed } = sealedUnderTest(store);
  const keys = apiKeys([{ ...AMY, sha256: createHash("sha256").update("key-amy").digest("hex") }], () => 0);
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  return {
    keys,
    sessions: (part: Partial<Parameters<typeof createSessions>[0]> = {}) =>
      createSessions({ sealed, keys, provider: provider(), random, ...part }),
    [Symbol.asyncDispose]: () => store.close(),
  };
}
