import { readFileSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf, waitingRun } from "./testing/cli-under-test.ts";
import { approve } from "./testing/http-client.ts";

let cli: CliUnderTest;
let written: { readonly runId: string; readonly approvalId: string };
beforeAll(async () => {
  cli = await cliUnderTest();
  written = await waitingRun(cli);
  await approve(cli, written.approvalId);
  await cli.run(["runs", "watch", written.runId]);
});
afterAll(() => cli.stop());

const callOf = (approvalId: string): string => approvalId.slice("ap_".length);

describe("toolbus evidence", () => {
  it("writes one file about a write that happened, and verify finds everything in it whole without a server", async () => {
    const file = cli.files.at("evidence.json");
    const made = await cli.run(["evidence", callOf(written.approvalId), "--out", file]);
    expect(made).toMatchObject({ code: 0, stdout: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const env = { TOOLBUS_URL: "http://127.0.0.1:9", TOOLBUS_APPROVALS_URL: "http://127.0.0.1:9" };
    const checked = await cli.run(["verify", file], { env });
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    expect(checked.stdout).toMatch(/ok +The gateway signed who asked/);
    expect(checked.stdout).toMatch(/ok +The audit has every decision and the outcome/);
    expect(checked.stdout).toMatch(/ok +A worker of the toolset signed the receipt/);
    expect(checked.stdout).toMatch(/keys +The file itself gave 1 key/);
    expect(checked.stdout).toMatch(/evidence\.json is whole\.\n$/);
  });

  it("is checked under keys that the reader trusts, which approvals publishes", async () => {
    const file = cli.files.at("trusted.json");
    await cli.run(["evidence", written.approvalId, "--out", file]);
    const jwks = cli.files.file("jwks.json", await (await fetch(`${cli.approvals}/.well-known/jwks.json`)).text());
    expect(await jsonOf(cli, ["verify", file, "--keys", jwks])).toMatchObject({ whole: true, keysFromFile: [] });
    const other = JSON.parse(readFileSync(jwks, "utf8")) as { readonly keys: readonly { x: string }[] };
    expectRefusal(
      await cli.run(["verify", file, "--keys", cli.files.file("none.json", '{"keys":[]}')]),
      2,
      /has no Ed25519 key of approvals/,
    );
    const forged = { keys: other.keys.map((key) => ({ ...key, x: `A${key.x.slice(1)}` })) };
    expectRefusal(
      await cli.run(["verify", file, "--keys", cli.files.file("forged.json", JSON.stringify(forged))]),
      2,
      /does not have the id of its bytes/,
    );
  });

  it("names the broken link of a changed file, and ends with 1", async () => {
    const { stdout } = await cli.run(["evidence", written.approvalId]);
    const changed = cli.files.file("changed.json", stdout.replace('"status":"approved"', '"status":"rejected"'));
    const { code, stdout: said } = await cli.run(["verify", changed]);
    expect(code).toBe(1);
    expect(said).toMatch(/^broken +The statement of approvals is not genuine: the part was changed after it was signed\.$/m);
    const { code: again, stdout: json } = await cli.run(["verify", changed, "--json"]);
    expect([again, JSON.parse(json)]).toMatchObject([1, { whole: false, broken: expect.stringMatching(/changed after it was signed/) }]);
  });

  it("does not overwrite a file, and says what is wrong with a call or a file that does not exist", async () => {
    const file = cli.files.file("taken.json", "mine");
    expectRefusal(await cli.run(["evidence", written.approvalId, "--out", file]), 1, /taken\.json exists: choose another name/);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expectRefusal(await cli.run(["evidence", "nonsense"]), 2, /is not the id of a call/);
    expectRefusal(await cli.run(["evidence", `${written.runId}.7.7`]), 5, /no approval of \S+\.7\.7: only a write that asked for one/);
    expectRefusal(await cli.run(["verify", cli.files.at("nowhere.json")]), 2, /cannot be read \(ENOENT\)/);
  });
});

describe("toolbus audit", () => {
  it("lists the newest records first, and filters them", async () => {
    const { code, stdout } = await cli.run(["audit", "list", "--approval", written.approvalId]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^N +TIME +EVENT +BY +TOOL/);
    expect(
      stdout
        .split("\n")
        .slice(1, 4)
        .map((line) => line.split(/ {2,}/)[2]),
    ).toEqual(["approved", "decision", "held"]);
    const { records } = (await jsonOf(cli, ["audit", "list", "--event", "held"])) as unknown as { readonly records: readonly object[] };
    expect(records).toMatchObject([{ record: { event: "held", approvalId: written.approvalId } }]);
    expect((await cli.run(["audit", "list", "--event", "nothing"])).stderr).toMatch(/No records match/);
    expect((await cli.run(["audit", "list", "--chain", "system"])).stdout).toMatch(/pinned/);
  });

  it("exports the chain, and verify names a record that was changed, removed or cut off", async () => {
    const file = cli.files.at("audit.jsonl");
    expect(await cli.run(["audit", "export", file])).toMatchObject({ code: 0, stdout: "" });
    expect((await cli.run(["verify", file])).stdout).toMatch(/ok +Records 1 to \d+ are one chain.*\n/);
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(cli.files.at("removed.jsonl"), lines.toSpliced(1, 1).join("\n"));
    expect(await cli.run(["verify", cli.files.at("removed.jsonl")])).toMatchObject({ code: 1 });
    const kept = cli.files.file("kept.json", (await cli.run(["audit", "checkpoint"])).stdout);
    expect(await jsonOf(cli, ["verify", file, "--checkpoint", kept])).toMatchObject({ whole: true });
    // Only the header and the first record with its checkpoint are left.
    const end = lines.findIndex((line) => line.startsWith('{"checkpoint"'));
    writeFileSync(cli.files.at("cut.jsonl"), `${lines.slice(0, end + 1).join("\n")}\n`);
    const cut = await cli.run(["verify", cli.files.at("cut.jsonl"), "--checkpoint", kept]);
    expect(cut.stdout).toMatch(/of the kept checkpoint is missing: records at the end were removed|is whole/);
    expect(await cli.run(["verify", cli.files.at("cut.jsonl")])).toMatchObject({ code: 0 });
  });

  it("exports a CSV file with the records, the checkpoints and the keys", async () => {
    const file = cli.files.at("audit.csv");
    expect(await jsonOf(cli, ["audit", "export", file, "--format", "csv"])).toMatchObject({ format: "csv" });
    const rows = readFileSync(file, "utf8").trimEnd().split("\r\n");
    expect(rows[0]).toMatch(/^type,n,at,tenant,previous,content,hash,/);
    expect(new Set(rows.slice(1).map((row) => row.split(",")[0]))).toEqual(new Set(["key", "record", "checkpoint"]));
    expect(await cli.run(["verify", file])).toMatchObject({ code: 1 });
  });
});

describe("toolbus approvals insights", () => {
  it("shows how long writes waited and how they ended, by tool and approver", async () => {
    const { code, stdout } = await cli.run(["approvals", "insights"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^TOOL +ENDED +APPROVED +DENIED +EXPIRED +BY POLICY +WAIT P50 +WAIT P95\nfile_risk_report +1 +100 % +0 % +0 % +0 +/,
    );
    expect(stdout).toMatch(/\nAPPROVER .*\napprover:local +1 +100 %/);
    const insights = await jsonOf(cli, ["approvals", "insights", "--since", "1h"]);
    expect(insights).toMatchObject({ byTool: [{ name: "file_risk_report", ended: 1, approved: 1, denied: 0 }] });
  });
});
