import { keys, type LiveEvent } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { liveText } from "./live-text.ts";
import { bundle, RUN } from "../testing/test-bundle.ts";

async function shown(
  write: (live: ReturnType<typeof liveText>) => void | Promise<void>,
  begun: Promise<boolean> | null = null,
): Promise<readonly LiveEvent[]> {
  const b = bundle();
  await b.start();
  const live = liveText(b.state, (await b.snapshot()).run.value, begun);
  await write(live);
  await live.end();
  return (await b.state.recent(keys.live(RUN))) as unknown as readonly LiveEvent[];
}

describe("what a model writes", () => {
  it("is shown as it arrives: text in batches, arguments member by member with their call", async () => {
    const events = await shown((live) => {
      live.add("Let me ");
      live.add("see.");
      live.addArguments({ index: 0, name: "look", text: '{"n": 3, "wh' });
      live.addArguments({ index: 1, name: "change", text: '{"to": "x"}' });
      live.addArguments({ index: 0, name: "look", text: 'ere": "here"}' });
    });
    expect(events.flatMap((event) => (event.type === "arguments" ? [[event.index, event.tool, event.members]] : []))).toEqual([
      [0, "look", { n: 3 }],
      [1, "change", { to: "x" }],
      [0, "look", { where: "here" }],
    ]);
    expect(events.flatMap((event) => (event.type === "delta" ? [event.text] : [])).join("")).toBe("Let me see.");
  });

  it("hides what looks like a credential in arguments before anybody sees it", async () => {
    const events = await shown((live) => {
      live.addArguments({ index: 0, name: "login", text: '{"user":"ada","key":"sk-01234567' });
      live.addArguments({ index: 0, name: "login", text: '89abcdefghij"}' });
    });
    expect(events).toHaveLength(2);
    expect(JSON.stringify(events)).not.toContain("0123456789abcdef");
    expect(JSON.stringify(events)).toContain("ada");
  });

  it("is shown only from the moment at which the beginning of its step is stored", async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const write = (live: ReturnType<typeof liveText>, text: string): void => live.addArguments({ index: 0, name: "look", text });
    const say = (live: ReturnType<typeof liveText>): void => write(live, '{"n": 3}');
    const stored = await shown(async (live) => {
      write(live, '{"n": 3, "m');
      resolve(true);
      await promise;
      write(live, '": 4}');
    }, promise);
    expect(stored).toMatchObject([{ members: { n: 3 } }, { members: { m: 4 } }]);
    expect(await shown(say, new Promise(() => undefined))).toEqual([]);
    expect(await shown(say, Promise.resolve(false))).toEqual([]);
  });

  it("is truncated if it is long: the turn has all of it", async () => {
    const [event] = await shown((live) => live.addArguments({ index: 0, name: "write", text: `{"page":"${"x".repeat(40_000)}"}` }));
    expect(JSON.stringify(event).length).toBeLessThan(5000);
  });
});
