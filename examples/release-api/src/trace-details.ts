import { paged } from "./paged.ts";
import type { Operation, Trace, Traces } from "./traces.ts";

export interface TraceQuery {
  /** Only operations of this service, and traces that begin in it. */
  readonly service?: string | undefined;
  readonly page: number;
}

/** The answer of `GET /observability-traces`. */
export interface TraceDetails {
  readonly release_id: string;
  /** The totals of the whole file, or null if nobody gave traces. */
  readonly totals: { readonly traces: number; readonly spans: number; readonly errors: number } | null;
  readonly operations: readonly Operation[];
  readonly operations_omitted: number;
  readonly traces: readonly Trace[];
  readonly page: number;
  readonly pages: number;
  readonly missing: readonly string[];
}

const OPERATIONS = 25;

/** Returns one page of the traces, or the number of pages if this page does not exist. */
export function traceDetails(releaseId: string, traces: Traces | undefined, { service, page: wanted }: TraceQuery): TraceDetails | number {
  const isOf = (one: { readonly service: string }) => service === undefined || one.service === service;
  const { page, pages, items } = paged((traces?.traces ?? []).filter(isOf), wanted);
  if (!items) return pages;
  const operations = (traces?.operations ?? []).filter(isOf).slice(0, OPERATIONS);
  return {
    release_id: releaseId,
    totals: traces ? { traces: traces.traces.length, spans: traces.spans, errors: traces.errors } : null,
    operations,
    operations_omitted: (traces?.operations.length ?? 0) - operations.length,
    traces: items,
    page,
    pages,
    missing: traces ? [] : ["Nobody gave traces of this release."],
  };
}
