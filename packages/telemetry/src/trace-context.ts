/** The trace context in transit: W3C headers of HTTP, or attributes of messages. An invalid context is treated as absent. */
export interface Carrier {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly baggage?: string | undefined;
}

/** The trace context to send. It has only the parts that exist. */
export interface SentContext {
  readonly traceparent: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** A position in a trace. */
export interface TracePoint {
  /** The trace's id, as 32 hex digits. */
  readonly traceId: string;
  /** The span's id, as 16 hex digits. */
  readonly spanId: string;
  readonly sampled: boolean;
  /** The state of other vendors, which is passed on unchanged. */
  readonly tracestate?: string | undefined;
  /** The caller's baggage, which is passed on unchanged and never read. */
  readonly baggage?: string | undefined;
}

/** Reads the trace context of a request or a message. Returns null if it has no valid one. */
export function readCarrier(carrier: Carrier): TracePoint | null {
  const { traceparent, tracestate, baggage } = carrier;
  if (traceparent === undefined) return null;
  // Almost every context is one of ours, and has none of the others' parts.
  if (tracestate === undefined && baggage === undefined) {
    const known = recentPoint(traceparent);
    if (known) return known;
    if (PLAIN.test(traceparent)) return plain(traceparent);
  }
  const [, version, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent) ?? [];
  // Version ff is forbidden. Later versions may have more fields than ours.
  if (version === undefined || version === "ff" || (version === "00" && traceparent.length !== LENGTH)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return {
    traceId,
    spanId,
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
    ...bounded("tracestate", tracestate, TRACESTATE_CHARS),
    ...bounded("baggage", baggage, BAGGAGE_CHARS),
  };
}

/** Returns the context to send with a request or a message that is made at this point. */
export function carrierOf(point: TracePoint): SentContext {
  const { tracestate, baggage } = point;
  if (tracestate === undefined && baggage === undefined) return { traceparent: traceparentOf(point) };
  return {
    traceparent: traceparentOf(point),
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(baggage === undefined ? {} : { baggage }),
  };
}

/** Returns the W3C form of a position in a trace. */
export function traceparentOf({ traceId, spanId, sampled }: TracePoint): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

/** The last contexts that were read, in turn. The publish, the delivery and the handler of a message read the same one. */
const recent: { readonly traceparent: string; readonly point: TracePoint }[] = [];
const MOST_RECENT = 4;
let oldest = 0;

function recentPoint(traceparent: string): TracePoint | undefined {
  for (const each of recent) if (each.traceparent === traceparent) return each.point;
  return undefined;
}

function plain(traceparent: string): TracePoint | null {
  const traceId = traceparent.slice(3, 35);
  const spanId = traceparent.slice(36, 52);
  if (traceId === NO_TRACE || spanId === NO_SPAN) return null;
  const sampled = (Number.parseInt(traceparent.charAt(54), 16) & 1) === 1;
  const point: TracePoint = { traceId, spanId, sampled, tracestate: undefined, baggage: undefined };
  recent[oldest] = { traceparent, point };
  oldest = (oldest + 1) % MOST_RECENT;
  return point;
}

const PLAIN = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const LENGTH = 55;
// Every message of a run contains the tracestate and the baggage of the client's request. These limits bound the size of the messages.
const TRACESTATE_CHARS = 512;
const BAGGAGE_CHARS = 1024;
const VISIBLE_ASCII = /^[\x20-\x7e]+$/;

/** Returns the text, or nothing if it is too long or not visible ASCII. A truncated text would be wrong. */
function bounded(name: "tracestate" | "baggage", text: string | undefined, longest: number): Partial<Carrier> {
  return text !== undefined && text.length <= longest && VISIBLE_ASCII.test(text) ? { [name]: text } : {};
}
