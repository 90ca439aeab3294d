import { AsyncLocalStorage } from "node:async_hooks";
import type { AttributePairs } from "./attribute-pairs.ts";
import type { RecordedSpan } from "./recorder.ts";
import type { TracePoint } from "./trace-context.ts";

/** What belongs to the running code: its position in a trace, and what its spans inherit. */
export interface Scope {
  readonly point: TracePoint | null;
  /** The attributes of all spans beneath. They are already redacted. */
  readonly inherited: AttributePairs;
  readonly recorded: RecordedSpan | undefined;
  /** The context that another user of OpenTelemetry's API has made active, here or further out. */
  readonly foreign: object | undefined;
  /** The context that OpenTelemetry's API has here. It is made when somebody asks for it. */
  context: object | undefined;
}

/** The scope of the running code. It is the only storage of this kind, because entering one copies all of them. */
export const scopes = new AsyncLocalStorage<Scope>();
