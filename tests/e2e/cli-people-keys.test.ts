import { existsSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf, RELEASE, TOOLBUS, waitingRun } from "./testing/cli-under-test.ts";
import { approve, call } from "./testing/http-client.ts";
import { runProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

/** Services read their key files every 2 s. */
const PATIENCE = { timeout: 15_000, interval: 100 };

describe("the keys of people on a laptop", () => {
  let files: Scratch;
  beforeEach(() => {
    files = scratch();
  });
  afterEach(() => files.remove());
  const keys = (...args: readonly string[]) => runProgram(TOOLBUS, ["keys", "--data", files.at("data"), ...args]);
  const names = async (): Promise<readonly string[]> =>
    JSON.parse((await keys("list", "--json")).stdout).keys.map(({ id }: { readonly id: string }) => id);

  it("are added to the service of their role, and a start keeps them", async () => {
    await keys();
    expect((await keys("add", "bo", "--role", "approver", "--expires", "30d")).code).toBe(0);
    expect((await keys("add", "clerk", "--tools", "release")).code).toBe(0);
    await keys();
    expect(await names()).toEqual(["local-user", "local-operator", "clerk", "local-approver", "bo"]);
    const listed = (await keys("list")).stdout;
    expect(listed).toMatch(/^NAME +ROLE +PRINCIPAL +TENANT +MAY USE +GOOD FOR$/m);
    expect(listed).toMatch(/^bo +approver +bo +local +all tools, scopes approve:\* +29 d$/m);
    expect(listed).toMatch(/^clerk +user +clerk +local +release +always$/m);
    expect((await keys("add", "alertmanager", "--role", "alertmanager", "--expires", "12h")).code).toBe(0);
    expect((await keys("list")).stdout).toMatch(/^alertmanager +alertmanager +alertmanager +local +all tools +11 h/m);
    expect((await keys("add", "dora", "--role", "approver", "--scope", "approve:high")).code).toBe(0);
    expect((await keys("list")).stdout).toMatch(/^dora +approver +dora +local +all tools, scopes approve:high +always$/m);
    expect(listed).not.toContain(readFileSync(files.at("data", "keys", "bo.key"), "utf8").trim());
  });

  it("have one name in both services, because the name is that of their file", async () => {
    await keys();
    await keys("add", "zoe");
    expectRefusal(
      await keys("add", "zoe", "--role", "approver"),
      2,
      /The key "zoe" is already in .*gateway-api-keys\.json: choose another name, or revoke it first with ".*keys revoke zoe"/,
    );
    expect((await keys("revoke", "zoe")).code).toBe(0);
    expect((await keys("add", "zoe", "--role", "approver")).code).toBe(0);
  });

  it("are revoked by name, with the copy on this machine", async () => {
    await keys();
    await keys("add", "bo", "--role", "approver");
    expect(await keys("revoke", "bo")).toMatchObject({ code: 0, stdout: 'The key "bo" is revoked.\n' });
    expect([await names(), existsSync(files.at("data", "keys", "bo.key"))]).toEqual([
      ["local-user", "local-operator", "local-approver"],
      false,
    ]);
    expectRefusal(await keys("revoke", "bo"), 5, /There is no key "bo" in /);
    expectRefusal(
      await keys("revoke", "local-approver"),
      2,
      /is made at each start: to replace it, stop Toolbus, delete .*approver\.key and start again/,
    );
  });

  it("are reported as missing if nothing was started", async () => {
    expectRefusal(
      await keys("list"),
      2,
      /There is no .*gateway-api-keys\.json and no .*approvals-api-keys\.json: name a hash file with --to/,
    );
    expectRefusal(
      await keys("add", "bo", "--role", "approver"),
      2,
      /There is no .*approvals-api-keys\.json: start Toolbus here first, or name the hash file/,
    );
  });
});

describe("a running service", () => {
  let cli: CliUnderTest;
  beforeAll(async () => {
    cli = await cliUnderTest();
  });
  afterAll(() => cli.stop());

  it("lets an added person decide, and nobody who is revoked, without a restart", async () => {
    const { approvalId } = await waitingRun(cli);
    const made = await jsonOf(cli, ["keys", "add", "bo", "--role", "approver", "--show"]);
    const look = async (): Promise<number> => (await call(`${cli.approvals}/v1/approvals/${approvalId}`, String(made["key"]))).status;
    await expect.poll(look, PATIENCE).toBe(200);
    await approve({ ...cli, approver: String(made["key"]) }, approvalId);
    expect((await cli.run(["keys", "revoke", "bo"])).code).toBe(0);
    // The answer is 429 if too many unknown callers asked in this minute.
    await expect.poll(look, PATIENCE).toBeOneOf([401, 429]);
  });

  it("lets an Alertmanager start investigations with its own key, and do nothing else, until that key is revoked", async () => {
    const key = String((await jsonOf(cli, ["keys", "add", "alertmanager", "--role", "alertmanager", "--show"]))["key"]);
    const labels = { alertname: "HighErrorRate", service: "checkout-api", release: RELEASE };
    const alert = { status: "firing", labels, annotations: {}, startsAt: "2026-11-21T09:00:00.103Z", fingerprint: "c5a1f1d4e2b39a60" };
    const message = { version: "4", groupKey: '{}:{alertname="HighErrorRate"}', truncatedAlerts: 0, receiver: "toolbus", alerts: [alert] };
    const send = (bearer: string) => call(`${cli.gateway}/v1/triggers/alertmanager`, bearer, message);
    await expect.poll(async () => (await send(key)).status, PATIENCE).toBe(202);
    const { body } = await send(key);
    expect(body).toMatchObject({ alerts: [{ fingerprint: alert.fingerprint, outcome: "repeated" }] });
    const [{ runId = "" } = {}] = (body as { readonly alerts: readonly { readonly runId?: string }[] }).alerts;
    const runs = async () => (await jsonOf(cli, ["runs", "list", "--requester", "alertmanager"]))["runs"];
    await expect
      .poll(runs, PATIENCE)
      .toMatchObject([{ runId, requester: "alertmanager", status: "done", report: { subject: "HighErrorRate" } }]);
    for (const route of [`/v1/runs/${runId}`, "/v1/runs", "/v1/conversations", "/v1/tools"])
      expect({ route, status: (await call(cli.gateway + route, key)).status }).toEqual({ route, status: 403 });
    for (const route of ["/v1/investigations", "/v1/triggers/release", "/v1/conversations"])
      expect({ route, status: (await call(cli.gateway + route, key, { releaseId: RELEASE })).status }).toEqual({ route, status: 403 });
    expect((await call(`${cli.approvals}/v1/approvals`, key)).status).toBeOneOf([401, 429]);
    expect((await send(cli.user)).status).toBe(403);
    expect((await cli.run(["keys", "revoke", "alertmanager"])).code).toBe(0);
    await expect.poll(async () => (await send(key)).status, PATIENCE).toBeOneOf([401, 429]);
  });
});
