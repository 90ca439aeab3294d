import type { TranscriptEntry } from "@toolbus/contracts";
import type { WireTools } from "./wire-tools.ts";

/** The names of all calls as the vendor is told them, each once: some vendors refuse calls of tools that nobody defines. */
export function calledNames(transcript: readonly TranscriptEntry[], { wireName }: WireTools): readonly string[] {
  return [...new Set(transcript.flatMap((entry) => (entry.type === "assistant" ? entry.calls.map(({ name }) => wireName(name)) : [])))];
}
