import { mkdtempDisposable, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../policy/policy.ts";
import { watchedPolicy } from "./watched-policy.ts";

const GOOD = "version: 1\ntiers:\n  high: { approvers: 2 }\n";
const BETTER = "version: 1\ntiers:\n  high: { approvers: 3 }\n";

async function setup(text: string, env: Partial<Parameters<typeof watchedPolicy>[0]> = {}) {
  const folder = await mkdtempDisposable(path.join(os.tmpdir(), "policy-"));
  const file = path.join(folder.path, "policy.yaml");
  await writeFile(file, text);
  let next = Promise.withResolvers<string>();
  const logged: object[] = [];
  const tell = (fields: object, message: string): void => {
    logged.push(fields);
    next.resolve(message);
  };
  const config = {
    APPROVAL_POLICY_FILE: file,
    HITL_MODE: "auto" as const,
    WRITE_TOOLS: "",
    APPROVAL_EXPIRY_MS: 900_000,
    APPROVAL_REMINDER_PERCENT: 50,
    ...env,
  };
  const options = { targets: ["pager"], log: { ...silentLog, info: tell, error: tell }, everyMs: 5 };
  const policy = await watchedPolicy(config, options);
  next = Promise.withResolvers();
  return {
    file,
    policy,
    logged,
    approvers: () => policy.current().content.tiers?.high?.approvers,
    /** Writes the file atomically, as a careful writer does. */
    async write(content: string): Promise<void> {
      await writeFile(`${file}.draft`, content);
      await rename(`${file}.draft`, file);
    },
    /** Returns the next log message of the watch. */
    async tells(): Promise<string> {
      const message = await next.promise;
      next = Promise.withResolvers();
      return message;
    },
    async [Symbol.asyncDispose]() {
      policy.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("a policy file in use", () => {
  it("is read again when it has changed, and its version changes with it", async () => {
    await using t = await setup(GOOD);
    const { version } = t.policy.current();
    await t.write(BETTER);
    expect(await t.tells()).toBe("the policy was read again");
    expect([t.approvers(), t.policy.warnings()]).toEqual([3, []]);
    expect(t.policy.current().version).not.toBe(version);
    await t.write(`# Reviewed.\n${GOOD}`);
    expect(await t.tells()).toBe("the policy was read again");
    expect(t.policy.current().version).toBe(version);
  });

  it("that breaks or disappears leaves the last good one in use, which is logged once and warned of until the file is good again", async () => {
    await using t = await setup(GOOD);
    for (const breaks of [() => t.write("version: 1\ntiers: { high: { approvers: none } }\n"), () => rm(t.file)]) {
      await breaks();
      expect(await t.tells()).toBe("the policy was not read again; the former policy stays in use");
      expect(t.approvers()).toBe(2);
      expect(t.policy.warnings()).toEqual([expect.stringMatching(/^The policy file cannot be used, so the policy before is still in use/)]);
    }
    expect(t.logged).toMatchObject([
      {},
      { why: expect.stringMatching(/ cannot be used: line 2: tiers\.high\.approvers must be integer\.$/) },
      { why: expect.stringMatching(/cannot be read \(ENOENT\)\.$/) },
    ]);
    await t.write(BETTER);
    expect(await t.tells()).toBe("the policy was read again");
    expect([t.approvers(), t.policy.warnings()]).toEqual([3, []]);
  });

  it("warns in words that name neither the file nor its content, because strangers may read them", async () => {
    await using t = await setup(GOOD);
    await t.write("version: 1\nsecret-plan: yes\n");
    await t.tells();
    expect(t.policy.warnings().join()).not.toMatch(/secret|policy\.yaml/);
  });

  it.each([
    [
      "version: 1\nrulez: []\n",
      /^The policy file .+ \(APPROVAL_POLICY_FILE\) cannot be used: line 2: rulez is not a known field\. Fix it, or leave/,
    ],
    [
      "version: 1\ntiers: { high: { escalate: { after: 50, to: [nobody] } } }\n",
      /names "nobody", which is not a target in the file of webhooks/,
    ],
  ])("ends the service at the start with one sentence if it cannot be used: %j", async (text, sentence) => {
    await expect(setup(text)).rejects.toMatchObject({ name: "Refusal", message: expect.stringMatching(sentence) });
  });

  it("ends the service at the start if it does not exist, or if WRITE_TOOLS is no list of tools", async () => {
    await expect(setup(GOOD, { APPROVAL_POLICY_FILE: "/nowhere/policy.yaml" })).rejects.toThrow(/cannot be read \(ENOENT\)\. Fix it/);
    await expect(setup(GOOD, { WRITE_TOOLS: "issue_refund, Delete!" })).rejects.toThrow(/^WRITE_TOOLS has "Delete!": name tools/);
  });

  it("gets stricter by HITL_MODE and WRITE_TOOLS, also without a file", async () => {
    await using with_ = await setup(GOOD, { HITL_MODE: "required", WRITE_TOOLS: "issue_refund, toolset:web" });
    expect(with_.policy.current().content).toMatchObject({ hitlMode: "required", writeTools: ["issue_refund", "toolset:web"] });
    await using without = await setup(GOOD, { APPROVAL_POLICY_FILE: "" });
    expect(without.policy.current()).toEqual(defaultPolicy());
  });
});
