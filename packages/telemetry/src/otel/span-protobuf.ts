import type { Attributes, AttributeValue, Link, SpanContext, SpanStatus } from "@opentelemetry/api";
import type { InstrumentationScope } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { type AttributePairs, NO_PAIRS } from "../attribute-pairs.ts";
import { keyValueBytes } from "./key-value-bytes.ts";
import {
  beginMessage,
  endMessage,
  makeRoom,
  protobufSink,
  type ProtobufSink,
  writeBytes,
  writeFixed32,
  writeHex,
  writeText,
  writeTime,
  writeVarint,
} from "./protobuf-sink.ts";

/** The spans of one scope and one resource, in OTLP's protobuf. */
export interface SpansBytes {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** The spans, each with the tag of the field that repeats them. */
  readonly spans: ProtobufSink;
}

/** A span that has its attributes as pairs as long as nobody asks for an object. */
interface HasPairs {
  readonly shared: AttributePairs;
  readonly pairs: AttributePairs | null;
}

const { writeKeyValue } = keyValueBytes();

/**
 * Writes a span as it is in the request. The bytes are those of the SDK's own serializer, which walks over each span twice and encodes each text
 * twice. The values of attributes that recur are encoded once per process.
 */
export function writeSpan(to: ProtobufSink, span: ReadableSpan & Partial<HasPairs>): void {
  const { parentSpanContext, kind, pairs, events, links } = span;
  const own = span.spanContext();
  makeRoom(to, FIXED_BYTES);
  to.bytes[to.at++] = tag(2, 2);
  const start = beginMessage(to);
  writeIds(to, own);
  const state = own.traceState?.serialize();
  if (state) {
    to.bytes[to.at++] = tag(3, 2);
    writeText(to, state);
    makeRoom(to, FIXED_BYTES);
  }
  if (parentSpanContext?.spanId) {
    to.bytes[to.at++] = tag(4, 2);
    writeHex(to, parentSpanContext.spanId);
  }
  to.bytes[to.at++] = tag(5, 2);
  writeText(to, span.name);
  makeRoom(to, FIXED_BYTES);
  to.bytes[to.at++] = tag(6, 0);
  writeVarint(to, kind + 1);
  to.bytes[to.at++] = tag(7, 1);
  writeTime(to, span.startTime);
  to.bytes[to.at++] = tag(8, 1);
  writeTime(to, span.endTime);
  if (pairs) {
    writeShared(to, span.shared ?? NO_PAIRS);
    writePairs(to, pairs, tag(9, 2));
  } else writeAttributes(to, span.attributes, tag(9, 2));
  makeRoom(to, FIXED_BYTES);
  writeCount(to, tag(10, 0), span.droppedAttributesCount);
  for (const event of events) writeEvent(to, event);
  makeRoom(to, FIXED_BYTES);
  writeCount(to, tag(12, 0), span.droppedEventsCount);
  for (const link of links) writeLink(to, link);
  makeRoom(to, FIXED_BYTES);
  writeCount(to, tag(14, 0), span.droppedLinksCount);
  writeStatus(to, span.status);
  makeRoom(to, FIXED_BYTES);
  writeFlags(to, 16, own.traceFlags, parentSpanContext?.isRemote);
  endMessage(to, start);
}

/** Returns the body of a request for these spans. */
export function exportRequest(all: readonly SpansBytes[]): Uint8Array {
  return Buffer.concat(all.flatMap(({ resource, scope, spans }) => inResource(resource, inScope(scope, spans))));
}

/** The most bytes that the fixed parts of a span take between two texts. */
const FIXED_BYTES = 96;

function tag(field: number, type: number): number {
  return (field << 3) | type;
}

function writeIds(to: ProtobufSink, { traceId, spanId }: SpanContext): void {
  to.bytes[to.at++] = tag(1, 2);
  writeHex(to, traceId);
  to.bytes[to.at++] = tag(2, 2);
  writeHex(to, spanId);
}

function writeCount(to: ProtobufSink, fieldTag: number, count: number): void {
  to.bytes[to.at++] = fieldTag;
  writeVarint(to, count);
}

function writeAttributes(to: ProtobufSink, attributes: Attributes, fieldTag: number): void {
  for (const key in attributes) writeKeyValue(to, fieldTag, key, attributes[key] as AttributeValue);
}

function writePairs(to: ProtobufSink, pairs: AttributePairs, fieldTag: number): void {
  for (let at = 0; at < pairs.length; at += 2) writeKeyValue(to, fieldTag, pairs[at] as string, pairs[at + 1] as AttributeValue);
}

