import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findKey, noKey } from "./find-key.ts";

const LOCAL = "http://127.0.0.1:8080";
const REMOTE = "https://toolbus.example.org";
let data = "";
beforeEach(async () => {
  data = await mkdtemp(path.join(tmpdir(), "toolbus-keys-"));
  await mkdir(path.join(data, "keys"));
  await writeFile(path.join(data, "keys", "user.key"), "tb_user_local\n");
  await writeFile(path.join(data, "keys", "operator.key"), "tb_operator_local\n");
  await writeFile(path.join(data, "keys", "approver.key"), "tb_approver_local\n");
});
afterEach(() => rm(data, { recursive: true, force: true }));

describe("the key for a service", () => {
  it("is the one on the command line, then the environment's, then the one that a start left behind", async () => {
    const env = { TOOLBUS_KEY: "from-env" };
    const search = { audience: "gateway", url: LOCAL, dataDirectory: data } as const;
    expect((await findKey({ ...search, env, key: "typed" }))?.key).toBe("typed");
    expect(await findKey({ ...search, env })).toEqual({ key: "from-env", source: "TOOLBUS_KEY" });
    expect((await findKey({ ...search, env: {} }))?.key).toBe("tb_user_local");
  });

  it("is read from a file, without the line's end", async () => {
    const file = path.join(data, "mine");
    await writeFile(file, "from-file\n");
    expect((await findKey({ audience: "gateway", url: REMOTE, dataDirectory: data, env: { TOOLBUS_KEY_FILE: file } }))?.key).toBe(
      "from-file",
    );
    expect((await findKey({ audience: "gateway", url: REMOTE, dataDirectory: data, env: {}, keyFile: file }))?.key).toBe("from-file");
  });

  it("is the approver's for approvals, from its own variable and its own file", async () => {
    const search = { audience: "approvals", url: LOCAL, dataDirectory: data } as const;
    expect((await findKey({ ...search, env: { TOOLBUS_KEY: "a-user", TOOLBUS_APPROVER_KEY: "an-approver" } }))?.key).toBe("an-approver");
    expect((await findKey({ ...search, env: { TOOLBUS_KEY: "a-user" } }))?.key).toBe("tb_approver_local");
  });

  it("is the operator's of this machine if the command is for operators, unless another one was given", async () => {
    const search = { audience: "gateway", role: "operator", url: LOCAL, dataDirectory: data } as const;
    expect((await findKey({ ...search, env: {} }))?.key).toBe("tb_operator_local");
    expect((await findKey({ ...search, env: { TOOLBUS_KEY: "from-env" } }))?.key).toBe("from-env");
    expect(await findKey({ ...search, url: REMOTE, env: {} })).toBeNull();
  });

  it.each(["http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:8080", "http://127.9.9.9"])(
    "of this machine is found for %s",
    async (url) => {
      expect(await findKey({ audience: "gateway", url, dataDirectory: data, env: {} })).not.toBeNull();
    },
  );

  it.each([REMOTE, "http://127.0.0.1.example.org", "http://10.0.0.1:8080"])("of this machine never goes to %s", async (url) => {
    expect(await findKey({ audience: "gateway", url, dataDirectory: data, env: {} })).toBeNull();
    expect(noKey({ audience: "gateway", url, dataDirectory: data }).message).toMatch(/set TOOLBUS_KEY or use --key-file\.$/);
  });

  it("of an approver never goes to the gateway, and that of a user never to approvals", async () => {
    await expect(
      findKey({ audience: "gateway", url: REMOTE, dataDirectory: data, env: { TOOLBUS_KEY: "tb_approver_x" } }),
    ).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(/^TOOLBUS_KEY is the key of an approver, which is never sent to the gateway/),
    });
    await expect(
      findKey({ audience: "approvals", url: REMOTE, dataDirectory: data, env: { TOOLBUS_APPROVER_KEY: "tb_user_x" } }),
    ).rejects.toMatchObject({ exitCode: 4, message: expect.stringMatching(/is the key of a user, which is never sent to approvals/) });
  });

  it.each([
    ["two words", { key: "two words" }, /^--key holds no key/],
    ["a file that is not there", { keyFile: "/nowhere/key" }, /--key-file names \/nowhere\/key, which cannot be read \(ENOENT\)/],
  ])("is refused when it is %s", async (_what, typed, words) => {
    await expect(findKey({ audience: "gateway", url: REMOTE, dataDirectory: data, env: {}, ...typed })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(words),
    });
  });

  it("is missing if nothing was started", async () => {
    expect(await findKey({ audience: "gateway", url: LOCAL, dataDirectory: path.join(data, "none"), env: {} })).toBeNull();
  });
});
