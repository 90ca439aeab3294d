import { type AttributePairs, attributesOf, haveCommonName, joinedPairs, NO_PAIRS, pairsOf, sharedPairs } from "./attribute-pairs.ts";
import { attributeNames } from "./names.ts";
import { type Attributes, type RecordedSpan, recorder, type SpanKind } from "./recorder.ts";
import { redactText } from "./redact.ts";
import { type Scope, scopes } from "./scope.ts";
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
  /** Attributes that many spans have in common. Spans that get the same object share the work of redacting and encoding it, so nobody may change it. */
  readonly shared?: Attributes;
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
  /** True if the span is marked as failed. */
  readonly failed: boolean;
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

/**
 * Runs work as the span of the delivery that is being handled. The span gets another name and more attributes, and an error marks it as failed. If no
 * delivery's span is active, the work runs in a span of its own. So a message with one purpose needs one span and not two that begin and end together.
 */
export function withDeliverySpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const active = deliverySpan();
  return active ? active.become(name, options, work) : withSpan(name, options, work);
}

/** Returns whether the span of a delivery is active, so that what the delivery causes at once can belong to this span. */
export function isInDeliverySpan(): boolean {
  return deliverySpan() !== null;
}

/** Starts a span. While telemetry is off, the span only passes its parent's trace on. */
export function openSpan(name: string, options: SpanOptions): OpenSpan {
  const active = scopes.getStore();
  const { spans } = recorder();
  if (!spans && !options.parent) return NOTHING;
  const { parent, links, from } = placeOf(options.parent, active);
  if (!spans) return parent === (active?.point ?? null) ? NOTHING : passing(bare(parent, active));
  const inherited = joined(from?.inherited ?? NO_PAIRS, options.inherited);
  const own = options.attributes ? pairsOf(options.attributes, inherited) : inherited;
  const common = options.shared ? sharedPairs(options.shared) : NO_PAIRS;
  const [shared, attributes] = haveCommonName(common, own) ? [NO_PAIRS, joinedPairs(common, own)] : [common, own];
  const received = options.parent?.how === "received";
  const recorded = spans.start(safeName(name), { kind: options.kind ?? "internal", shared, attributes, parent, received, links });
  return new RunningSpan(recorded, inherited, active?.foreign, options.kind === "consumer");
}

function deliverySpan(): RunningSpan | null {
  const active = scopes.getStore();
  return active instanceof RunningSpan && active.isDelivery ? active : null;
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
  return attributesOf(scopes.getStore()?.inherited ?? NO_PAIRS);
}

/** Adds an event to the active span, if there is one. */
export function spanEvent(name: string, attributes: Attributes): void {
  scopes.getStore()?.recorded?.event(name, pairsOf(attributes));
}

/** Runs work in the trace of a message, without creating a span. */
export function withinReceived<T>(carrier: Carrier, work: () => T): T {
  const point = readCarrier(carrier);
  const active = scopes.getStore();
  return point || active ? scopes.run(bare(point, active), work) : work();
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

const NOTHING: OpenSpan = { recording: false, failed: false, set: ignore, event: ignore, fail: ignore, end: ignore, run: (work) => work() };

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

/** Returns the scope of work in a trace, without a span. */
function bare(point: TracePoint | null, active: Scope | undefined): Scope {
  return { point, inherited: NO_PAIRS, recorded: undefined, foreign: active?.foreign, context: undefined };
}

/** A recorded span, which is also the scope of its work. It is a class, because an object with a closure per method costs more than the span itself. */
class RunningSpan implements OpenSpan, Scope {
  readonly point: TracePoint;
  readonly inherited: AttributePairs;
  readonly recorded: RecordedSpan;
  readonly foreign: object | undefined;
  context: object | undefined = undefined;
  failed = false;
  readonly isDelivery: boolean;

  constructor(recorded: RecordedSpan, inherited: AttributePairs, foreign: object | undefined, isDelivery: boolean) {
    this.point = recorded.point;
    this.inherited = inherited;
    this.recorded = recorded;
    this.foreign = foreign;
    this.isDelivery = isDelivery;
  }

  async become<T>(name: string, { shared, attributes }: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    this.recorded.rename(safeName(name));
    if (shared) this.recorded.share(sharedPairs(shared));
    if (attributes) this.set(attributes);
    try {
      return await work(this);
    } catch (error) {
      this.fail(errorType(error));
      throw error;
    }
  }

  get recording(): boolean {
    return this.recorded.recording;
  }

  set(attributes: Attributes): void {
    this.recorded.set(pairsOf(attributes));
  }

  event(name: string, attributes: Attributes = {}): void {
    this.recorded.event(name, pairsOf(attributes));
  }

  fail(type: string): void {
    this.failed = true;
    this.recorded.set(pairsOf({ [attributeNames.errorType]: type }));
    this.recorded.fail();
  }

  run<T>(work: () => T): T {
    return scopes.run(this, () => this.recorded.run(work));
  }

  end(): void {
    this.recorded.end();
  }
}

/** Returns the name of a span, redacted. There are few names, and most of them come as the same text again. */
function safeName(name: string): string {
  let safe = names.get(name);
  if (safe === undefined) {
    safe = redactText(name);
    if (names.size < MOST_NAMES) names.set(name, safe);
  }
  return safe;
}

const names = new Map<string, string>();
const MOST_NAMES = 1000;

function joined(outer: AttributePairs, own: Attributes | undefined): AttributePairs {
  return own ? joinedPairs(outer, sharedPairs(own)) : outer;
}
