import { isRunEnd, type RunEnd, type RunEvent, type TextDelta, type TextReset } from "@toolbus/contracts";
import { pause } from "@toolbus/runtime";
import { createParser } from "eventsource-parser";
import { Answered, type Client } from "./http.ts";

export type StreamItem = (RunEvent & { readonly sequence: number }) | TextDelta | TextReset;

/** Follows a run to its end: when the connection breaks it comes back with the last event's id and misses nothing. */
export async function watchRun(gateway: Client, runId: string, onItem: (item: StreamItem) => void, signal: AbortSignal): Promise<RunEnd> {
  let lastId = "";
  while (!signal.aborted) {
    try {
      const end = await readStream();
      if (end) return end;
    } catch (error) {
      if (error instanceof Answered && error.status < 500) throw error;
      if (signal.aborted) break;
    }
    await pause(300, signal);
  }
  throw signal.reason;

  async function readStream(): Promise<RunEnd | null> {
    const headers = { accept: "text/event-stream", ...(lastId === "" ? {} : { "last-event-id": lastId }) };
    const response = await gateway.open(`/v1/runs/${runId}/events`, headers, signal);
    let end: RunEnd | null = null;
    const parser = createParser({
      onEvent(event) {
        if (event.event === "bye") return;
        if (event.id) lastId = event.id;
        const item = JSON.parse(event.data) as StreamItem;
        onItem(item);
        if (isRunEnd(item)) end = item;
      },
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (end) return end;
    }
    return end;
  }
}
