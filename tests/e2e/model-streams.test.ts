import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import type { ArgumentsDelta, RunEvent, TextDelta, TextReset } from "@toolbus/contracts";
import { chatBrain, type ModelServer } from "@toolbus/model-servers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { call } from "./http-client.ts";
import { serverOf, type Vendor, VENDORS } from "./model-vendors.ts";
import { someRelease } from "./releases.ts";
import { scratch, type Scratch } from "./scratch.ts";

const RELEASE = "v1.5.0";
const ASK = `get_release_summary {"release_id": "${RELEASE}"}`;

type Item = RunEvent | TextDelta | ArgumentsDelta | TextReset;

let files: Scratch;
let api: ReleaseApi;
beforeAll(async () => {
  files = scratch();
  api = await startReleaseApi({
    directory: files.at("release-api"),
    releases: new Map([[RELEASE, someRelease(RELEASE)]]),
    clock: () => 1_700_000_000_000,
    newId: () => "report",
  });
});
afterAll(async () => {
  await api.stop();
  files.remove();
});

describe.each(VENDORS.filter(({ served }) => served !== null))("what a model writes through $name", (vendor) => {
  let server: ModelServer;
  let system: AllInOne;
  beforeAll(async () => {
    ({ server, system } = await started(vendor));
  });
  afterAll(async () => {
    await system.stop();
    await server.close();
    vi.unstubAllEnvs();
  });

  it("is streamed as it comes: text, and the arguments of its call, before the turn that says all of it", async () => {
    const items = await streamed(system, ASK);
    const turn = items.findIndex((item) => item.type === "turn" && item.round === 1);
    const before = items.slice(0, turn);
    expect(before.flatMap((item) => (item.type === "arguments" ? [[item.tool, item.members]] : []))).toEqual([
      ["get_release_summary", { release_id: RELEASE }],
    ]);
    const said = items[turn];
    const text = before.flatMap((item) => (item.type === "delta" && item.round === 1 ? [item.text] : [])).join("");
    expect(said).toMatchObject({ type: "turn", text });
    expect(text).not.toBe("");
  });

  it("is taken back when the stream breaks: a retry, a reset, and the text from its beginning", async () => {
    server.failNext({ kind: "no-end" });
    const items = await streamed(system, ASK);
    const types = items.map(({ type }) => type);
    const retry = types.indexOf("model.retry");
    expect(retry).toBeGreaterThan(0);
    const turn = items.findIndex((item) => item.type === "turn" && item.round === 1);
    const since = items.slice(types.lastIndexOf("reset", turn), turn);
    expect(types.lastIndexOf("reset", turn)).toBeGreaterThan(retry);
    expect(items[turn]).toMatchObject({ text: since.flatMap((item) => (item.type === "delta" ? [item.text] : [])).join("") });
    expect(items.at(-1)).toMatchObject({ type: "run.completed" });
  });
});

async function started(vendor: Vendor): Promise<{ server: ModelServer; system: AllInOne }> {
  const server = await serverOf(vendor);
  if (!server) throw new Error(`${vendor.name} has no server`);
  server.think(chatBrain());
  const env = vendor.env(server);
  // AWS's own chain looks into the environment of the process.
  for (const [name, value] of Object.entries(env)) if (name.startsWith("AWS_")) vi.stubEnv(name, value);
  const directory = files.data();
  const ports = { GATEWAY_PORT: "0", APPROVALS_PORT: "0" };
  return {
    server,
    system: await startAllInOne({
      directory,
      env: { ...env, ...ports, RELEASE_API_URL: api.url, LOG_LEVEL: "silent", MODEL_RETRY_MS: "20" },
    }),
  };
}

/** Says this in a conversation of its own and gives everything that the stream of the answer held. */
async function streamed({ gatewayUrl, keys }: AllInOne, text: string): Promise<readonly Item[]> {
  const { body } = await call(`${gatewayUrl}/v1/conversations`, keys.user, {});
  const { conversationId } = body as { readonly conversationId: string };
  const response = await fetch(`${gatewayUrl}/v1/conversations/${conversationId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.user}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text }),
    signal: AbortSignal.timeout(30_000),
  });
  return (await response.text()).split("\n\n").flatMap((block) => {
    const data = /^data: (.+)$/m.exec(block)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as Item];
  });
}
