import type { Json, JsonObject } from "@toolbus/contracts";
import { isNotWritten } from "./beside-the-product.ts";

/** The facts that the rules read from a release summary. A fact that is null or empty was not reported. */
export interface ReleaseFacts {
  readonly releaseId: string | null;
  readonly version: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** True if the release begins with the history: its end is a commit, and its beginning is none. */
  readonly isWholeHistory: boolean;
  /** The time of the release's newest commit, in milliseconds. */
  readonly madeAt: number | null;
  /** The subjects that the summary lists. */
  readonly changes: readonly string[];
  readonly changeCount: number | null;
  readonly authors: readonly string[];
  /** The areas of the release and its most changed files. */
  readonly paths: readonly string[];
  readonly filesChanged: number | null;
  /** Without the listed lines of lockfiles, docs, generated and vendored files. */
  readonly changedLines: number | null;
  readonly tests: TestFacts | null;
  readonly metrics: MetricFacts | null;
  readonly notes: readonly string[];
  /** The parts in an unexpected form, which the rules treat as unknown. */
  readonly unreadable: readonly string[];
}

export interface TestFacts {
  readonly passed: number | null;
  readonly failed: number;
  readonly skipped: number;
  /** The suite and name of each listed failure. */
  readonly failures: readonly string[];
}

export interface MetricFacts {
  /** The error rate as a share from 0 to 1. */
  readonly errorRate: number | null;
  /** The 95th percentile of the response time, in milliseconds. */
  readonly p95: number | null;
  readonly baseline: { readonly errorRate: number | null; readonly p95: number | null } | null;
}

/**
 * Returns the facts in the content of a `get_release_summary` result, or null if the content is not a JSON object. It never throws, because every
 * part may be absent or malformed.
 */
export function readReleaseFacts(content: string): ReleaseFacts | null {
  const summary = objectIn(content);
  if (!summary) return null;
  const files = object(summary["files"]);
  const tests = readTests(summary["tests"]);
  const changedLines = linesOf(object(summary["size"])) ?? linesOf(files);
  const metrics = readMetrics(summary["deployment_metrics"]);
  return {
    releaseId: text(summary["release_id"]),
    version: text(summary["version"]),
    from: refOf(summary["from"]),
    to: refOf(summary["to"]),
    isWholeHistory: isCommit(summary["to"]) && object(summary["from"]) !== null && !isCommit(summary["from"]),
    madeAt: timeOf(object(summary["to"])?.["committed_at"]),
    changes: texts(summary["changes"], ["subject", "message", "title"]),
    changeCount: count(summary["change_count"]),
    authors: texts(summary["authors"], ["name"]),
    paths: [...texts(summary["areas"], ["area", "path", "name"]), ...texts(files?.["top"] ?? files?.["paths"], ["path", "file", "name"])],
    filesChanged: count(files?.["changed"] ?? files?.["count"]),
    changedLines: changedLines === null ? null : Math.max(0, changedLines - linesNotWritten(summary["areas"], files?.["top"])),
    tests,
    metrics,
    notes: texts(summary["notes"], ["text"]),
    unreadable: [...unread("tests", summary["tests"], tests), ...unread("deployment_metrics", summary["deployment_metrics"], metrics)],
  };
}

function readTests(value: Json | undefined): TestFacts | null {
  const tests = object(value);
  const failed = count(tests?.["failed"]);
  if (!tests || failed === null) return null;
  return {
    passed: count(tests["passed"]),
    failed,
    skipped: count(tests["skipped"]) ?? 0,
    failures: list(tests["failures"]).flatMap(failureName),
  };
}

function failureName(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  const failure = object(value);
  const name = [text(failure?.["suite"]), text(failure?.["name"])].filter((part) => part !== null).join(" › ");
  return name ? [name] : [];
}

function readMetrics(value: Json | undefined): MetricFacts | null {
  const metrics = object(value);
  if (!metrics) return null;
  const errorRate = share(metrics["error_rate"]);
  const p95 = amount(metrics["response_time_p95"]);
  if (errorRate === null && p95 === null) return null;
  const baseline = object(metrics["baseline"]);
  return { errorRate, p95, baseline: baseline && { errorRate: share(baseline["error_rate"]), p95: amount(baseline["response_time_p95"]) } };
}

function unread(name: string, value: Json | undefined, facts: object | null): readonly string[] {
  return value !== undefined && value !== null && !facts ? [name] : [];
}

function linesOf(part: JsonObject | null): number | null {
  const lines = count(part?.["lines"]);
  if (lines !== null) return lines;
  const insertions = count(part?.["insertions"]);
  const deletions = count(part?.["deletions"]);
  return insertions === null && deletions === null ? null : (insertions ?? 0) + (deletions ?? 0);
}

/** Returns the lines of lockfiles, docs, generated and vendored files, as far as the summary lists them by area or by file. */
function linesNotWritten(areas: Json | undefined, top: Json | undefined): number {
  const named = (item: Json): { readonly path: string; readonly lines: number } | null => {
    const path = text(object(item)?.["path"]) ?? text(object(item)?.["area"]);
    return path === null ? null : { path, lines: linesOf(object(item)) ?? 0 };
  };
  const folders = list(areas)
    .flatMap((item) => named(item) ?? [])
    .filter(({ path }) => isNotWritten(`${path}/`));
  const inFolder = (path: string) => folders.some((folder) => path === folder.path || path.startsWith(`${folder.path}/`));
  const files = list(top)
    .flatMap((item) => named(item) ?? [])
    .filter(({ path }) => isNotWritten(path) && !inFolder(path));
  return [...folders, ...files].reduce((sum, { lines }) => sum + lines, 0);
}

/** Returns the name of a ref. A ref is a name, or an object that contains a name. */
function refOf(value: Json | undefined): string | null {
  const ref = object(value);
  return text(ref ? (ref["name"] ?? ref["ref"] ?? ref["commit"]) : value);
}

function isCommit(end: Json | undefined): boolean {
  return text(object(end)?.["commit"]) !== null;
}

function timeOf(value: Json | undefined): number | null {
  const time = Date.parse(text(value) ?? "");
  return Number.isNaN(time) ? null : time;
}

// The maximum number of items that the rules read from a list. A summary lists at most a hundred items of a kind.
const MAX_ITEMS = 1000;

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS) : [];
}

/** Returns the texts of a list. An item is a text, or an object with a text in one of these fields. */
function texts(value: Json | undefined, fields: readonly string[]): readonly string[] {
  return list(value).flatMap((item) => {
    const found = object(item) ? fields.map((field) => text(object(item)?.[field])).find((held) => held !== null) : text(item);
    return found ? [found] : [];
  });
}

function text(value: Json | undefined): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function amount(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function count(value: Json | undefined): number | null {
  return Number.isInteger(value) ? amount(value) : null;
}

function share(value: Json | undefined): number | null {
  const known = amount(value);
  return known !== null && known <= 1 ? known : null;
}

function object(value: Json | undefined): JsonObject | null {
  return isObject(value) ? value : null;
}

/** Returns the object in a JSON text, or null if the text is not an object. */
export function objectIn(content: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(content);
    return object(value);
  } catch {
    return null;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