/** Writes attributes that many spans share. Their bytes are kept as long as the list. */
function writeShared(to: ProtobufSink, shared: AttributePairs): void {
  if (shared.length === 0) return;
  let bytes = bytesOfShared.get(shared);
  if (!bytes) {
    // A copy, because the buffer is much larger.
    bytes = Uint8Array.from(written((sink) => writePairs(sink, shared, tag(9, 2))));
    bytesOfShared.set(shared, bytes);
  }
  writeBytes(to, bytes);
}

const bytesOfShared = new WeakMap<AttributePairs, Uint8Array>();

function writeEvent(to: ProtobufSink, { name, time, attributes, droppedAttributesCount }: ReadableSpan["events"][number]): void {
  makeRoom(to, FIXED_BYTES);
  to.bytes[to.at++] = tag(11, 2);
  const start = beginMessage(to);
  to.bytes[to.at++] = tag(1, 1);
  writeTime(to, time);
  to.bytes[to.at++] = tag(2, 2);
  writeText(to, name);
  if (attributes) writeAttributes(to, attributes, tag(3, 2));
  makeRoom(to, FIXED_BYTES);
  writeCount(to, tag(4, 0), droppedAttributesCount ?? 0);
  endMessage(to, start);
}

function writeLink(to: ProtobufSink, { context, attributes, droppedAttributesCount }: Link): void {
  makeRoom(to, FIXED_BYTES);
  to.bytes[to.at++] = tag(13, 2);
  const start = beginMessage(to);
  writeIds(to, context);
  const state = context.traceState?.serialize();
  if (state) {
    to.bytes[to.at++] = tag(3, 2);
    writeText(to, state);
  }
  if (attributes) writeAttributes(to, attributes, tag(4, 2));
  makeRoom(to, FIXED_BYTES);
  writeCount(to, tag(5, 0), droppedAttributesCount ?? 0);
  writeFlags(to, 6, context.traceFlags, context.isRemote);
  endMessage(to, start);
}

function writeStatus(to: ProtobufSink, { code, message }: SpanStatus): void {
  to.bytes[to.at++] = tag(15, 2);
  const start = beginMessage(to);
  if (message) {
    to.bytes[to.at++] = tag(2, 2);
    writeText(to, message);
  }
  makeRoom(to, FIXED_BYTES);
  to.bytes[to.at++] = tag(3, 0);
  writeVarint(to, code);
  endMessage(to, start);
}

/** The flags say whether the context came from another process. The first bit says that the second is known. */
function writeFlags(to: ProtobufSink, field: number, traceFlags: number, isRemote: boolean | undefined): void {
  writeVarint(to, tag(field, 5));
  writeFixed32(to, (traceFlags & 0xff) | 0x100 | (isRemote ? 0x200 : 0));
}

function inScope(scope: InstrumentationScope, spans: ProtobufSink): readonly Uint8Array[] {
  const about = written((to) => {
    to.bytes[to.at++] = tag(1, 2);
    const start = beginMessage(to);
    to.bytes[to.at++] = tag(1, 2);
    writeText(to, scope.name);
    makeRoom(to, FIXED_BYTES);
    if (scope.version) {
      to.bytes[to.at++] = tag(2, 2);
      writeText(to, scope.version);
    }
    endMessage(to, start);
  });
  return asField(2, [about, spans.bytes.subarray(0, spans.at), schema(scope.schemaUrl)]);
}

function inResource(resource: Resource, scoped: readonly Uint8Array[]): readonly Uint8Array[] {
  const about = written((to) => {
    to.bytes[to.at++] = tag(1, 2);
    const start = beginMessage(to);
    writeAttributes(to, resource.attributes, tag(1, 2));
    makeRoom(to, FIXED_BYTES);
    writeCount(to, tag(2, 0), 0);
    endMessage(to, start);
  });
  return asField(1, [about, ...scoped, schema(resource.schemaUrl)]);
}

function schema(url: string | undefined): Uint8Array {
  return written((to) => {
    if (!url) return;
    to.bytes[to.at++] = tag(3, 2);
    writeText(to, url);
  });
}

/** Returns the parts as one field of the message around them. */
function asField(field: number, parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const head = written((to) => {
    to.bytes[to.at++] = tag(field, 2);
    writeVarint(
      to,
      parts.reduce((sum, part) => sum + part.length, 0),
    );
  });
  return [head, ...parts];
}

function written(write: (to: ProtobufSink) => void): Uint8Array {
  const to = protobufSink();
  write(to);
  return to.bytes.subarray(0, to.at);
}
