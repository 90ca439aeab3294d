import type { JsonObject, RunEvent } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { completed, started, turn } from "../testing/agent-under-test.ts";
import { setup } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

describe("GET /v1/runs/{id}/history", () => {
  it("returns the durable events so far, each as in the stream, of an active run and of one that has ended", async () => {
    await using t = await setupRun(started, turn(0));
    expect(await t.history()).toEqual({ runId: t.runId, events: [numbered(started, 1), numbered(turn(0), 2)] });
    await t.agent.say(t.runId, completed);
    const { events } = await t.history();
    const viewer = await t.view("una", t.runId);
    await viewer.ended;
    expect(events).toEqual(viewer.seen.map(({ data }) => data));
  });

  it("returns none for a run that no agent has taken", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    expect((await t.ask("una", `/v1/runs/${runId}/history`)).body).toEqual({ runId, events: [] });
  });

  it("is read page by page, every event once, and the last page has no next", async () => {
    await using t = await setupRun(started, ...turns(33), completed);
    const whole = await t.history();
    expect(whole.events).toHaveLength(35);
    const pages = await t.pages(5);
    expect(pages.flatMap(({ events }) => events)).toEqual(whole.events);
    expect(pages.map(({ next }) => next)).toEqual([5, 10, 15, 20, 25, 30, undefined]);
    expect(await t.history("after=34")).toEqual({ runId: t.runId, events: [numbered(completed, 35)] });
    expect(await t.history("after=35")).toEqual({ runId: t.runId, events: [] });
  });

  it("returns a shorter page if events are long", async () => {
    await using t = await setupRun(started, ...turns(40, "x".repeat(60_000)));
    const pages = await t.pages(200);
    expect(pages.map(({ events }) => events.length)).toEqual([32, 9]);
    expect(pages.flatMap(({ events }) => events.map(({ sequence }) => sequence))).toEqual(Array.from({ length: 41 }, (_, n) => n + 1));
  });

  it.each([
    ["after=3", "This run has no event 3."],
    ["after=-1", "The query breaks its schema."],
    ["limit=0", "The query breaks its schema."],
    ["limit=201", "The query breaks its schema."],
    ["since=1", "The query breaks its schema."],
  ])("refuses ?%s in one sentence", async (query, detail) => {
    await using t = await setupRun(started, turn(0));
    const answer = await t.ask("una", `/v1/runs/${t.runId}/history?${query}`);
    expect(problemOf(answer)).toMatchObject({ status: 400, code: "invalid_request" });
    expect(answer.body["detail"]).toBe(detail);
  });
});

const numbered = (event: RunEvent, sequence: number) => ({ sequence, ...event });
const turns = (count: number, text?: string): RunEvent[] => Array.from({ length: count }, (_, round) => turn(round, text));

interface Page extends JsonObject {
  readonly events: readonly { readonly sequence: number }[];
  readonly next?: number;
}

/** Starts a run of una's in which these events happened. */
async function setupRun(...events: readonly RunEvent[]) {
  const t = await setup();
  const runId = await t.accepted();
  await t.agent.take(runId);
  await t.agent.say(runId, ...events);
  const history = async (query = ""): Promise<Page> => (await t.ask("una", `/v1/runs/${runId}/history?${query}`)).body as Page;
  return {
    ...t,
    runId,
    history,
    async pages(limit: number): Promise<Page[]> {
      const pages = [await history(`limit=${limit}`)];
      for (let next = pages.at(-1)?.next; next !== undefined; next = pages.at(-1)?.next)
        pages.push(await history(`limit=${limit}&after=${next}`));
      return pages;
    },
  };
}
