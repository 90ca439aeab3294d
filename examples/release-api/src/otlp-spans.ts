import { fieldsOf, lineOf, listOf } from "@toolbus/release-facts/measurements";

/** One span of OTLP/JSON. Times are in milliseconds, and `start` is since 1970. */
export interface Span {
  readonly traceId: string;
  readonly id: string;
  readonly parent: string;
  readonly service: string;
  readonly name: string;
  readonly start: number;
  readonly ms: number;
  readonly failed: boolean;
  readonly message: string;
}

/** Returns the spans of one document of OTLP/JSON (`resourceSpans`), or what is wrong as the end of a sentence. */
export function spansOf(document: unknown): readonly Span[] | string {
  const resources = listOf(fieldsOf(document)?.["resourceSpans"]);
  if (!resources) return "is JSON, but not OTLP with resourceSpans.";
  const spans: Span[] = [];
  for (const one of resources) {
    const resource = fieldsOf(one);
    const service = serviceOf(fieldsOf(resource?.["resource"])?.["attributes"]);
    for (const scope of listOf(resource?.["scopeSpans"]) ?? []) {
      for (const entry of listOf(fieldsOf(scope)?.["spans"]) ?? []) {
        const span = spanOf(entry, service);
        if (!span)
          return `has an invalid span after ${spans.length} valid ones: ids in hexadecimal, a name and times in nanoseconds are required.`;
        spans.push(span);
      }
    }
  }
  return spans;
}

function spanOf(entry: unknown, service: string): Span | undefined {
  const fields = fieldsOf(entry);
  const { traceId, spanId, parentSpanId = "" } = fields ?? {};
  const name = lineOf(fields?.["name"]);
  const start = millisecondsOf(fields?.["startTimeUnixNano"]);
  const end = millisecondsOf(fields?.["endTimeUnixNano"]);
  if (typeof traceId !== "string" || !/^[0-9a-f]{32}$/i.test(traceId)) return undefined;
  if (typeof spanId !== "string" || !/^[0-9a-f]{16}$/i.test(spanId) || typeof parentSpanId !== "string") return undefined;
  if (name === undefined || start === undefined || end === undefined) return undefined;
  const status = fieldsOf(fields?.["status"]);
  return {
    traceId,
    id: spanId,
    parent: parentSpanId,
    service,
    name,
    start,
    // The clocks of two machines may differ, so an end can be before its start.
    ms: Math.max(0, Math.round((end - start) * 1000) / 1000),
    failed: status?.["code"] === 2 || status?.["code"] === "STATUS_CODE_ERROR",
    message: lineOf(status?.["message"], 300) ?? "",
  };
}

// OTLP/JSON writes 64-bit numbers as text. A double keeps nanoseconds since 1970 to about half a microsecond.
function millisecondsOf(value: unknown): number | undefined {
  const digits = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof digits !== "string" || !/^\d{1,19}$/.test(digits)) return undefined;
  const ms = Number(digits) / 1e6;
  return ms <= 8.64e15 ? ms : undefined;
}

function serviceOf(attributes: unknown): string {
  for (const entry of listOf(attributes) ?? []) {
    const { key, value } = fieldsOf(entry) ?? {};
    if (key === "service.name") return lineOf(fieldsOf(value)?.["stringValue"], 100) ?? "(unnamed)";
  }
  return "(unnamed)";
}
