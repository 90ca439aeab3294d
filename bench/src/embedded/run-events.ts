import type { RunEvent } from "@toolbus/contracts";

/**
 * Yields the events of a stream in order. It expects the gateway's format: each field on its own line, one line of data per event, and an empty line
 * between events.
 */
export async function* runEvents(stream: Response): AsyncGenerator<RunEvent> {
  if (!stream.ok || !stream.body) throw new Error(`the stream of a run answered ${stream.status}`);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream.body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      // Blocks without data are comments, which only keep the connection open. Blocks without an id are deltas, which are not events of the run's
      // log.
      if (data !== undefined && /^id: /m.test(block)) yield JSON.parse(data) as RunEvent;
    }
  }
}
