import { createHash, createHmac } from "node:crypto";
import { access, chmod, link, open, readFile, rm, writeFile } from "node:fs/promises";
import type { JsonlFiles } from "./jsonl-files.ts";
import { TelemetryRefused } from "./refused.ts";

/** The facts about one tool call for the audit. They never include arguments or results. */
export interface ToolCallRecord {
  readonly runId: string;
  readonly conversationId: string;
  readonly callId: string;
  readonly round: number;
  readonly tool: string;
  readonly toolVersion: string;
  readonly kind: string;
  readonly status: string;
  /** The reason for a failure, for the log. The audit only contains the status. */
  readonly code?: string | undefined;
  readonly latencyMs: number;
  /** The plain hash of the arguments. The audit contains a keyed hash of this one. */
  readonly argsHash: string;
  readonly provider: string;
  readonly traceId: string | null;
  /** The usage of the models that the tool itself called, as its worker reported it. */
  readonly model?: ToolModelUse | undefined;
  /** The time in milliseconds since 1970. */
  readonly at: number;
}

/** The usage of models by one tool call. The cost is in millionths of a US dollar. */
export interface ToolModelUse {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicroUsd?: number;
}

/** The fields of a line in the audit file. */
export interface AuditLine {
  readonly request_id: string;
  readonly conversation_id: string;
  readonly call_id: string;
  readonly round: number;
  readonly tool_name: string;
  readonly tool_version: string;
  readonly kind: string;
  readonly status: string;
  readonly latency_ms: number;
  readonly args_hash: string;
  readonly provider: string;
  readonly trace_id: string | null;
  readonly at: string;
}

export interface ToolAudit {
  append(record: ToolCallRecord): void;
}

/**
 * Opens the audit of tool calls, an append-only file with one JSON line per call. Each line has a keyed hash of the arguments. A reader sees which
 * arguments are equal, but only an owner of the key can check a guess. Throws `TelemetryRefused` if the file or its key cannot be used.
 */
export async function openToolAudit(
  files: JsonlFiles,
  options: { readonly file: string; readonly keyFile: string; readonly newKey: () => string },
): Promise<ToolAudit> {
  const { file, keyFile } = options;
  await usable(file);
  const key = await auditKey(keyFile, options.newKey);
  return { append: (record) => files.append(file, JSON.stringify(lineOf(record, key))) };
}

function lineOf(record: ToolCallRecord, key: string): AuditLine {
  return {
    request_id: record.runId,
    conversation_id: record.conversationId,
    call_id: record.callId,
    round: record.round,
    tool_name: record.tool,
    tool_version: record.toolVersion,
    kind: record.kind,
    status: record.status,
    latency_ms: record.latencyMs,
    args_hash: createHmac("sha256", key).update(record.argsHash).digest("hex").slice(0, 16),
    provider: record.provider,
    trace_id: record.traceId,
    at: new Date(record.at).toISOString(),
  };
}

async function usable(file: string): Promise<void> {
  try {
    await (await open(file, "a", 0o600)).close();
  } catch (error) {
    throw new TelemetryRefused(
      `The tool audit cannot be written to ${file} (${codeOf(error)}): make its folder and let this user write there, or change TOOL_AUDIT_FILE.`,
    );
  }
}

/**
 * Returns the key in this file. If the file is missing, each start writes a new key to a file of its own and links that file to the final name. The
 * first link wins, so all processes use one key.
 */
async function auditKey(file: string, newKey: () => string): Promise<string> {
  const key = newKey();
  const draft = `${file}.${createHash("sha256").update(key).digest("hex").slice(0, 12)}`;
  try {
    await access(file).catch(async () => {
      await writeFile(draft, `${key}\n`, { mode: 0o600, flag: "wx" });
      await link(draft, file);
    });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw refusedKey(file, codeOf(error));
  } finally {
    await rm(draft, { force: true });
  }
  let text: string;
  try {
    await chmod(file, 0o600);
    text = (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw refusedKey(file, codeOf(error));
  }
  if (text.length < SHORTEST_KEY)
    throw new TelemetryRefused(
      `The audit key in ${file} has under ${SHORTEST_KEY} characters: put a random one there, or delete the file to get a new one.`,
    );
  return text;
}

const SHORTEST_KEY = 32;

function refusedKey(file: string, code: string): TelemetryRefused {
  return new TelemetryRefused(`The audit key ${file} cannot be read or made (${code}): fix its rights, or change AUDIT_KEY_FILE.`);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown";
}
