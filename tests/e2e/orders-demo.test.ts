import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { DEMO, type Program, runProgram, startCommand } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

let files: Scratch;
beforeAll(() => {
  files = scratch();
});
afterAll(() => files.remove());

/** Reads from the shop's own database what happened, after every process has ended. */
function happened(data: string) {
  const [run = "", ...others] = readdirSync(data);
  expect(others).toEqual([]);
  const database = new DatabaseSync(path.join(data, run, "shop", "shop.sqlite"), { readOnly: true });
  try {
    const rows = (sql: string): string[] =>
      database
        .prepare(sql)
        .all()
        .map((row) => String(row["what"]));
    return {
      refunds: rows("SELECT order_id || ' ' || amount AS what FROM refunds ORDER BY number"),
      mails: rows("SELECT recipient AS what FROM mails ORDER BY number"),
      tickets: rows("SELECT subject AS what FROM tickets ORDER BY number"),
    };
  } finally {
    database.close();
  }
}

function addressesOf(data: string): string[] {
  const database = new DatabaseSync(path.join(data, readdirSync(data)[0] ?? "", "shop", "shop.sqlite"), { readOnly: true });
  try {
    return database
      .prepare("SELECT street FROM address_changes ORDER BY number")
      .all()
      .map((row) => String(row["street"]));
  } finally {
    database.close();
  }
}

describe("the demo of the shop", () => {
  it("shows every tier, a denial and three lost answers, and each effect is in the shop's database once", async () => {
    const data = files.data();
    const { code, stdout, stderr } = await runProgram(DEMO, ["--orders", "--yes", "--data", data]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(happened(data)).toEqual({
      refunds: ["ORD-8821 3550", "ORD-8821 12000", "ORD-8830 60000", "ORD-8821 6000", "ORD-8822 990"],
      mails: ["warehouse@shop.example"],
      tickets: ["A notebook of ORD-8822 is missing"],
    });
    const table =
      /═══ What Toolbus said[^\n]*\n([^]*?)\n\n/
        .exec(stdout)?.[1]
        ?.split("\n")
        .map((line) => line.trim().split(/ {2,}/)) ?? [];
    expect(table.slice(-9)).toEqual([
      ["issue_refund", "medium", "policy", "ok", "one row: RF-1"],
      ["issue_refund", "high", "approver:local", "ok", "one row: RF-2"],
      ["send_email", "high", "approver:local", "denied", "no row"],
      ["issue_refund", "critical", "approver:local, approver:second", "ok", "one row: RF-3"],
      ["issue_refund", "high", "approver:local", "ok", "one row: RF-4"],
      ["update_address", "high", "approver:local", "ok", "one row: AC-2"],
      ["issue_refund", "medium", "policy", "ok", "one row: RF-5"],
      ["create_support_ticket", "low", "policy", "ok", "one row: TK-1"],
      ["send_email", "medium", "policy", "outcome_unknown", "one row: ML-1, which Toolbus does not claim to know"],
    ]);
    expect(stdout.match(/✂ the shop has stored the effect, and its answer is lost/g)).toHaveLength(3);
    expect(stdout).toMatch(/│ Refund 600 EUR on ORD-8830/);
    // The tool itself says "high" below 1,000 EUR. The policy of the shop is stricter.
    expect(stdout).toMatch(/│ risk       over 500 EUR, by the policy of the shop[^]*│ approvers  at least 1 of the group finance/);
    expect(stdout).toMatch(/"Personal data goes only to the customer's own address." Nothing was done. I am sorry/);
    expect(stdout).toMatch(/"amount" was 90 and is 60/);
    // There are two cards for the address. The first shows the first plan. The second shows the second plan, with the first plan beside it.
    expect(stdout).toMatch(/what changes, by the worker's plan:\s+│ street: "Seestrasse 11" → "Seestrasse 12"/);
    expect(stdout).toMatch(/! The target changed after this was approved[^]*│ street: "Bahnhofplatz 1" → "Seestrasse 12"/);
    expect(addressesOf(data)).toEqual(["Bahnhofplatz 1", "Seestrasse 12"]);
    expect(stdout).toContain("Every call had the effect that Toolbus reported, and no effect happened twice.");
    const [, evidence = "", keys = ""] = / verify (\S+) --keys (\S+)\n/.exec(stdout) ?? [];
    const verified = await runProgram(TOOLBUS, ["verify", evidence, "--keys", keys]);
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("evidence.json is whole.") });
  });

  it("prints one document for a program with --json, also as a command of toolbus", async () => {
    const data = files.data();
    const { code, stdout } = await runProgram(TOOLBUS, ["demo", "--orders", "--yes", "--json", "--data", data]);
    expect(code).toBe(0);
    const document = JSON.parse(stdout) as {
      readonly steps: readonly { readonly answerLost: boolean; readonly calls: readonly object[] }[];
    };
    expect(document).toMatchObject({ faults: [], exitCode: 0, effects: { balances: { "CUS-17": 215.5, "CUS-42": 600 } } });
    expect(document.steps.map(({ answerLost }) => answerLost)).toEqual([false, false, false, false, false, false, false, true, true, true]);
    expect(document.steps[3]).toMatchObject({ calls: [{ tool: "send_email", tier: "high", status: "denied", rows: [] }] });
  });

  it("does not decide for a person who is not there, and starts nothing", async () => {
    const data = files.data();
    const { code, stderr } = await runProgram(DEMO, ["--orders", "--data", data]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "The story asks you to decide at a terminal. Run it in one without --json, or with --yes to let its own people decide.\n",
    });
    expect(readdirSync(path.dirname(data))).not.toContain(path.basename(data));
  });

  it("says in one sentence that its folder cannot be written", async () => {
    const { code, stderr } = await runProgram(DEMO, ["--orders", "--yes", "--data", "/dev/null/x"]);
    expect({ code, lines: stderr.trim().split("\n") }).toEqual({
      code: 1,
      lines: [expect.stringMatching(/^The demo cannot write to \/dev\/null\/x \(ENOTDIR\): .*--data\.$/)],
    });
  });
});

