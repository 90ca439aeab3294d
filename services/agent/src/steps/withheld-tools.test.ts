import { HOME_SHARD, type Json, keys, type Registration } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { asks, RUN } from "../testing/test-bundle.ts";
import { readerUnderTest } from "../testing/test-reader.ts";
import { acquire } from "../transitions/acquire.ts";
import { commitTurn } from "../transitions/turn.ts";
import { takeEntry } from "../incoming/inbox.ts";
import { withheldTools } from "./withheld-tools.ts";

const HOUR_MS = 3_600_000;

describe("a call of a tool that exists and that the run was not offered", () => {
  it("ends with the reason of the tool's own worker, if that says that the tool cannot be used", async () => {
    await using s = await setup();
    await s.register({ unavailable: { since: 1, reason: "The release API does not answer." } });
    expect(await s.called()).toMatchObject({
      status: "error",
      error: { code: "unavailable", message: '"look" cannot be used now: The release API does not answer.' },
    });
  });

  it("ends with since when nobody serves it, if its workers are gone", async () => {
    await using s = await setup();
    const at = s.b.monotonic();
    await s.register({ leftAt: at });
    s.b.advance(2 * HOUR_MS);
    expect(await s.called()).toMatchObject({
      error: {
        code: "no_worker",
        message: `"look" cannot be used: no worker of "test" has been alive since ${new Date(at).toISOString()}.`,
      },
    });
  });

  it("ends as unknown, if the run's profile does not name it, or if it can be used by now", async () => {
    await using s = await setup({ tools: ["change"] });
    await s.register({ unavailable: { since: 1, reason: "The release API does not answer." } });
    expect(await s.called()).toMatchObject({ error: { code: "tool_not_found" } });
    await using other = await setup();
    expect(await other.called()).toMatchObject({ error: { code: "tool_not_found" } });
  });
});

async function setup(profile: { readonly tools?: readonly string[] } = {}) {
  const s = await readerUnderTest([], undefined, profile);
  const { b, reader } = s;
  const key = keys.registration("test", "look", "1");
  return {
    ...s,
    /** Changes what the tool's workers say about it. */
    async register(part: Partial<Registration>): Promise<void> {
      const { documents } = await b.state.read([key]);
      const value = { ...(documents[0]?.value as unknown as Registration), ...part } as unknown as Json;
      await b.state.commit(HOME_SHARD, {
        op: `now:${JSON.stringify(part)}`,
        guards: [{ key, version: documents[0]?.version ?? 0 }],
        put: [{ key, value }],
      });
    },
    /** Returns the result of a call that the model makes to a tool that the run was not offered. */
    async called() {
      await takeEntry(reader, RUN, RUN);
      const got = acquire(await b.snapshot(), { by: "wake", redelivered: false }, b.rules);
      if (got.kind !== "acquired") throw new Error(got.kind);
      await b.commit(got.change);
      const calls = [asks("look")];
      const snapshot = await b.snapshot();
      const run = snapshot.run.value;
      const withheld = await withheldTools(reader.toolOffers, { run, profile: b.rules.profile(run.profile), calls, tools: new Map() });
      const turn = {
        provider: "test",
        model: "test",
        text: "",
        calls,
        seed: false,
        truncated: false,
        usage: { inputTokens: 1, outputTokens: 1 },
      };
      await b.commit(commitTurn({ snapshot, epoch: got.run.epoch, turn, tools: new Map(), withheld }, b.rules));
      return (await b.call(0)).result;
    },
  };
}
