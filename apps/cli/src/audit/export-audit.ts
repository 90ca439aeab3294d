import type { FileHandle } from "node:fs/promises";
import { type ChainedRecord, type ChainKind, counted, type CheckpointView, type Json, type Jwks } from "@toolbus/contracts";
import { auditHeader, auditLine, publicKeysIn } from "@toolbus/grants";
import type { Client } from "../http/client.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { checkpointsOf, newestOf, recordsOf } from "./chain-pages.ts";
import { csvRow } from "./csv.ts";
import { newFile } from "./new-file.ts";

export interface ExportOptions {
  readonly format: "jsonl" | "csv";
  readonly chain: ChainKind;
}

/** Writes a whole chain up to its newest checkpoint to a file, with the checkpoints and the public keys. */
export async function exportAudit(context: Context, file: string, { format, chain }: ExportOptions): Promise<ExitCode> {
  const service = await context.approvals();
  const { checkpoint: newest, keys } = await newestOf(service, chain);
  const { output, around } = context;
  if (!newest) {
    if (output.json) output.document({ file: null, format, records: 0, checkpoint: null });
    else output.note("The chain has no records yet, so no file was written.");
    return EXIT.ok;
  }
  await newFile(file, around.cwd, async (handle) => {
    const sheet = format === "csv" ? csvLines() : jsonLines();
    await write(handle, sheet.header(newest.tenant, keys));
    for await (const part of partsUpTo(service, chain, newest)) await write(handle, sheet.part(part));
  });
  if (output.json) output.document({ file, format, records: newest.n, checkpoint: newest });
  else
    output.note(
      `${counted(newest.n, "record")} up to the checkpoint of ${new Date(newest.at).toISOString()} ${newest.n === 1 ? "is" : "are"} in ${file}.` +
        (format === "jsonl" ? ` Check it with "${SELF} verify ${file}".` : ""),
    );
  return EXIT.ok;
}

type Part = { readonly record: ChainedRecord } | { readonly checkpoint: CheckpointView };

/**
 * Yields the records in order, and each checkpoint after its record. It omits records after the newest checkpoint, because no exported checkpoint
 * covers them.
 */
async function* partsUpTo(service: Client, chain: ChainKind, newest: CheckpointView): AsyncGenerator<Part, void> {
  const checkpoints = checkpointsOf(service, chain);
  let next = await checkpoints.next();
  for await (const record of recordsOf(service, chain)) {
    if (record.n > newest.n) return;
    yield { record };
    while (next.done !== true && next.value.n <= record.n) {
      yield { checkpoint: next.value };
      next = await checkpoints.next();
    }
  }
}

interface Sheet {
  header(tenant: string | null, keys: Jwks): string;
  part(part: Part): string;
}

function jsonLines(): Sheet {
  return { header: (tenant, keys) => `${auditHeader(tenant, keys)}\n`, part: (part) => `${auditLine(part)}\n` };
}

const RECORD_COLUMNS = [
  "event",
  "by",
  "tool",
  "tier",
  "approvalId",
  "callId",
  "requester",
  "agent",
  "decision",
  "via",
  "ticket",
  "argsHash",
] as const;
const COLUMNS = [
  "type",
  "n",
  "at",
  "tenant",
  "previous",
  "content",
  "hash",
  "shard",
  "sequence",
  "attested",
  "eventAt",
  ...RECORD_COLUMNS,
  "record",
  "signed",
];

function csvLines(): Sheet {
  return {
    header: (_, keys) =>
      csvRow(COLUMNS) +
      publicKeysIn(keys)
        .map((key) => csvRow(padded(["key", null, null, null, null, null, key.kid], JSON.stringify(key))))
        .join(""),
    part(part) {
      if ("checkpoint" in part) {
        const { n, at, tenant, hash, signed } = part.checkpoint;
        return csvRow(padded(["checkpoint", n, timeOf(at), tenant, null, null, hash], signed));
      }
      const { n, at, tenant, previous, content, hash, source, attested, record } = part.record;
      const own = RECORD_COLUMNS.map((name) => cellIn(record[name]));
      const link = ["record", n, timeOf(at), tenant, previous, content, hash, source.shard, source.sequence, attested] as const;
      return csvRow([...link, timeOf(record["at"]), ...own, JSON.stringify(record), null]);
    },
  };
}

/** Returns the cells of a row that has no record. The last column is the signature of a checkpoint, or the key. */
function padded(cells: readonly (string | number | null)[], last: string): readonly (string | number | null)[] {
  return [...cells, ...Array.from({ length: COLUMNS.length - cells.length - 1 }, () => null), last];
}

function timeOf(at: Json | undefined): string | null {
  return typeof at === "number" && Number.isFinite(at) && Math.abs(at) < 8e15 ? new Date(at).toISOString() : null;
}

function cellIn(value: Json | undefined): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  return typeof value === "object" ? JSON.stringify(value) : value;
}

async function write(handle: FileHandle, text: string): Promise<void> {
  await handle.appendFile(text);
}
