import { AsyncLocalStorage } from "node:async_hooks";
import { attributeNames } from "./names.ts";
import { type Attributes, type RecordedSpan, recorder, type SpanKind } from "./recorder.ts";
import { redactText } from "./redact.ts";
import { type Carrier, carrierOf, readCarrier, type SentContext, type TracePoint, traceparentOf } from "./trace-context.ts";

/**
 * The parent of a span:
 * - `received`: the parent is in the request or the message. The active span of the delivering code is ignored.
 * - `continued`: the parent is the stored span, and the new span has a link to the active one.
 * - `made`: the parent is the active span, if it belongs to the stored trace or nothing was stored. Otherwise `made` means the same as `continued`.
 */
export interface Parent {
  readonly how: "received" | "continued" | "made";
  readonly carrier: Carrier;
}

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** The attributes of this span and of all spans beneath it in this process. */
  readonly inherited?: Attributes;
  /** The parent, which is the active span by default. */
  readonly parent?: Parent;
}

/** A running span. It records nothing while telemetry is off, or if the trace is not sampled. */
export interface Span {
  /** False if attributes would be recorded nowhere, so that expensive ones need not be computed. */
  readonly recording: boolean;
  set(attributes: Attributes): void;
  event(name: string, attributes?: Attributes): void;
  /** Marks the span as failed, with a code or a class of errors. An error's message must not be used. */
  fail(errorType: string): void;
}

/** A span that its owner ends. */
export interface OpenSpan extends Span {
  /** Runs work as part of this span. */
  run<T>(work: () => T): T;
  end(): void;
}

/** Runs work within a span and ends the span after it. An error marks the span as failed and is rethrown. */
export async function withSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const span = openSpan(name, options);
  if (span === NOTHING) return work(NOTHING);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Starts a span. While telemetry is off, the span only passes its parent's trace on. */
export function openSpan(name: string, options: SpanOptions): OpenSpan {
  const active = scopes.getStore();
  const { spans } = recorder();
  if (!spans && !options.parent) return NOTHING;
  const { parent, links, from } = placeOf(options.parent, active);
  if (!spans) return parent === (active?.point ?? null) ? NOTHING : passing({ point: parent, inherited: NO_ATTRIBUTES });
  const inherited: Attributes = { ...from?.inherited, ...options.inherited };
  const attributes = clean({ ...inherited, ...options.attributes });
  const received = options.parent?.how === "received";
  const recorded = spans.start(redactText(name), { kind: options.kind ?? "internal", attributes, parent, received, links });
  // The state of other vendors and the caller's baggage are passed on.
  const point: TracePoint = { ...recorded.point, baggage: parent?.baggage };
  return recordedSpan(recorded, { point, inherited, recorded });
}

/** Returns the trace context to store or send with an object that is made now. Returns undefined outside every trace. */
export function currentCarrier(): SentContext | undefined {
  const point = currentPoint();
  return point ? carrierOf(point) : undefined;
}

/** Returns `currentCarrier().traceparent`, the part of a trace context that a document stores. */
export function currentTraceparent(): string | undefined {
  const point = currentPoint();
  return point ? traceparentOf(point) : undefined;
}

/** Returns the current position in a trace, or null outside every trace. */
export function currentPoint(): TracePoint | null {
  return scopes.getStore()?.point ?? null;
}

/** Returns the attributes that spans inherit here, which say whose work this is. */
export function currentInherited(): Attributes {
  return scopes.getStore()?.inherited ?? NO_ATTRIBUTES;
}

/** Adds an event to the active span, if there is one. */
export function spanEvent(name: string, attributes: Attributes): void {
  scopes.getStore()?.recorded?.event(name, clean(attributes));
}

/** Runs work in the trace of a message, without creating a span. */
export function withinReceived<T>(carrier: Carrier, work: () => T): T {
  const point = readCarrier(carrier);
  if (!point && !scopes.getStore()) return work();
  return scopes.run({ point, inherited: NO_ATTRIBUTES }, work);
}

/** Returns true while spans are recorded. */
export function spansAreOn(): boolean {
  return recorder().spans !== null;
}

/** Returns a code or a class for `error.type`. It never returns the message, which may quote anything. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return CODE.test(code) ? code : "Error";
}

const CODE = /^[\w.-]{1,64}$/;

interface Scope {
  readonly point: TracePoint | null;
  readonly inherited: Attributes;
  readonly recorded?: RecordedSpan;
}

const scopes = new AsyncLocalStorage<Scope>();
const NO_ATTRIBUTES: Attributes = {};

const NOTHING: OpenSpan = { recording: false, set: ignore, event: ignore, fail: ignore, end: ignore, run: (work) => work() };

function ignore(): void {}

function placeOf(
  parent: Parent | undefined,
  active: Scope | undefined,
): { readonly parent: TracePoint | null; readonly links: readonly TracePoint[]; readonly from: Scope | undefined } {
  const here = active?.point ?? null;
  if (!parent) return { parent: here, links: [], from: active };
  const stored = readCarrier(parent.carrier);
  if (parent.how === "received") return { parent: stored, links: [], from: undefined };
  if (!stored || (parent.how === "made" && here?.traceId === stored.traceId)) return { parent: here ?? stored, links: [], from: active };
  return { parent: stored, links: here && here.spanId !== stored.spanId ? [here] : [], from: active };
}

function passing(scope: Scope): OpenSpan {
  return { ...NOTHING, run: (work) => scopes.run(scope, work) };
}

function recordedSpan(recorded: RecordedSpan, scope: Scope): OpenSpan {
  let failed: string | undefined;
  return {
    recording: recorded.recording,
    set: (attributes) => recorded.set(clean(attributes)),
    event: (name, attributes = NO_ATTRIBUTES) => recorded.event(name, clean(attributes)),
    fail(type) {
      failed = type;
      recorded.set(clean({ [attributeNames.errorType]: type }));
    },
    run: (work) => scopes.run(scope, () => recorded.run(work)),
    end: () => recorded.end(failed),
  };
}

const LONGEST_VALUE = 512;

/** Returns the attributes, redacted and truncated. An attribute is a name, an id or a figure, and never a content. */
function clean(attributes: Attributes): Attributes {
  const kept: Record<string, Attributes[string]> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    if (typeof value === "string") kept[name] = cleanText(value);
    else kept[name] = typeof value === "object" ? value.map(cleanText) : value;
  }
  return kept;
}

function cleanText(text: string): string {
  return redactText(text.slice(0, LONGEST_VALUE * 2)).slice(0, LONGEST_VALUE);
}
