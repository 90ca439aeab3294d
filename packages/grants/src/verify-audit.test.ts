import type { CheckpointView } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { publicKeyOf } from "./keys.ts";
import { ownKeys } from "./own-keys.ts";
import { chainWithCheckpoints, numbersFrom, own } from "./testing/evidence-under-test.ts";
import { auditHeader, auditLine, verifyAudit } from "./verify-audit.ts";

const RECORDS = 20;
const parts = await chainWithCheckpoints(Array.from({ length: RECORDS }, (_, n) => ({ event: "held", by: "amy", at: n, tenant: "acme" })));
const approvals = publicKeyOf(own.identityOf("approvals").signer);
const header = auditHeader("acme", { keys: [approvals] });
const lines = [header, ...parts.map(auditLine)];
/** The index of each record's line in the file, by the record's number. */
const lineOf = new Map(parts.flatMap((part, n) => ("record" in part ? [[part.record.n, n + 1] as const] : [])));
const checkpoints = parts.flatMap((part) => ("checkpoint" in part ? [part.checkpoint] : []));

describe("an export of the audit", () => {
  it("is whole, and names the keys that it gave itself", async () => {
    expect(await verifyAudit(lines)).toMatchObject({
      checked: [`Records 1 to ${RECORDS} are one chain, up to 7 signed checkpoints.`],
      broken: null,
      keysFromFile: [approvals.kid],
    });
    expect(await verifyAudit(lines, { trusted: [approvals] })).toMatchObject({ broken: null, keysFromFile: [] });
  });

  it("names the record after the gap if any record is removed", async () => {
    for (const [n, line] of lineOf) {
      const { broken } = await verifyAudit(lines.toSpliced(line, 1));
      // If a checkpoint follows the removed record, the checkpoint does not fit the record that is now before it.
      const after = parts[line];
      const gap =
        after && "record" in after
          ? n === 1
            ? /^Record 2 is not the first/
            : new RegExp(`^Record ${n + 1} does not follow record ${n - 1}\\.$`)
          : new RegExp(`^The checkpoint of record ${n} signs another record`);
      expect([n, broken]).toEqual([n, expect.stringMatching(gap)]);
    }
  });

  it("names a record if any two are swapped", async () => {
    for (const [first, a] of lineOf)
      for (const [second, b] of lineOf) {
        if (first >= second) continue;
        const swapped = lines.toSpliced(a, 1, lines[b] ?? "").toSpliced(b, 1, lines[a] ?? "");
        const { broken } = await verifyAudit(swapped);
        expect([first, second, broken]).toEqual([
          first,
          second,
          expect.stringMatching(new RegExp(`^Record ${second} (does not follow record ${first - 1}|is not the first of its chain)\\.$`)),
        ]);
      }
  });

  it("names the line or the record for every flipped byte", async () => {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
    const random = numbersFrom(7);
    for (let place = 0; place < bytes.length; place += 3) {
      const flipped = Buffer.from(bytes);
      flipped[place] = (flipped[place] ?? 0) ^ (1 << random(8));
      const texts = flipped.toString("latin1").split("\n");
      const { broken } = await verifyAudit(texts.at(-1) === "" ? texts.slice(0, -1) : texts);
      expect([place, broken]).toEqual([place, expect.stringMatching(/^[A-Z].+\.$/)]);
    }
  });

  it("is not whole if no checkpoint covers its end, or if it is empty", async () => {
    const last = lineOf.get(RECORDS) ?? 0;
    expect((await verifyAudit(lines.slice(0, last + 1))).broken).toBe("No checkpoint covers the records from 19 to 20.");
    expect((await verifyAudit([])).broken).toBe("The file is empty.");
  });

  it("is not whole under a checkpoint that was kept elsewhere if its end was removed or rewritten", async () => {
    const [, , third] = checkpoints;
    const end = checkpoints.at(-1);
    if (!third || !end) throw new Error("The chain has too few checkpoints.");
    expect((await verifyAudit(lines, { kept: third })).broken).toBeNull();
    const cut = lines.slice(0, (lineOf.get(third.n) ?? 0) + 2);
    expect((await verifyAudit(cut)).broken).toBeNull();
    expect((await verifyAudit(cut, { kept: end })).broken).toBe(
      "Record 20 of the kept checkpoint is missing: records at the end were removed.",
    );
    // Somebody with the key of approvals signed another history.
    const other = await chainWithCheckpoints(Array.from({ length: RECORDS }, (_, n) => ({ event: "held", by: "mallory", at: n })));
    const rewritten = [header, ...other.map(auditLine)];
    expect((await verifyAudit(rewritten)).broken).toBeNull();
    expect((await verifyAudit(rewritten, { kept: third })).broken).toBe("Record 9 is another one than the kept checkpoint signs.");
  });

  it("is not whole if its checkpoints were signed with another key than the trusted one", async () => {
    const other = publicKeyOf((await ownKeys(["approvals"])).identityOf("approvals").signer);
    const forged: CheckpointView | undefined = checkpoints[0];
    expect((await verifyAudit(lines, { trusted: [other] })).broken).toBe(
      `The checkpoint of record ${forged?.n ?? 0} is not genuine: the key ${approvals.kid} is not known.`,
    );
    expect((await verifyAudit([auditHeader("other", { keys: [approvals] }), ...lines.slice(1)])).broken).toBe(
      "Record 1 belongs to another tenant.",
    );
  });
});
