import { mkdir, open, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { RiskReport } from "./risk-report.ts";

/** One filed report, with its key and the fingerprint of the request body. */
export interface JournalEntry {
  readonly key: string;
  readonly fingerprint: string;
  readonly report: RiskReport;
}

/** A file with one entry per line. Only one process may use the file at a time. */
export interface ReportJournal {
  /** The entries that the file had when it was opened, oldest first. */
  readonly entries: readonly JournalEntry[];
  /**
   * Appends an entry. Resolves when the entry is on disk. Entries are written in the order of the calls. Rejects if the entry may be missing on disk.
   * After a rejection the journal writes nothing more, because the file may end with half a line. The next process that opens the journal repairs the
   * file.
   */
  append(entry: JournalEntry): Promise<void>;
  /** Waits for the entries that are being written. Safe to call twice. */
  close(): Promise<void>;
}

/** Opens the journal in a folder, and creates the folder if it is missing. Throws with one sentence if a line in the middle is damaged. */
export async function openReportJournal(directory: string): Promise<ReportJournal> {
  const folder = resolve(directory);
  const made = await mkdir(folder, { recursive: true });
  const path = join(folder, "risk-reports.jsonl");
  const file = await open(path, "a+", 0o600);
  try {
    const { entries, whole } = await load(file, path);
    await syncFolders(folder, made === undefined ? folder : dirname(made));
    return journal(file, entries, whole);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Returns the journal over an open file. `whole` is the number of bytes of complete lines in the file. */
function journal(file: FileHandle, entries: readonly JournalEntry[], whole: number): ReportJournal {
  let last: Promise<void> = Promise.resolve();
  let closing: Promise<void> | undefined;

  // The file is repaired before the first new entry, and not when it is opened. Another process may be using the folder, and a process that only
  // reads must change nothing there.
  const repair = async () => {
    const { size } = await file.stat();
    if (size > whole) await file.truncate(whole);
  };
  let repaired: Promise<void> | undefined;

  const write = async (entry: JournalEntry) => {
    await (repaired ??= repair());
    await file.appendFile(`${JSON.stringify(entry)}\n`);
    await file.datasync();
  };

  return {
    entries,
    append(entry) {
      if (closing) return Promise.reject(new Error("The journal is closed."));
      // If a write is rejected, `last` stays rejected, so every later write is rejected with the same cause.
      last = last.then(() => write(entry));
      return last;
    },
    close() {
      closing ??= last.catch(() => {}).then(() => file.close());
      return closing;
    },
  };
}

async function load(file: FileHandle, path: string): Promise<{ readonly entries: readonly JournalEntry[]; readonly whole: number }> {
  const bytes = await file.readFile();
  // If there is text after the last line end, the process died while it wrote this text. So nobody received a confirmation of it. The next line must
  // not be appended to this text.
  const whole = bytes.lastIndexOf("\n") + 1;
  const lines = new TextDecoder().decode(bytes.subarray(0, whole)).split("\n").slice(0, -1);
  const entries = lines.map((line, index) => {
    const entry = parseEntry(line);
    if (!entry) throw new Error(`Line ${index + 1} of ${path} is damaged: restore the file from a copy, or remove that line.`);
    return entry;
  });
  return { entries, whole };
}

/** Parses a line that this program wrote. It checks only enough to detect damage, because the entry was checked before it was written. */
function parseEntry(line: string): JournalEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const entry = value as JournalEntry;
    return typeof entry.key === "string" && typeof entry.fingerprint === "string" && typeof entry.report.report_id === "string"
      ? entry
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Syncs the folders. A new file is durable only if its name in its folder is synced too. A new folder is durable only if its name in its parent
 * folder is synced too.
 */
async function syncFolders(lowest: string, highest: string): Promise<void> {
  for (let folder = lowest; folder.length >= highest.length; folder = dirname(folder)) {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (folder === dirname(folder)) return;
  }
}
