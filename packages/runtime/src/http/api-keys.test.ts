import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { ApiKey } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { Refusal } from "../refusal.ts";
import { apiKeys, readApiKeys } from "./api-keys.ts";

describe("API keys", () => {
  const keys = apiKeys([keyFor("una", "first-secret"), keyFor("otto", "second-secret")], () => 0);

  it("name the principal of a key, with its tenant, roles and scopes", () => {
    expect(keys.find("Bearer second-secret")).toEqual({
      id: "otto",
      tenant: "acme",
      roles: ["user"],
      scopes: ["tools:read"],
      keyId: "key of otto",
    });
    expect(keys.find("bearer   first-secret")).toMatchObject({ id: "una" });
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Bearer third-secret",
    "Bearer first-secret ",
    "Bearer first-secre",
    "Bearer FIRST-SECRET",
    "Bearer first-secret, Bearer second-secret",
    "Basic first-secret",
    "first-secret",
    "Bearer first\u0000secret",
    `Bearer ${"x".repeat(513)}`,
    `Bearer ${sha256("first-secret")}`,
  ])("know nobody for %j", (authorization) => {
    expect(keys.find(authorization)).toBeNull();
  });

  it("name the tools of a key that names some", () => {
    expect(apiKeys([{ ...keyFor("una", "x"), tools: ["web"] }], () => 0).find("Bearer x")).toMatchObject({ tools: ["web"] });
  });

  it("know nobody if there are none", () => {
    expect(apiKeys([], () => 0).find("Bearer first-secret")).toBeNull();
  });
});

describe("a file of API keys", () => {
  it("is read", async () => {
    await using t = await setup(JSON.stringify([keyFor("una", "first-secret")]));
    expect(apiKeys(await readApiKeys(t.file), () => 0).find("Bearer first-secret")).toMatchObject({ id: "una" });
  });

  it("that is missing is refused with a sentence that says what to do", async () => {
    await using t = await setup("[]");
    const file = `${t.file}.none`;
    await expect(readApiKeys(file)).rejects.toThrow(
      new Refusal(`The file of API keys ${file} cannot be read (ENOENT): make it with "toolbus keys add", or let "npm start" make one.`),
    );
  });

  it.each([
    { what: "no JSON", text: "{", words: "is not JSON" },
    { what: "not a list", text: "{}", words: "must be array" },
    {
      what: "a key itself instead of its hash",
      text: JSON.stringify([{ ...keyFor("una", "x"), sha256: "tb_user_in-clear" }]),
      words: '/0/sha256 must match pattern "^[0-9a-f]{64}$"',
    },
    {
      what: "a role that does not exist",
      text: JSON.stringify([{ ...keyFor("una", "x"), roles: ["admin"] }]),
      words: '/0/roles/0 must be one of "user", "operator", "approver", "alertmanager", "releaser"',
    },
    { what: "an unknown field", text: JSON.stringify([{ ...keyFor("una", "x"), key: "x" }]), words: "/0/key is not a known field" },
  ])("that contains $what is refused with the fault, without quoting its content", async ({ text, words }) => {
    await using t = await setup(text);
    await expect(readApiKeys(t.file)).rejects.toThrow(new Refusal(`The file of API keys ${t.file} is not valid: ${words}.`));
  });

  it("with an invalid entry in a key's tools is refused with the key, the entry and what to write", async () => {
    await using t = await setup(JSON.stringify([keyFor("una", "x"), { ...keyFor("otto", "y"), tools: ["release", "toolset:web"] }]));
    await expect(readApiKeys(t.file)).rejects.toThrow(
      new Refusal(
        `The key "key of otto" in the file of API keys ${t.file} cannot be used: "toolset:web" does not name tools: write a toolset, such as "release", or a tool of one, such as "release/get_release_summary".`,
      ),
    );
  });
});

describe("a key that begins investigations", () => {
  it.each(["alertmanager", "releaser"] as const)("has only the role %s, or the file is refused", async (role) => {
    await using alone = await setup(JSON.stringify([{ ...keyFor("una", "x"), roles: [role] }]));
    expect(await readApiKeys(alone.file)).toMatchObject([{ roles: [role] }]);
    await using beside = await setup(JSON.stringify([{ ...keyFor("una", "x"), roles: ["user", role] }]));
    await expect(readApiKeys(beside.file)).rejects.toThrow(
      new Refusal(
        `The key "key of una" in the file of API keys ${beside.file} cannot be used: the role "${role}" cannot be combined with another: give each role its own key.`,
      ),
    );
  });
});

describe("the mark of a key", () => {
  it("changes with the key's secret, is not the stored hash, and exists only for a known name", () => {
    const markWith = (secret: string) => apiKeys([keyFor("ana", secret)], () => 0).markOf("key of ana");
    expect(markWith("one")).toBe(markWith("one"));
    expect(markWith("one")).not.toBe(markWith("two"));
    expect(markWith("one")).not.toBe(Buffer.from(sha256("one"), "hex").toString("base64url"));
    expect(apiKeys([keyFor("ana", "one")], () => 0).markOf("key of bo")).toBeNull();
  });
});

async function setup(text: string) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "api-keys-"));
  const file = path.join(folder, "keys.json");
  await writeFile(file, text);
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

function keyFor(principal: string, secret: string): ApiKey {
  return { id: `key of ${principal}`, sha256: sha256(secret), principal, tenant: "acme", roles: ["user"], scopes: ["tools:read"] };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