// The test uses `script` of util-linux, which gives the demo a terminal. It is skipped where `script` is another version, because its flags differ.
const hasTerminal =
  process.platform === "linux" && /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

describe.skipIf(!hasTerminal)(`the demo of the shop at a terminal${hasTerminal ? "" : " (skipped: it takes script of util-linux)"}`, () => {
  function atTerminal(data: string): Program {
    const command = [process.execPath, DEMO, "--orders", "--data", data].map((part) => `'${part}'`).join(" ");
    return startCommand("script", ["--quiet", "--flush", "--return", "--command", `exec ${command}`, "/dev/null"], {
      typedTo: true,
      env: { SHELL: "/bin/sh", TERM: "dumb" },
    });
  }
  const asked = (title: string): RegExp => new RegExp(`${title}[^]*approve / deny / revise\\? $`);

  it("does what the person decides, asks two approvers about a critical refund, and proves what happened", async () => {
    const data = files.data();
    await using demo = atTerminal(data);
    await demo.says(asked("3 of 10"));
    demo.type("deny");
    await demo.says(/why\? \(optional\) $/);
    demo.type("Send a new chair instead");
    await demo.says(asked("4 of 10"));
    demo.type("deny");
    await demo.says(/4 of 10[^]*why\? \(optional\) $/);
    demo.type("");
    await demo.says(asked("5 of 10"));
    demo.type("approve");
    await demo.says(/ticket\? \(SHOP-4711\) $/);
    demo.type("OPS-7");
    await demo.says(/The ticket[^]*ticket\? \(SHOP-4711\) $/);
    demo.type("SHOP-4712");
    await demo.says(asked("Approver 2 of 2 sees the same card"));
    demo.type("approve");
    await demo.says(asked("6 of 10"));
    demo.type("approve");
    await demo.says(/change \{"amount":60\}\? Y\/n $/);
    demo.type("what?");
    await demo.says(/Please answer with yes or no\.[^]*change \{"amount":60\}\? Y\/n $/);
    demo.type("");
    await demo.says(asked("7 of 10"));
    demo.type("approve");
    // The customer changed the address after the approval, so the person must decide again.
    await demo.says(/The target changed after this was approved[^]*approve \/ deny \/ revise\? $/);
    demo.type("approve");
    const { code, stdout } = await demo.ended();
    expect(code).toBe(0);
    expect(stdout).toContain("Send a new chair instead");
    expect(happened(data)).toMatchObject({
      refunds: ["ORD-8821 3550", "ORD-8830 60000", "ORD-8821 6000", "ORD-8822 990"],
      mails: ["warehouse@shop.example"],
    });
  });

  it("ends with one sentence when the input ends at a question about a detail", async () => {
    await using demo = atTerminal(files.data());
    await demo.says(asked("3 of 10"));
    demo.type("approve");
    await demo.says(asked("4 of 10"));
    demo.type("approve");
    await demo.says(asked("5 of 10"));
    demo.type("approve");
    await demo.says(/ticket\? \(SHOP-4711\) $/);
    demo.press("\u0004");
    expect(await demo.ended()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("The input ended before the decision. Run the demo in a terminal, or with --yes."),
    });
  });

  it("stops on Ctrl-C at a question, and says how it goes on", async () => {
    const data = files.data();
    await using demo = atTerminal(data);
    await demo.says(asked("3 of 10"));
    demo.press("\u0003");
    const { code, stdout } = await demo.ended();
    expect(code).toBe(130);
    expect(stdout).toContain("Interrupted. The next run of this command tells the story from its beginning.");
  });
});
