import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SECRETS } from "../testing/receiver-under-test.ts";
import { readWebhookPlan } from "./webhook-targets.ts";

const [FIRST = "", SECOND = ""] = SECRETS;
const target = { name: "ops", url: "https://hooks.example.com/a?token=in-the-address", secrets: [FIRST], events: ["run.ended"] };

const mail = {
  name: "team",
  kind: "email",
  host: "mail.example.com",
  user: "toolbus",
  password: "in-the-file",
  from: "toolbus@example.com",
  to: ["ana@example.com", "ben@example.com"],
  events: ["approval.held"],
};
const slack = { name: "chat", kind: "slack", workspace: "T024BE7LD", token: "xoxb-in-the-file", channel: "C024BE91L" };

async function plan(content: unknown, part: object = {}, mode = 0o600) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "webhooks-"));
  const file = path.join(folder, "webhooks.json");
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content), { mode });
  try {
    return await readWebhookPlan({ WEBHOOKS_FILE: file, WEBHOOK_ALLOWED_HOSTS: "", WEBHOOK_RETRIES_S: "5,30", ...part });
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("the file of webhook targets", () => {
  it("says which target gets which events, with one secret or two", async () => {
    const read = await plan({ targets: [{ ...target, secrets: [FIRST, SECOND], tenant: "acme" }] });
    expect(read.targets).toMatchObject([{ name: "ops", tenant: "acme", secrets: [{ length: 32 }, { length: 32 }] }]);
    expect(read.retriesMs).toEqual([5000, 30_000]);
  });

  it("also has people who are told by e-mail, with TLS by default, and channels of Slack, whose messages are always updated at the end", async () => {
    const { targets } = await plan({ targets: [target, mail, { ...mail, name: "old", tls: "implicit" }, slack] });
    expect(targets.map(({ kind }) => kind)).toEqual(["webhook", "email", "email", "slack"]);
    expect(targets[1]).toMatchObject({ port: 587, tls: "starttls", login: { user: "toolbus" }, to: mail.to, allowed: false });
    expect(targets[2]).toMatchObject({ port: 465, tls: "implicit" });
    expect([...(targets[3]?.events ?? [])]).toEqual(["approval.held", "approval.reminder", "approval.ended"]);
    expect(targets[3]).toMatchObject({ apiUrl: new URL("https://slack.com/api/") });
    const inside = { ...mail, host: "10.0.0.9", port: 2525, tls: "none" };
    expect((await plan({ targets: [inside] }, { WEBHOOK_ALLOWED_HOSTS: "10.0.0.9:2525" })).targets).toMatchObject([{ allowed: true }]);
  });

  it("may be left out: then nothing is sent", async () => {
    const none = await readWebhookPlan({ WEBHOOKS_FILE: "", WEBHOOK_ALLOWED_HOSTS: "", WEBHOOK_RETRIES_S: "5" });
    expect(none.targets).toEqual([]);
  });

  it.each([
    [
      "a private address",
      { targets: [{ ...target, url: "https://10.0.0.1/a?token=in-the-address" }] },
      /"ops" .* 10\.0\.0\.1 is not a public/,
    ],
    ["http", { targets: [{ ...target, url: "http://hooks.example.com/?token=in-the-address" }] }, /not https/],
    ["no address", { targets: [{ ...target, url: "in-the-address" }] }, /no address that can be read/],
    ["a short secret", { targets: [{ ...target, secrets: ["whsec_c2VjcmV0"] }] }, /A secret of the target "ops"/],
    ["an unknown event", { targets: [{ ...target, events: ["run.started"] }] }, /breaks its schema/],
    ["two of one name", { targets: [target, target] }, /one name/],
    ["mail to a private address", { targets: [{ ...mail, host: "10.0.0.9" }] }, /"team" .* 10\.0\.0\.9 is not a public/],
    ["mail without TLS", { targets: [{ ...mail, tls: "none" }] }, /"team" .* without TLS/],
    ["mail to a port that is not for mail", { targets: [{ ...mail, port: 6379 }] }, /"team" .* port 6379/],
    ["a user without a password", { targets: [{ ...mail, password: undefined }] }, /only one of user and password/],
    ["an address with a second header", { targets: [{ ...mail, from: "a@example.com\r\nBcc: b@example.com" }] }, /\/targets\/0\/from/],
    ["two addresses in one", { targets: [{ ...mail, to: ["a@example.com,b@example.com"] }] }, /\/targets\/0\/to\/0/],
    ["mail about runs", { targets: [{ ...mail, events: ["run.ended"] }] }, /\/targets\/0\/events\/0/],
    ["a name of a Slack channel", { targets: [{ ...slack, channel: "#ops" }] }, /\/targets\/0\/channel/],
    ["another address of Slack", { targets: [{ ...slack, apiUrl: "http://127.0.0.1:9/?in-the-address" }] }, /"chat" .* not https/],
    ["an unknown kind", { targets: [{ ...target, kind: "pager" }] }, /\/targets\/0\/kind must be one of "webhook", "email", "slack"/],
    ["no JSON", `{"targets": [{"secrets": ["${FIRST}"]}`, /is not JSON: correct it at line 1, column \d+\.$/],
    ["broken JSON", `{"targets": [\n{"secrets": "${FIRST}",}]}`, /is not JSON: correct it at line 2, column \d+\.$/],
    ["a name twice", `{"targets": [], "targets": ["${FIRST}"]}`, /cannot be used: \/targets /],
  ])("is refused for %s, with a sentence and nothing secret", async (_, content, words) => {
    const refused = await plan(content).then(
      () => new Error("it was taken"),
      (error: unknown) => error as Error,
    );
    expect(refused.message).toMatch(words);
    for (const secret of [FIRST, "c2VjcmV0", "in-the-address", "in-the-file"]) expect(refused.message).not.toContain(secret);
  });

  it("is refused if others may read it, and if it is missing", async () => {
    await expect(plan({ targets: [target] }, {}, 0o644)).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringContaining("is open to others"),
    });
    await expect(plan({ targets: [] }, { WEBHOOKS_FILE: "/nowhere/webhooks.json" })).rejects.toThrow(/There is no file of webhook targets/);
  });

  it("stands beside a ladder that can be read", async () => {
    await expect(plan({ targets: [] }, { WEBHOOK_RETRIES_S: "5,soon" })).rejects.toThrow(/WEBHOOK_RETRIES_S/);
    expect((await plan({ targets: [] }, { WEBHOOK_RETRIES_S: "" })).retriesMs).toEqual([]);
  });
});
