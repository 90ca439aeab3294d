import type { RunEvent } from "@toolbus/contracts";

/** The events of a stream in order, as the gateway writes them: fields in lines, an empty line between events, one line of data each. */
export async function* runEvents(stream: Response): AsyncGenerator<RunEvent> {
  if (!stream.ok || !stream.body) throw new Error(`the stream of a run answered ${stream.status}`);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream.body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      // Comment lines only keep the connection open; deltas have no id and are not events of the run's log.
      if (data !== undefined && /^id: /m.test(block)) yield JSON.parse(data) as RunEvent;
    }
  }
}
