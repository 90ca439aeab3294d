import type { EventCall, Report, Usage } from "@toolbus/contracts";

/** What one run did, in the order in which it did it. Scorers read nothing else, so a run of any host can be scored, live or recorded. */
export interface Observation {
  readonly runId: string;
  readonly end: "completed" | "failed" | "cancelled";
  /** The code of a failed run. */
  readonly code?: string;
  /** The text of the end: the answer of a completed run, or why the run failed. */
  readonly answer: string;
  /** The report of an investigation. Null if the profile writes none, or the run ended before. */
  readonly report: Report | null;
  readonly rounds: readonly ObservedRound[];
  /** The calls in the order in which the model asked for them. Seed calls have round 0. */
  readonly calls: readonly ObservedCall[];
  readonly usage: Usage;
  /** From the accepted message to the end, in milliseconds. */
  readonly elapsedMs: number;
  /** The time in the model and in tools, in milliseconds, without the time in which people decide. */
  readonly activeMs: number;
}

/** One turn of the model. */
export interface ObservedRound {
  readonly round: number;
  readonly provider: string;
  readonly model: string;
  readonly text: string;
  /** The number of times that the call of the model was retried. */
  readonly retries: number;
}

/** One tool call with its approval and its result. */
export interface ObservedCall extends Pick<EventCall, "callId" | "tool" | "kind" | "via"> {
  readonly round: number;
  /** The arguments as JSON text, as the model wrote them. */
  readonly arguments: string;
  /** The status of the result. Absent if the run ended first. */
  readonly status?: string;
  /** The result as the events have it, truncated to 4 KiB. */
  readonly content?: string;
  readonly latencyMs?: number;
  /** True if people had to decide the write. */
  readonly held: boolean;
  /** How the approval ended. Absent for reads, and for writes that nobody had decided when the run ended. */
  readonly decision?: { readonly outcome: string; readonly by: readonly string[] };
}
