import { globSync, readFileSync } from "node:fs";
import path from "node:path";

/** The parts of a decision record that the list of decisions needs. */
export interface DecisionRecord {
  readonly number: string;
  /** The file name of the record. */
  readonly file: string;
  readonly title: string;
  /** The text after "Status:". It may have several lines. */
  readonly status: string;
}

/** Returns every record of `docs/decisions`, in order. Throws if a record has no title or no status. */
export function readDecisions(root: string): readonly DecisionRecord[] {
  const folder = path.join(root, "docs/decisions");
  return globSync("*.md", { cwd: folder })
    .toSorted()
    .map((file) => {
      const text = readFileSync(path.join(folder, file), "utf8");
      const { number, title } = /^# (?<number>\d{4})\. (?<title>.+)$/m.exec(text)?.groups ?? {};
      const { status } = /^(?:\*\*Status\*\*|Status): (?<status>.+(?:\n.+)*)$/m.exec(text)?.groups ?? {};
      if (number === undefined || title === undefined || status === undefined || !file.startsWith(number))
        throw new Error(`docs/decisions/${file} needs "# NNNN. Title" with its own number and a line "Status: …".`);
      return { number, file, title, status };
    });
}

/** Returns the records grouped by subject, one per line. Throws if a record is in no group or in two groups. */
export function decisionList(records: readonly DecisionRecord[], groups: Readonly<Record<string, readonly string[]>> = GROUPS): string {
  const listed = Object.values(groups).flat();
  const faults = records.filter(({ number }) => listed.filter((each) => each === number).length !== 1).map(({ number }) => number);
  const unknown = listed.filter((number) => records.every((record) => record.number !== number));
  if (faults.length + unknown.length > 0)
    throw new Error(
      `Each record must be in exactly one group of scripts/mechanics/decisions.ts: look at ${[...faults, ...unknown].join(", ")}.`,
    );
  return Object.entries(groups)
    .map(([subject, numbers]) => {
      const lines = records.filter(({ number }) => numbers.includes(number)).map(lineOf);
      return [`**${subject}**`, "", ...lines].join("\n");
    })
    .join("\n\n");
}

/** Returns the numbers of the records that replaced this one, completely or in part. */
export function changedBy({ status }: Pick<DecisionRecord, "status">): { readonly superseded: boolean; readonly by: readonly string[] } {
  const words = status.replaceAll("\n", " ");
  const { whole, part } = /(?<whole>\bsuperseded by\b[^.]*)|Changed in part by (?<part>.*?)(?=\. [A-Z]|\.?$)/.exec(words)?.groups ?? {};
  const by = [...(whole ?? part ?? "").matchAll(/\[(\d{4})\]/g)].map(([, number]) => number ?? "").toSorted();
  return { superseded: whole !== undefined, by };
}

function lineOf(record: DecisionRecord): string {
  const { superseded, by } = changedBy(record);
  const note = by.length === 0 ? "" : ` (${superseded ? "superseded" : "changed in part"} by ${by.join(", ")})`;
  return `- [${record.number}](decisions/${record.file}) ${record.title}${note}`;
}

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Foundations: ["0001", "0002", "0003", "0006"],
  "State and time": ["0008", "0009", "0010", "0014", "0030", "0043", "0044", "0045", "0060", "0083", "0122"],
  "A store that lost writes": ["0011", "0025", "0114"],
  "The bus, messages and dead letters": ["0013", "0024", "0026", "0050", "0055", "0110", "0118", "0120", "0146", "0149"],
  "Writes, grants and approvals": [
    "0012",
    "0015",
    "0032",
    "0046",
    "0070",
    "0081",
    "0082",
    "0084",
    "0085",
    "0086",
    "0088",
    "0089",
    "0090",
    "0091",
    "0092",
    "0095",
    "0096",
    "0100",
    "0152",
  ],
  "Tools and workers": [
    "0018",
    "0040",
    "0051",
    "0068",
    "0075",
    "0076",
    "0098",
    "0099",
    "0101",
    "0102",
    "0103",
    "0104",
    "0105",
    "0106",
    "0109",
    "0111",
    "0112",
    "0113",
    "0116",
    "0129",
    "0145",
    "0154",
  ],
  "Runs, conversations and budgets": [
    "0021",
    "0022",
    "0027",
    "0028",
    "0029",
    "0066",
    "0071",
    "0097",
    "0119",
    "0121",
    "0127",
    "0128",
    "0137",
    "0150",
  ],
  Models: ["0031", "0141", "0069", "0132", "0133", "0134", "0135", "0138", "0139", "0140", "0142", "0148", "0151", "0143", "0144"],
  Investigations: ["0130", "0131", "0153"],
  "Rights, limits and floods": ["0023", "0033", "0034", "0041", "0042", "0115", "0147"],
  "Browsers and webhooks": ["0020", "0080", "0087", "0093", "0094"],
  "The repository and its tools": ["0004", "0005", "0007", "0065", "0067", "0072", "0073"],
  "Watching the system": ["0107", "0117"],
  Evaluation: ["0123", "0125", "0126"],
};
