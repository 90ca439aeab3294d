import {
  type Attributes,
  type Exception,
  type HrTime,
  type Link,
  type Span,
  type SpanContext,
  type SpanKind,
  type SpanStatus,
  SpanStatusCode,
  type TimeInput,
} from "@opentelemetry/api";
import {
  AddAttributeDecision,
  cleanAttributes,
  cleanSimpleAttributes,
  type InstrumentationScope,
  maybeAddAttribute,
  timeInputToHrTime,
} from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan, SpanProcessor, TimedEvent } from "@opentelemetry/sdk-trace";
import { type AttributePairs, attributesOf, haveCommonName, joinedPairs, joinedShared, NO_PAIRS } from "../attribute-pairs.ts";
import type { RecordedSpan } from "../recorder.ts";
import type { TracePoint } from "../trace-context.ts";
import { exceptionAttributes } from "./exception-attributes.ts";
import { spanContext } from "./sdk-spans.ts";

/** What all our spans have in common. */
export interface OwnSpanHome {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly processors: readonly SpanProcessor[];
}

/** The SDK's own limits. */
const LIMITS = { attributeCountLimit: 128, attributeValueLengthLimit: Number.POSITIVE_INFINITY };
const MOST_EVENTS = 128;
const MOST_LINKS = 128;

/**
 * A span of ours. Processors see it as a span of the SDK, and tools that ask OpenTelemetry's API for the active span get it. The SDK's own span checks
 * and copies each attribute, and makes every object at its start. Our attributes are checked already, and most objects are needed only by some
 * exporters.
 */
export class OwnSpan implements RecordedSpan, Span, ReadableSpan {
  readonly point: TracePoint;
  readonly kind: SpanKind;
  readonly parentSpanContext?: SpanContext;
  name: string;
  status: SpanStatus = UNSET;
  links: Link[];
  events: TimedEvent[] = NO_EVENTS;
  ended = false;
  droppedAttributesCount = 0;
  droppedEventsCount = 0;
  droppedLinksCount = 0;
  readonly #home: OwnSpanHome;
  readonly #startedMs = Date.now();
  readonly #startedAt = performance.now();
  #shared: AttributePairs;
  /** The attributes that are not in the shared list. No name is in both. */
  #pairs: AttributePairs;
  /** The attributes as an object, from when somebody asks for it. Then it has all of them. */
  #attributes: Attributes | undefined;
  #context: SpanContext | undefined;
  #endTime: HrTime = [0, 0];

  constructor(
    home: OwnSpanHome,
    name: string,
    kind: SpanKind,
    point: TracePoint,
    parent: TracePoint | null,
    shared: AttributePairs,
    attributes: AttributePairs,
    links: Link[],
  ) {
    this.#home = home;
    this.name = name;
    this.kind = kind;
    this.point = point;
    if (parent) this.parentSpanContext = spanContext(parent);
    this.#shared = shared;
    this.#pairs = attributes;
    this.links = links;
  }

  get recording(): boolean {
    return this.point.sampled && !this.ended;
  }

