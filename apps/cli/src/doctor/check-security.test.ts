import { readFileSync } from "node:fs";
import path from "node:path";
import { SECURITY_KINDS } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { client } from "../http/client.ts";
import { sendJson, serverUnderTest } from "../testing/server-under-test.ts";
import { checkSecurity, KINDS_PAGE } from "./check-security.ts";

const NOW = 1_000_000;
const ROOT = path.resolve(import.meta.dirname, "../../../..");

describe("doctor, checking the security events", () => {
  it.each([
    ["ledger_forged", "/agents/default", { recordedBy: "worker.release" }, "reported by worker.release"],
    ["ledger_unknown_key", "agent", { recordedBy: "agent", toolset: "release" }, "reported by agent"],
  ])("names the service that reported %s, and the likely cause", async (kind, by, details, parties) => {
    expect(await checked({ kind, by, details })).toEqual({
      name: "security",
      level: "warn",
      message: `2 events within a day; the newest 1 min ago: ${kind}, ${parties}.`,
      fix: `Probably a worker of release signs with a key that is not of its toolset: check its RECEIPT_KEY_FILE. ${PAGE}`,
    });
  });

  it("names the sender of a refused message as well as the service that reported it", async () => {
    const details = { recordedBy: "worker.release", why: "signature" };
    expect(await checked({ kind: "grant_refused", by: "/agents/default", details })).toMatchObject({
      message: expect.stringContaining("grant_refused, signature, reported by worker.release, in a message of /agents/default.") as string,
      fix: PAGE,
    });
  });

  it("names who caused an event that approvals recorded", async () => {
    expect(await checked({ kind: "self_approval", by: "approver:ann", approvalId: "ap_1" })).toMatchObject({
      message: expect.stringContaining("self_approval, by approver:ann, ap_1.") as string,
      fix: PAGE,
    });
  });

  it("names a page whose table has every kind that a service can record, and no other kind", () => {
    const page = readFileSync(path.join(ROOT, KINDS_PAGE.file), "utf8");
    const [, section = ""] = page.split(`### ${KINDS_PAGE.heading}\n`);
    const rows = section.split(/^#/m)[0]?.matchAll(/^\| (`[^|]+) \|/gm) ?? [];
    const kinds = [...rows].flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, kind]) => kind));
    expect(new Set(kinds)).toEqual(SECURITY_KINDS);
    expect(kinds).toHaveLength(SECURITY_KINDS.size);
  });
});

const PAGE = 'docs/approvals.md, "Kinds of security events", says what each kind means; GET /v1/security of approvals lists them.';

async function checked(event: object) {
  const events = [{ shard: "00", at: NOW - 61_000, ...event }];
  await using server = await serverUnderTest((_request, response) => sendJson(response, { since: 0, count: 2, events }));
  return await checkSecurity(client({ url: server.url, service: "approvals", key: null }), NOW);
}
