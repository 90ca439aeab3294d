import { isRunEnd, type RunEvent, type ToolList } from "@toolbus/contracts";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import type { Asked, ModelServer } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import { type Behaviour, breakableReleaseApi } from "./testing/breakable-release-api.ts";
import { call, follow } from "./testing/http-client.ts";
import { serverOf, VENDORS } from "./testing/model-vendors.ts";
import { scratch } from "./testing/scratch.ts";

const SUMMARY = 'get_release_summary {"release_id": "v1.5.0"}';
/** Five calls in one turn are as many failures as open the breaker. */
const FIVE = Array.from({ length: 5 }, (_, n) => `get_release_summary {"release_id": "v1.${n}.0"}`).join(" ");
const GUIDES = "list_tool_guides {}";
const NOT_RUN = expect.stringMatching(
  /^"get_release_summary" was not run, because its dependency "release-api" fails\. It is tried again in \d+ s\.$/,
);
const PATIENCE = { timeout: 20_000, interval: 50 };

/** Starts a Toolbus in this process, whose clock of breakers a test can move on. */
async function setup() {
  await using begun = new AsyncDisposableStack();
  const files = scratch();
  begun.defer(() => files.remove());
  const api = await breakableReleaseApi();
  begun.defer(() => api.stop());
  const model = await modelServer();
  begun.defer(() => model.server.close());
  let later = 0;
  const system: AllInOne = await startAllInOne({
    directory: files.at("data"),
    env: {
      ...model.env,
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      LOG_LEVEL: "silent",
      RELEASE_API_URL: api.url,
      TOOLSETS: "release,operations,guides",
    },
    wrap: (built) => ({ ...built, monotonic: () => built.monotonic() + later }),
  });
  begun.defer(async () => void (await system.stop()));
  const requester = { gateway: system.gatewayUrl, user: system.keys.user };
  const open = begun.move();
  return {
    api,
    pass: (ms: number) => void (later += ms),
    /** Sends a message in a new conversation, and returns how its calls ended. */
    async calls(text: string): Promise<readonly Extract<RunEvent, { type: "call.resolved" }>[]> {
      const { gateway, user } = requester;
      const { conversationId } = (await call(`${gateway}/v1/conversations`, user, {})).body as { readonly conversationId: string };
      const { body } = await call(`${gateway}/v1/conversations/${conversationId}/messages`, user, { text });
      const events = await follow(requester, (body as { readonly runId: string }).runId, isRunEnd);
      expect(events.at(-1)?.type).toBe("run.completed");
      return events.flatMap((event) => (event.type === "call.resolved" ? [event] : []));
    },
    async availability(): Promise<string> {
      const { body } = await call(`${requester.gateway}/v1/tools`, requester.user);
      const tool = (body as ToolList).tools.find(({ name }) => name === "get_release_summary");
      return `${tool?.availability} ${tool?.unavailable?.reason ?? ""}`.trim();
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function modelServer(): Promise<{ readonly server: ModelServer; readonly env: Readonly<Record<string, string>> }> {
  const vendor = VENDORS.find(({ name }) => name === "compatible");
  const server = vendor && (await serverOf(vendor));
  if (!vendor || !server) throw new Error("There is no compatible vendor.");
  server.think(obedient);
  return { server, env: vendor.env(server) };
}

/** Makes the calls of the last message, one turn after another, even if a tool is not offered. " THEN " separates the turns. */
function obedient({ messages }: Asked) {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const asked = messages[last];
  const turns = asked?.role === "user" ? asked.text.split(" THEN ") : [];
  const turn = turns[messages.slice(last).filter(({ role }) => role === "assistant").length];
  if (turn === undefined) return { text: "Done." };
  return {
    calls: [...turn.matchAll(/(\w+) (\{[^}]*\})/g)].map(([, name = "", args = ""]) => ({ name, arguments: JSON.parse(args) })),
  };
}

describe.each<Behaviour>(["refuses", "hangs", "answers 500"])("a release API that %s", (behaviour) => {
  it("is left alone, its runs are told at once, other toolsets go on, and it is used again by itself when it works", async () => {
    await using system = await setup();
    const { api, calls, availability, pass } = system;
    expect(await calls(SUMMARY)).toMatchObject([{ status: "ok" }]);

    await api.become(behaviour);
    const failed = await calls(`${FIVE} THEN ${SUMMARY} ${GUIDES}`);
    for (const { status } of failed.slice(0, 5)) expect(["error", "timeout"]).toContain(status);

    // The breaker is open. The same run is told so by the worker, and its call of another toolset works.
    expect(failed.slice(5)).toMatchObject([{ status: "error" }, { status: "ok" }]);
    expect(JSON.parse(failed[5]?.content ?? "")).toMatchObject({ error: "unavailable", retryable: true, message: NOT_RUN });
    expect(failed[5]?.latencyMs).toBeLessThan(2000);

    // New runs are told so, too, and the API hears nothing of any of them.
    const before = api.asked();
    await expect.poll(availability, PATIENCE).toMatch(/^unavailable ./);
    expect(await calls(`${SUMMARY} ${GUIDES}`)).toMatchObject([
      { status: "error", content: expect.stringContaining("cannot be used") },
      { status: "ok" },
    ]);
    expect(api.asked()).toBe(before);

    await api.become("works");
    pass(60_000);
    await expect.poll(availability, PATIENCE).toBe("ready");
    expect(await calls(SUMMARY)).toMatchObject([{ status: "ok" }]);
  });
});
