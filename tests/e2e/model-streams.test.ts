import type { AllInOne } from "@toolbus/all-in-one";
import type { ReleaseApi } from "@toolbus/example-release-api";
import type { ArgumentsDelta, RunEvent, TextDelta, TextReset } from "@toolbus/contracts";
import type { ModelServer } from "@toolbus/model-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "./testing/http-client.ts";
import { ASK, modelSystem, oneRelease, RELEASE } from "./testing/model-system.ts";
import { VENDORS } from "./testing/model-vendors.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

type Item = RunEvent | TextDelta | ArgumentsDelta | TextReset;

let files: Scratch;
let api: ReleaseApi;
beforeAll(async () => {
  files = scratch();
  api = await oneRelease(files.at("release-api"));
});
afterAll(async () => {
  await api.stop();
  files.remove();
});

describe.each(VENDORS.filter(({ served }) => served !== null))("what a model writes through $name", (vendor) => {
  let server: ModelServer;
  let system: AllInOne;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ server, system, stop } = await modelSystem(vendor, {
      directory: files.data(),
      api,
      env: { MODEL_RETRY_MS: "20" },
    }));
  });
  afterAll(() => stop());

  it("is streamed as it arrives: text, and the arguments of its call, before the complete turn", async () => {
    const started = Promise.withResolvers<void>();
    server.failNext({ kind: "held", until: started.promise });
    const items = await streamed(system, ASK, started.resolve);
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

  it("is withdrawn when the stream breaks: a retry, a reset, and the text from its beginning", async () => {
    const started = Promise.withResolvers<void>();
    server.failNext({ kind: "held", until: started.promise, fault: { kind: "no-end" } });
    const items = await streamed(system, ASK, started.resolve);
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

/**
 * Sends this text in a new conversation and returns every event in the stream of the answer. Calls `onStart` when the start of the run is stored. Before
 * that, viewers are shown nothing of what a model writes (decision 0119).
 */
async function streamed({ gatewayUrl, keys }: AllInOne, text: string, onStart: () => void): Promise<readonly Item[]> {
  const { body } = await call(`${gatewayUrl}/v1/conversations`, keys.user, {});
  const { conversationId } = body as { readonly conversationId: string };
  const response = await fetch(`${gatewayUrl}/v1/conversations/${conversationId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.user}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.body) throw new Error("The answer has no body.");
  const items: Item[] = [];
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      const item = JSON.parse(data) as Item;
      items.push(item);
      if (item.type === "run.started") onStart();
    }
  }
  return items;
}
