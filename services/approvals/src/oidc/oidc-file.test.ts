import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readOidcFile } from "./oidc-file.ts";

const SECRET = "the-secret-of-the-client";
const GROUP = { role: "approver", tiers: ["high"] };
const GOOD = {
  name: "Example login",
  issuer: "https://login.example.com/realms/acme",
  clientId: "toolbus",
  clientSecret: SECRET,
  tenant: "acme",
  groups: { approvers: GROUP },
};

describe("the file of the OIDC provider", () => {
  it("is read with its defaults", async () => {
    await using f = await setup(GOOD);
    expect(await f.read()).toMatchObject({
      issuer: new URL("https://login.example.com/realms/acme"),
      scopes: ["openid"],
      personClaim: "sub",
      groupsClaim: "groups",
      people: new Map(),
    });
  });

  it("is optional", async () => {
    expect(await readOidcFile("", new Set())).toBeNull();
  });

  it.each<{ what: string; part: object; words: string }>([
    { what: "no issuer", part: { issuer: undefined }, words: "/issuer is required" },
    { what: "an unknown field", part: { group: {} }, words: "/group is not a known field" },
    { what: "no groups", part: { groups: {} }, words: "/groups must NOT have fewer than 1 property" },
    { what: "a role that the page does not have", part: { groups: { x: { role: "user" } } }, words: "/groups/x/role" },
    {
      what: "an approver without tiers",
      part: { groups: { x: { role: "approver" } } },
      words: 'groups "x" has the role approver and no tiers',
    },
    {
      what: "an operator with tiers",
      part: { groups: { x: { ...GROUP, role: "operator" } } },
      words: "which decides nothing; remove its tiers",
    },
    { what: "an unknown tier", part: { groups: { x: { ...GROUP, tiers: ["huge"] } } }, words: "/groups/x/tiers/0" },
    {
      what: "a person in a group that does not exist",
      part: { people: { "1": { principal: "amy", groups: ["aprovers"] } } },
      words: 'people "1" has the group "aprovers", which groups does not have',
    },
    { what: "a person without a principal", part: { people: { "1": {} } }, words: "/people/1/principal is required" },
    { what: "a scope with a space", part: { scopes: ["a b"] }, words: "/scopes/0" },
    { what: "an issuer that is no address", part: { issuer: "login" }, words: "is no address without a query" },
    { what: "an issuer with a query", part: { issuer: "https://login.example.com/?a=b" }, words: "is no address without a query" },
    { what: "an issuer with a password", part: { issuer: "https://a:b@login.example.com" }, words: "contains a user or a password" },
    { what: "a private issuer", part: { issuer: "https://10.0.0.1" }, words: "10.0.0.1 is not a public address" },
    { what: "an issuer on this machine", part: { issuer: "http://127.0.0.1:3000" }, words: "Name its host in WEBHOOK_ALLOWED_HOSTS" },
    { what: "plain HTTP to another machine", part: { issuer: "http://login.lan" }, words: "is plain HTTP on another machine" },
  ])("is refused with one sentence for $what", async ({ part, words }) => {
    await using f = await setup({ ...GOOD, ...part });
    const error = await f.read().catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(words);
    expect(String(error)).toContain(f.file);
    expect(String(error)).not.toContain(SECRET);
  });

  it.each([
    { what: "is not JSON", text: "{", words: "is not JSON" },
    { what: "has a name twice", text: '{"name":"a","name":"b"}', words: "cannot be used: /name " },
  ])("is refused if it $what", async ({ text, words }) => {
    await using f = await setup(text);
    await expect(f.read()).rejects.toThrow(words);
  });

  it("is refused if others can read it, and if it does not exist", async () => {
    await using f = await setup(GOOD);
    await chmod(f.file, 0o644);
    await expect(f.read()).rejects.toMatchObject({ name: "Refusal", message: expect.stringContaining("is open to others") });
    await rm(f.file);
    await expect(f.read()).rejects.toThrow("There is no file of the OIDC provider");
  });

  it("may name a provider on this machine that an operator allows", async () => {
    await using f = await setup({ ...GOOD, issuer: "http://127.0.0.1:3000" });
    expect((await readOidcFile(f.file, new Set(["127.0.0.1:3000"])))?.issuer.href).toBe("http://127.0.0.1:3000/");
  });
});

/** Writes the file. The host `login.lan` is allowed. */
async function setup(content: object | string) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "oidc-file-"));
  const file = path.join(folder, "oidc.json");
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
  return {
    file,
    read: () => readOidcFile(file, new Set(["login.lan"])),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
