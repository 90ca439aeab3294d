import type { TranscriptEntry } from "@toolbus/contracts";
import type { WireTools } from "./wire-tools.ts";

/**
 * Returns the names of all called tools in the vendor's form, each once. A request must define these tools, because some vendors refuse calls of
 * undefined tools.
 */
export function calledNames(transcript: readonly TranscriptEntry[], { wireName }: WireTools): readonly string[] {
  return [...new Set(transcript.flatMap((entry) => (entry.type === "assistant" ? entry.calls.map(({ name }) => wireName(name)) : [])))];
}
