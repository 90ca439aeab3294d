import { expect } from "vitest";
import type { PayingSystem } from "./paying-system.ts";

/** How a store is copied while it is used, and restored after its system was killed. The restore resolves with the JSON of the raised era. */
export interface Procedure {
  copy(): Promise<void>;
  restore(): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Copies the store while two writes wait for people. Then people approve both, and both happen. After that the system is killed and its store is
 * restored. Expects that neither write happens twice, that the one whose target takes no key is listed, and that an operator can resume.
 */
export async function restoreStory(system: PayingSystem, { copy, restore }: Procedure): Promise<void> {
  const once = await system.ask("pay", "ann");
  const keyed = await system.ask("pay_by_key", "ben");
  await copy();
  expect(await system.approve(once)).toEqual({ end: "run.completed", status: "ok" });
  expect(await system.approve(keyed)).toEqual({ end: "run.completed", status: "ok" });
  await system.kill();

  const raised = await restore();
  expect((raised["lost"] as readonly { readonly held: boolean }[]).map(({ held }) => held)).toEqual(Array.from({ length: 16 }, () => true));
  expect(heldIn(raised)).toEqual([["waits", once.approvalId, "Pay ann."]]);
  await system.start();
  expect(await heldOf(system)).toEqual([["waits", once.approvalId, "Pay ann."]]);

  // Nobody remembers that these were approved, so people approve them again. Both runs, which waited at the time of the copy, end.
  expect(await system.approve(once)).toEqual({ end: "run.completed", status: "outcome_unknown" });
  expect(await system.approve(keyed)).toEqual({ end: "run.completed", status: "ok" });
  expect(system.effects()).toEqual(['pay "ann"', 'pay_by_key "ben"']);
  expect(await heldOf(system)).toEqual([["unknown", once.approvalId, "Pay ann."]]);

  await system.json("era", "resume", "--all");
  expect(await heldOf(system)).toEqual([]);
  expect(await system.approve(await system.ask("pay", "cleo"))).toEqual({ end: "run.completed", status: "ok" });
  expect(system.effects()).toEqual(['pay "ann"', 'pay_by_key "ben"', 'pay "cleo"']);
  await expectAudit(system, String(raised["reason"]));
}

async function heldOf(system: PayingSystem) {
  return heldIn(await system.json("era", "held"));
}

function heldIn(document: Readonly<Record<string, unknown>>) {
  const writes = document["writes"] as readonly {
    readonly state: string;
    readonly approval: { readonly id: string; readonly effect: string };
  }[];
  return writes.map(({ state, approval }) => [state, approval.id, approval.effect]);
}

/** Expects the raise and the resume in the audit, and a chain that nobody has changed. */
async function expectAudit(system: PayingSystem, reason: string): Promise<void> {
  // The copy has the lease of a process that is gone. It can take a minute until approvals looks again.
  const recorded = async (): Promise<readonly object[]> => {
    const { records } = (await system.json("audit", "list", "--chain", "system")) as {
      readonly records: readonly { readonly record: object }[];
    };
    return records.map(({ record }) => record);
  };
  await expect
    .poll(recorded, { timeout: 120_000 })
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ event: "era_raised", by: "approver:local", reason }),
        expect.objectContaining({ event: "writes_resumed", by: "approver:local" }),
      ]),
    );
  const file = `${system.data}/audit.jsonl`;
  await system.json("audit", "export", file, "--chain", "system");
  expect(await system.json("verify", file)).toMatchObject({ broken: null, whole: true });
}
