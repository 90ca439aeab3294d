import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SECRETS } from "../testing/receiver-under-test.ts";
import { readWebhookPlan } from "./webhook-targets.ts";

const [FIRST = "", SECOND = ""] = SECRETS;
const target = { name: "ops", url: "https://hooks.example.com/a?token=in-the-address", secrets: [FIRST], events: ["run.ended"] };

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
    ["no JSON", `{"targets": [{"secrets": ["${FIRST}"]}`, /is not unambiguous JSON/],
  ])("is refused for %s, with a sentence and nothing secret", async (_, content, words) => {
    const refused = await plan(content).then(
      () => new Error("it was taken"),
      (error: unknown) => error as Error,
    );
    expect(refused.message).toMatch(words);
    for (const secret of [FIRST, "c2VjcmV0", "in-the-address"]) expect(refused.message).not.toContain(secret);
  });

  it("is refused if others may read it, and if it is missing", async () => {
    await expect(plan({ targets: [target] }, {}, 0o644)).rejects.toThrow(/open to others/);
    await expect(plan({ targets: [] }, { WEBHOOKS_FILE: "/nowhere/webhooks.json" })).rejects.toThrow(/There is no file of webhook targets/);
  });

  it("stands beside a ladder that can be read", async () => {
    await expect(plan({ targets: [] }, { WEBHOOK_RETRIES_S: "5,soon" })).rejects.toThrow(/WEBHOOK_RETRIES_S/);
    expect((await plan({ targets: [] }, { WEBHOOK_RETRIES_S: "" })).retriesMs).toEqual([]);
  });
});
