import { describe, expect, it } from "vitest";
import { runEvents } from "./run-events.ts";

const TEXT =
  ': ping\n\nretry: 1000\n\nid: r:1\nevent: turn\ndata: {"type":"turn","text":"ü"}\n\nevent: delta\ndata: {"type":"delta"}\n\nid: r:2\nevent: run.completed\ndata: {"type":"run.completed"}\n\n';

describe("the events of a run", () => {
  it.each([1, 7, 1000])("arrive in order from chunks of %d bytes, without comments and deltas", async (size) => {
    const bytes = new TextEncoder().encode(TEXT);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
    const events = await all(runEvents(new Response(ReadableStream.from(chunks))));
    expect(events).toEqual([{ type: "turn", text: "ü" }, { type: "run.completed" }]);
  });

  it("are refused if the stream was not opened", async () => {
    await expect(all(runEvents(new Response("no", { status: 401 })))).rejects.toThrow("answered 401");
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
