import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Attack } from "../redteam/attack.ts";
import { ATTACKS } from "../redteam/attacks/index.ts";
import { genuineWrites } from "../redteam/genuine.ts";
import { runAttacks } from "../redteam/run-attacks.ts";
import { EVERY_EVENT, MODES, startSystemUnderAttack, type SystemUnderAttack } from "../redteam/system.ts";

/** One attack of each kind. `npm run redteam` makes all attacks on both brokers. */
const NAMES = [
  "a pending approval is stored as approved by somebody who does not exist",
  "a critical approval is stored as approved by two people who do not exist, with a ticket",
  "the card shows another payee than the one that is paid",
  "a denied approval is put back as it was while it was pending",
  "the requester of a run is somebody else, so that the requester may approve it",
  "a write is sent to its worker without a grant",
  "a write is sent with the genuine grant of another call",
  "a write is answered with its secret and without a receipt",
  "a denial is announced that nobody gave",
  "a plan is answered with another toolset's key",
  "the grant of an earlier plan is used again, when the target is as that plan shows it",
  "the ledger says that another payment was being sent when the worker died",
  "the ledger row of a write is removed while its worker starts anew, and its genuine grant is sent again",
  "a write is registered as a read",
  "a notice that the store lost writes, signed by nobody",
  "a pending approval is cancelled with an escape sequence and a line break in the reason",
  "the requester decides, with an approver's key of their own",
  "an MCP client puts a grant beside the arguments of a write",
  "somebody of another tenant asks for the result of a call over MCP",
  "a saved skill tells a later run to make a write that policy grants",
  "the command of an MCP server is a line for a shell, and people approve it",
  "text is put into the stream of somebody's run, by the feed that every service writes",
  "text is put into the stream of somebody's run, by its feed and its live log",
  "Redis stops to keep what it acknowledges",
  "the pin of a high write says that it is a low one",
];

describe.each(MODES)("an attacker who has taken over a service, with logins: %s", (mode) => {
  let system: SystemUnderAttack;
  beforeAll(async () => {
    system = await startSystemUnderAttack("nats", mode, EVERY_EVENT);
  });
  afterAll(() => system?.stop());

  it("ends every attack as expected, and no write happens without permission", async () => {
    const chosen = NAMES.map((name) => ATTACKS.find((attack) => attack.name === name)).filter(
      (attack): attack is Attack => attack !== undefined,
    );
    expect(chosen.map(({ name }) => name)).toEqual(NAMES);
    const { attacks, writes } = await runAttacks(system, chosen);
    expect(attacks.filter(({ ok }) => !ok)).toEqual([]);
    const genuine = [...genuineWrites("before"), ...genuineWrites("after")].length;
    expect(attacks).toHaveLength(NAMES.length + genuine);
    expect(writes.unallowed).toEqual([]);
    // The list of residual risks covers this attack, but only for the mode in which all services share one login.
    expect(writes.residual.map(({ attack }) => attack)).toEqual(
      mode === "own" ? [] : ["the ledger row of a write is removed while its worker starts anew, and its genuine grant is sent again"],
    );
    expect(writes.allowed).toBeGreaterThan(0);
  });
});

describe("the attacks", () => {
  it("are as many as required, each with its own name and an expected end in both modes", () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
    // In the mode in which each service has its own login, R1 and R2 must cost no write.
    const left = ATTACKS.flatMap(({ expected: { own } }) => (own.by === "residual" ? [own.number] : []));
    expect(left.filter((number) => /^R[12]$/.test(number))).toEqual([]);
  });
});
