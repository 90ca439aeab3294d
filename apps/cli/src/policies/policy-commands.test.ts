import { mkdtempDisposable, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../toolbus/program.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";

const refund = {
  name: "issue_refund",
  version: "1",
  description: "Pays money back.",
  parameters: { type: "object", required: ["amount"], properties: { amount: { type: "number" } } },
  kind: "write",
  risk: { tier: "medium" },
  idempotency: { mode: "none" },
  timeoutMs: 1000,
  source: "orders",
};
const POLICY = `version: 1
rules:
  - name: big
    tools: [issue_refund]
    when: { properties: { amount: { exclusiveMinimum: 50 } } }
    tier: high
    reason: a refund above 50
    needs: { groups: { finance: 1, ops: 1 }, expires: 4h }
`;

async function setup() {
  const folder = await mkdtempDisposable(path.join(os.tmpdir(), "policy-cli-"));
  const file = async (name: string, content: string): Promise<string> => {
    const full = path.join(folder.path, name);
    await writeFile(full, content);
    return full;
  };
  return {
    policy: await file("policy.yaml", POLICY),
    definition: await file("refund.json", JSON.stringify(refund)),
    file,
    async run(...words: readonly string[]) {
      const { around, said } = surroundingsUnderTest();
      const code = await runCommandLine(["policy", ...words], around);
      return { code, ...said() };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe("policy check", () => {
  it("prints the version of a good file", async () => {
    await using t = await setup();
    expect(await t.run("check", t.policy)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^The policy can be used\. It has 1 rule\.\nVersion sha256-/),
    });
    expect(JSON.parse((await t.run("check", t.policy, "--json")).out)).toEqual({
      ok: true,
      version: expect.stringMatching(/^sha256-/),
      rules: ["big"],
    });
  });

  it("prints every fault with its line and exits with 1", async () => {
    await using t = await setup();
    const bad = await t.file("bad.yaml", "version: 1\nrulez: 1\ntiers: { high: { expires: 9d } }\n");
    expect(await t.run("check", bad)).toMatchObject({ code: 1, out: `${bad}:2: rulez is not a known field\n` });
    const { code, out } = await t.run("check", bad, "--json");
    expect([code, JSON.parse(out)]).toEqual([1, { ok: false, faults: [{ line: 2, message: "rulez is not a known field" }] }]);
  });

  it("needs a file that exists", async () => {
    await using t = await setup();
    await expect(t.run("check", "/nowhere.yaml")).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(/ENOENT/) });
  });
});

describe("policy explain", () => {
  it("shows what is demanded of a call", async () => {
    await using t = await setup();
    const call = ["--tool", "issue_refund", "--definition", t.definition, "--at", "2026-06-05T15:00:00Z"] as const;
    const { out } = await t.run("explain", t.policy, ...call, "--args", '{"amount":80}');
    expect(out.split("\n").map((line) => line.trimEnd())).toEqual([
      "tool        issue_refund of the toolset orders",
      expect.stringMatching(/^policy {6}sha256-/),
      "rules       big",
      "tier        high, raised from medium",
      "because     a refund above 50",
      "decided by  2 people with the scope approve:high or approve:*",
      "of a group  1 of finance",
      "of a group  1 of ops",
      "until       2026-06-05 19:00 UTC",
      "reminder    2026-06-05 17:00 UTC",
      "",
    ]);
    expect(JSON.parse((await t.run("explain", t.policy, ...call, "--args", '{"amount":20}', "--json")).out)).toMatchObject({
      tier: "medium",
      tierWithoutPolicy: "medium",
      decidedBy: "policy",
      approversNeeded: 0,
      rules: [],
    });
  });

  it.each([
    [["--args", "{"], 2, /JSON/],
    [["--args", '{"amount":"many"}'], 2, /^The arguments break the schema of "issue_refund": \/amount/],
    [["--args", '{"amount":1}', "--at", "soon"], 2, /^--at needs a time/],
    [["--args", '{"amount":1}', "--tool", "other"], 2, /is of the tool "issue_refund", not "other"/],
  ])("refuses %j", async (more, exitCode, message) => {
    await using t = await setup();
    const run = t.run("explain", t.policy, "--tool", "issue_refund", "--definition", t.definition, ...more);
    await expect(run).rejects.toMatchObject({ exitCode, message: expect.stringMatching(message) });
  });

  it("refuses a policy that cannot be used, and a definition that is none", async () => {
    await using t = await setup();
    const call = ["--tool", "issue_refund", "--args", '{"amount":1}'] as const;
    const bad = await t.file("bad.yaml", "version: 2\n");
    await expect(t.run("explain", bad, ...call, "--definition", t.definition)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/line 1/),
    });
    await expect(t.run("explain", t.policy, ...call, "--definition", t.policy)).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe("policy diff", () => {
  it("marks what gets looser", async () => {
    await using t = await setup();
    const after = await t.file("after.yaml", POLICY.replace("tier: high", "tier: medium").replace("4h", "2h"));
    const { code, out, err } = await t.run("diff", t.policy, after);
    expect([code, out]).toEqual([
      0,
      'rules.big.tier (looser)\n  - "high"\n  + "medium"\nrules.big.needs.expires (stricter)\n  - "4h"\n  + "2h"\n',
    ]);
    expect(err).toMatch(/^1 change lets? writes through with less than before\.$/m);
    expect(JSON.parse((await t.run("diff", t.policy, t.policy, "--json")).out)).toMatchObject({ changes: [] });
  });
});
