import {
  type ChainedRecord,
  type CheckpointView,
  describeProblems,
  isJsonObject,
  type Json,
  type Jwks,
  parseChainedRecord,
  parseCheckpoint,
  parseExportHeader,
  type PublicJwk,
} from "@toolbus/contracts";
import { type ChainEnd, chainFault } from "./audit-chain.ts";
import { canonicalJson } from "./canonical-json.ts";
import { verifyCheckpoint } from "./checkpoint.ts";
import { publicKeysIn } from "./evidence.ts";
import { publicKeys } from "./key-sources.ts";
import type { KeySet } from "./key-set.ts";
import { parseStrictJson } from "./strict-json.ts";
import { BrokenLink, checkKeyIds, type FileVerdict } from "./verdict.ts";

/** The format of an export of the audit. It has one JSON text in each line: the header, then records and checkpoints in the order of the chain. */
const AUDIT_FORMAT = "toolbus-audit/1";

/** Returns the first line of an export. */
export function auditHeader(tenant: string | null, keys: Jwks): string {
  return canonicalJson({ format: AUDIT_FORMAT, tenant, keys: { keys: publicKeysIn(keys) } } as unknown as Json);
}

/** Returns the line of a record or of a checkpoint. */
export function auditLine(part: { readonly record: ChainedRecord } | { readonly checkpoint: CheckpointView }): string {
  return canonicalJson(part as unknown as Json);
}

export interface VerifyAuditOptions {
  /** The keys of approvals that the caller trusts. Without them, the keys in the file are used. */
  readonly trusted?: readonly PublicJwk[] | null;
  /**
   * A checkpoint that was kept outside the export. The export must contain the record of this checkpoint. This check detects that somebody removed
   * the end of the export.
   */
  readonly kept?: CheckpointView | null;
}

/**
 * Checks an export of the audit, offline: every hash, every link and every checkpoint, from the first record to the last. Every record must be
 * covered by a checkpoint. Stops at the first broken link. `lines` are the lines of the file without line ends.
 */
export async function verifyAudit(
  lines: AsyncIterable<string> | Iterable<string>,
  { trusted = null, kept = null }: VerifyAuditOptions = {},
): Promise<FileVerdict> {
  let own: readonly string[] = [];
  let [end, covered, checkpoints]: [ChainEnd | null, ChainEnd | null, number] = [null, null, 0];
  const unattested: string[] = [];
  const missing: string[] = [];
  let chain: { readonly tenant: string | null; readonly keys: KeySet } | null = null;
  let keptFound = kept === null;
  try {
    let number = 0;
    for await (const line of lines) {
      const value = lineIn(line, ++number);
      if (!chain) {
        const { tenant, keys } = headerIn(value);
        const roots = trusted ?? keys;
        if (trusted === null) own = roots.map(({ kid }) => kid);
        chain = { tenant, keys: publicKeys(roots) };
        if (kept) await demandCheckpoint(kept, chain);
        continue;
      }
      const { record, checkpoint } = partsIn(value, number);
      if (record) {
        const fault = chainFault([record], end);
        if (fault !== null) throw new BrokenLink(`${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`);
        if (record.tenant !== chain.tenant) throw new BrokenLink(`Record ${record.n} belongs to another tenant.`);
        if (kept?.n === record.n) {
          if (kept.hash !== record.hash) throw new BrokenLink(`Record ${record.n} is another one than the kept checkpoint signs.`);
          keptFound = true;
        }
        if (!record.attested) unattested.push(`record ${record.n}`);
        if (record.record["event"] === "chain_continued")
          missing.push(
            `the records that may have followed record ${record.n - 1}: the end of the chain was forged there (record ${record.n})`,
          );
        end = { n: record.n, hash: record.hash };
      }
      if (checkpoint) {
        await demandCheckpoint(checkpoint, chain);
        if (checkpoint.n !== end?.n || checkpoint.hash !== end.hash)
          throw new BrokenLink(`The checkpoint of record ${checkpoint.n} signs another record than record ${end?.n ?? 0}.`);
        covered = end;
        checkpoints++;
      }
    }
    if (!chain) throw new BrokenLink("The file is empty.");
    if (end && end.n !== covered?.n) throw new BrokenLink(`No checkpoint covers the records from ${(covered?.n ?? 0) + 1} to ${end.n}.`);
    if (!keptFound) throw new BrokenLink(`Record ${kept?.n ?? 0} of the kept checkpoint is missing: records at the end were removed.`);
    return verdict(null);
  } catch (error) {
    if (!(error instanceof BrokenLink)) throw error;
    return verdict(error.message);
  }

  function verdict(broken: string | null): FileVerdict {
    const range = end ? `Records 1 to ${end.n} are one chain, up to ${checkpoints} signed checkpoints.` : "The chain is empty.";
    const notRange = covered ? [`Records 1 to ${covered.n} are one chain, up to a signed checkpoint.`] : [];
    return { kind: "audit", checked: broken === null ? [range] : notRange, broken, keysFromFile: own, unattested, missing };
  }
}

async function demandCheckpoint(
  checkpoint: CheckpointView,
  { tenant, keys }: { readonly tenant: string | null; readonly keys: KeySet },
): Promise<void> {
  const judged = await verifyCheckpoint(checkpoint, keys);
  if (judged.kind !== "genuine") throw new BrokenLink(`The checkpoint of record ${checkpoint.n} is not genuine: ${judged.detail}.`);
  if (checkpoint.tenant !== tenant) throw new BrokenLink(`The checkpoint of record ${checkpoint.n} belongs to another tenant.`);
}

function lineIn(line: string, number: number): Json {
  const parsed = parseStrictJson(line, MAX_LINE_BYTES);
  if (!parsed.ok) throw new BrokenLink(`Line ${number} is not strict JSON: ${describeProblems(parsed.problems)}.`);
  if (canonicalJson(parsed.value) !== line)
    throw new BrokenLink(`Line ${number} is not canonical JSON, so a byte of it was added or changed.`);
  return parsed.value;
}

function headerIn(value: Json): { readonly tenant: string | null; readonly keys: readonly PublicJwk[] } {
  const header = parseExportHeader(value);
  if (!header.ok)
    throw new BrokenLink(`The first line is not the header of an export of this version: ${describeProblems(header.problems)}.`);
  checkKeyIds(header.value.keys.keys);
  return { tenant: header.value.tenant, keys: header.value.keys.keys };
}

function partsIn(value: Json, number: number): { readonly record?: ChainedRecord; readonly checkpoint?: CheckpointView } {
  if (isJsonObject(value) && Object.keys(value).length === 1) {
    const record = parseChainedRecord(value["record"]);
    if (record.ok) return { record: record.value };
    const checkpoint = parseCheckpoint(value["checkpoint"]);
    if (checkpoint.ok) return { checkpoint: checkpoint.value };
  }
  throw new BrokenLink(`Line ${number} is neither a record nor a checkpoint.`);
}

/** The longest line. A record has at most 64 KiB in the store. */
const MAX_LINE_BYTES = 128 * 1024;
