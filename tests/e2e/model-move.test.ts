import type { ReleaseApi } from "@toolbus/example-release-api";
import { type Asked, chatBrain } from "@toolbus/model-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, follow } from "./testing/http-client.ts";
import { ASK, modelSystem, oneRelease } from "./testing/model-system.ts";
import { type Vendor, VENDORS } from "./testing/model-vendors.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const SERVED = VENDORS.filter(({ served }) => served !== null);

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

describe("a conversation that moves from vendor to vendor", () => {
  it("continues with each of them, and each gets all earlier messages and calls", async () => {
    const directory = files.data();
    let conversationId: string | null = null;
    for (const [n, vendor] of [...SERVED, ...SERVED.slice(0, 1)].entries()) {
      const turn = await talked(vendor, directory, conversationId);
      conversationId = turn.conversationId;
      expect(turn.refused).toEqual([]);
      expect(turn.end).toMatchObject({ type: "run.completed" });
      const { messages } = turn.last;
      // The request has every message so far, and a result after each call, no matter which model made the call.
      expect(messages.filter(({ role }) => role === "user")).toHaveLength(n + 1);
      const calls = messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
      expect(calls.map(({ name }) => name)).toEqual(Array(n + 1).fill("get_release_summary"));
      expect(messages.filter(({ role }) => role === "tool")).toHaveLength(n + 1);
    }
  });
});

/**
 * Starts Toolbus with this vendor's model and sends one message of the conversation. The model answers it after reading the stored earlier messages.
 */
async function talked(vendor: Vendor, directory: string, before: string | null) {
  const { server, system, stop } = await modelSystem(vendor, { directory, api });
  let last: Asked | null = null;
  const think = chatBrain();
  server.think((asked) => think((last = asked)));
  const { gatewayUrl: gateway, keys } = system;
  try {
    const conversationId =
      before ?? ((await call(`${gateway}/v1/conversations`, keys.user, {})).body as { conversationId: string }).conversationId;
    const sent = await call(`${gateway}/v1/conversations/${conversationId}/messages`, keys.user, { text: ASK });
    const { runId } = sent.body as { readonly runId: string };
    const end = (await follow({ gateway, user: keys.user }, runId)).at(-1);
    const refused = server.requests.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
    if (!last) throw new Error("the model was not asked");
    return { conversationId, end, refused, last: last as Asked };
  } finally {
    await stop();
  }
}
