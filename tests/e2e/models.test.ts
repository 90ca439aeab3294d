import { readFile } from "node:fs/promises";
import path from "node:path";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import type { MessageView } from "@toolbus/contracts";
import { chatBrain, investigationBrain, type ModelServer } from "@toolbus/model-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { call } from "./testing/http-client.ts";
import { serverOf, type Vendor, vendorsPlayed } from "./testing/model-vendors.ts";
import { type Ended, runProgram, startProgram } from "./testing/program.ts";
import { someRelease } from "./testing/releases.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const RELEASE = "v1.5.0";
const CHAT = `get_release_summary {"release_id": "${RELEASE}"}`;

let files: Scratch;
let apis = 0;
/** The messages that the runs of each vendor left, in neutral form. */
const PLAYED = vendorsPlayed();
const transcripts = new Map<string, { readonly investigation: readonly object[]; readonly chat: readonly object[] }>();

beforeAll(() => {
  files = scratch();
});
afterAll(() => files.remove());

describe("the same investigation and the same chat, from the command line", () => {
  it.each(PLAYED)("run through $name", async (vendor) => {
    const server = await serverOf(vendor);
    const api = await releaseApi();
    try {
      const reported = await bothRuns(vendor, server, api);
      transcripts.set(vendor.name, reported);
      expect(reported.investigation.length).toBeGreaterThan(4);
      // The vendor's stand-in accepted every request.
      expect(server?.requests.filter(({ status }) => status !== 200) ?? []).toEqual([]);
      expect(server?.requests.length ?? 4).toBeGreaterThanOrEqual(4);
    } finally {
      await api.stop();
      await server?.close();
    }
  });

  it("have the same transcript in neutral form, whichever model answered", () => {
    expect([...transcripts.keys()]).toEqual(PLAYED.map(({ name }) => name));
    const [first, ...others] = [...transcripts.values()];
    for (const other of others) expect(other).toEqual(first);
  });
});

async function releaseApi(): Promise<ReleaseApi> {
  let reports = 0;
  return startReleaseApi({
    directory: files.at(`release-api-${++apis}`),
    releases: new Map([[RELEASE, someRelease(RELEASE)]]),
    clock: () => 1_700_000_000_000,
    newId: () => `report-${++reports}`,
  });
}

/** Does what a person does, with Toolbus's own commands: starts Toolbus, investigates, approves and chats. Returns the messages. */
async function bothRuns(vendor: Vendor, server: ModelServer | null, api: ReleaseApi) {
  const data = files.data();
  await using program = startProgram(TOOLBUS, ["start", "--data", data], {
    env: { ...vendor.env(server), GATEWAY_PORT: "0", APPROVALS_PORT: "0", RELEASE_API_URL: api.url },
  });
  const [, gateway = ""] = await program.says(/gateway\s+(http:\S+)/i);
  const [, approvals = ""] = await program.says(/approvals\s+(http:\S+)/i);
  const env = { TOOLBUS_URL: gateway, TOOLBUS_APPROVALS_URL: approvals, DATA_DIR: data };
  const toolbus = async (...args: readonly string[]): Promise<Ended> => {
    const ended = await runProgram(TOOLBUS, args, { env });
    expect(ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining("error") });
    return ended;
  };

  server?.think(investigationBrain());
  const runId = (await toolbus("investigate", RELEASE, "--no-wait")).stdout.trim();
  const waiting = startProgram(TOOLBUS, ["runs", "watch", runId], { env });
  await using watching = waiting;
  const [, approvalId = ""] = await watching.says(/approvals approve (ap_\S+)/);
  await toolbus("approvals", "approve", approvalId, "--yes");
  expect(await watching.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining("report-1") });

  server?.think(chatBrain());
  const said = await toolbus("chat", CHAT, "--json");
  const chat = JSON.parse(said.stdout) as { readonly conversationId: string };
  const key = (await readFile(path.join(data, "keys", "user.key"), "utf8")).trim();
  const run = (await call(`${gateway}/v1/runs/${runId}`, key)).body as { readonly conversationId: string };
  const reported = {
    investigation: await neutral(gateway, key, run.conversationId, vendor),
    chat: await neutral(gateway, key, chat.conversationId, vendor),
  };
  program.kill("SIGINT");
  expect(await program.ended()).toMatchObject({ code: 0 });
  return reported;
}

/** Returns the messages of a conversation without the parts that differ between runs: ids, times, and the model's name. */
async function neutral(gateway: string, key: string, conversationId: string, { provider }: Vendor): Promise<readonly object[]> {
  const { body } = await call(`${gateway}/v1/conversations/${conversationId}/messages?limit=100`, key);
  return (body as { readonly messages: readonly MessageView[] }).messages.map(({ role, content, metadata }) => {
    if (role === "assistant") expect([provider, "toolbus"]).toContain(metadata.provider);
    const calls = metadata.calls?.map(({ name, arguments: text }) => ({ name, arguments: text }));
    return { role, content, round: metadata.round, tool: metadata.tool, status: metadata.status, isError: metadata.isError, calls };
  });
}