  get attributes(): Attributes {
    return (this.#attributes ??= attributesOf([...this.#shared, ...this.#pairs]));
  }

  /** Returns the attributes that many spans share, as the one list of all of them. */
  get shared(): AttributePairs {
    return this.#shared;
  }

  /** Returns the other attributes in the form in which we have them. Returns null if an object has replaced this form, which then has all attributes. */
  get pairs(): AttributePairs | null {
    return this.#attributes ? null : this.#pairs;
  }

  get resource(): Resource {
    return this.#home.resource;
  }

  get instrumentationScope(): InstrumentationScope {
    return this.#home.scope;
  }

  get startTime(): HrTime {
    return later(this.#startedMs, 0);
  }

  get endTime(): HrTime {
    return this.#endTime;
  }

  get duration(): HrTime {
    const [start, end] = [this.startTime, this.#endTime];
    const seconds = end[0] - start[0];
    return end[1] < start[1] ? [seconds - 1, end[1] - start[1] + NANOSECONDS] : [seconds, end[1] - start[1]];
  }

  spanContext(): SpanContext {
    return (this.#context ??= spanContext(this.point, false));
  }

  isRecording(): boolean {
    return this.recording;
  }

  rename(name: string): void {
    this.updateName(name);
  }

  share(attributes: AttributePairs): void {
    if (!this.recording) return;
    if (this.#attributes || haveCommonName(attributes, this.#pairs)) this.set(attributes);
    else this.#shared = joinedShared(this.#shared, attributes);
  }

  /** Adds attributes that are redacted already. */
  set(attributes: AttributePairs): void {
    if (!this.recording) return;
    if (this.#attributes) {
      Object.assign(this.#attributes, attributesOf(attributes));
      return;
    }
    if (haveCommonName(this.#shared, attributes)) {
      this.#pairs = joinedPairs(this.#shared, this.#pairs);
      this.#shared = NO_PAIRS;
    }
    this.#pairs = joinedPairs(this.#pairs, attributes);
  }

  /** Adds an event whose attributes are redacted already. */
  event(name: string, attributes: AttributePairs): void {
    this.#add({ name, time: this.#now(), attributes: attributesOf(attributes), droppedAttributesCount: 0 });
  }

  run<T>(work: () => T): T {
    return work();
  }

  fail(): void {
    this.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(endTime?: TimeInput): void {
    if (this.ended) return;
    this.#endTime = endTime === undefined ? this.#now() : timeInputToHrTime(endTime);
    const { recording } = this;
    this.ended = true;
    if (recording) for (const processor of this.#home.processors) processor.onEnd(this);
  }

  setAttribute(key: string, value: Attributes[string]): this {
    if (!this.recording) return this;
    const { attributes } = this;
    const currentAttributesCount = Object.keys(attributes).length;
    const decision = maybeAddAttribute({ key, value, attributes, limits: LIMITS, currentAttributesCount });
    if (decision === AddAttributeDecision.DROP_LIMIT_REACHED) this.droppedAttributesCount++;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const [key, value] of Object.entries(attributes)) this.setAttribute(key, value);
    return this;
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, time?: TimeInput): this {
    const isTime = typeof attributesOrTime === "number" || Array.isArray(attributesOrTime) || attributesOrTime instanceof Date;
    const at = time ?? (isTime ? (attributesOrTime as TimeInput) : undefined);
    const cleaned = cleanSimpleAttributes(isTime ? undefined : attributesOrTime, LIMITS);
    this.#add({ name, time: at === undefined ? this.#now() : timeInputToHrTime(at), ...cleaned });
    return this;
  }

  addLink({ context, attributes }: Link): this {
    if (!this.recording) return this;
    if (this.links.length >= MOST_LINKS) this.droppedLinksCount++;
    this.links = [...this.links.slice(1 - MOST_LINKS), { context, ...cleanAttributes(attributes, LIMITS) }];
    return this;
  }

  addLinks(links: Link[]): this {
    for (const link of links) this.addLink(link);
    return this;
  }

  setStatus(status: SpanStatus): this {
    // A status that is final stays.
    if (!this.recording || status.code === SpanStatusCode.UNSET || this.status.code === SpanStatusCode.OK) return this;
    this.status = status.code === SpanStatusCode.ERROR ? status : { code: status.code };
    return this;
  }

  updateName(name: string): this {
    if (this.recording) this.name = name;
    return this;
  }

  recordException(exception: Exception, time?: TimeInput): void {
    this.addEvent("exception", exceptionAttributes(exception), time);
  }

  #add(event: TimedEvent): void {
    if (!this.recording) return;
    if (this.events.length >= MOST_EVENTS) this.droppedEventsCount++;
    this.events = [...this.events.slice(1 - MOST_EVENTS), event];
  }

  /** Returns the time since the start by the clock that never jumps, on top of the wall clock's time of the start. */
  #now(): HrTime {
    return later(this.#startedMs, performance.now() - this.#startedAt);
  }
}

const UNSET: SpanStatus = { code: SpanStatusCode.UNSET };
const NO_EVENTS: TimedEvent[] = [];
const NANOSECONDS = 1_000_000_000;

function later(wallMs: number, elapsedMs: number): HrTime {
  const nanoseconds = (wallMs % 1000) * 1_000_000 + Math.round(elapsedMs * 1_000_000);
  const seconds = Math.floor(nanoseconds / NANOSECONDS);
  return [Math.floor(wallMs / 1000) + seconds, nanoseconds - seconds * NANOSECONDS];
}
