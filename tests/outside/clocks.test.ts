import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type FakedClock, FAKED_CLOCK_REMEDY, fakedClock, type ServersWithLogins, startServersWithLogins } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scratch } from "../e2e/testing/scratch.ts";
import { patientClient, type Received } from "../e2e/apart/client.ts";
import { type ApartSystem, startApartSystem } from "../e2e/apart/system.ts";

const LONG = process.env["LONG_PROOFS"] !== undefined;
const HOUR = 3_600_000;
const SHIFTS = [-25, -1, 2, 25];
const SERVICES = { worker: "tool-executor", agent: "agent", approvals: "approvals" } as const;
type Who = keyof typeof SERVICES | "store";

/**
 * The short form tests, for each kind of process, one clock error that was once harmful. The long form tests every error for every kind of process.
 */
const CELLS: readonly (readonly [Who, number])[] = LONG
  ? (["worker", "agent", "approvals", "store"] as const).flatMap((who) => SHIFTS.map((hours) => [who, hours] as const))
  : [
      ["worker", 2],
      ["agent", -25],
      ["approvals", 25],
      ["store", -1],
    ];
const READS = 4;
/** The time is short, so that an approval can expire within a test. */
const EXPIRY_MS = 5000;
const READ = 'get_release_summary {"release_id": "calm"}';
const SHIFTED = fileURLToPath(new URL("../e2e/apart/shifted-service.ts", import.meta.url));
const faked = fakedClock();
afterAll(() => faked?.remove());

describe.each(LONG && process.env["LONG_PROOFS"] !== "ci" ? [1, 2] : [2])(
  "clocks that are hours off, with %i of every service",
  (replicas) => {
    const files = scratch();
    const shiftFile = files.file("shift", "0");
    const rows: string[] = [];
    let servers: ServersWithLogins;
    let system: ApartSystem;
    let count = 0;
    /** The error of the store's clock, in hours. */
    let off = 0;
    const releases = Array.from({ length: 2 * CELLS.length + 2 }, (_, n) => `r${n}`);
    beforeAll(async () => {
      servers = await startServersWithLogins(replicas === 1 ? "rabbitmq" : "nats", faked ? { clock: faked } : {});
      system = await startApartSystem({
        addresses: servers.addressesOf,
        replicas,
        releases: ["calm", ...releases],
        env: { CLOCK_SHIFT_FILE: shiftFile, APPROVAL_EXPIRY_MS: String(EXPIRY_MS) },
        modules: { "tool-executor": SHIFTED, agent: SHIFTED, approvals: SHIFTED },
      });
    });
    afterAll(async () => {
      await system?.stop();
      await servers?.remove();
      files.remove();
      faked?.set(0);
      console.log(
        [`${replicas} of each | clock off by | reads answered | approved write | write past its time | told`, ...rows].join("\n"),
      );
    });

    for (const [who, hours] of CELLS) {
      const missing = who === "store" && faked === null ? ` (skipped here: ${FAKED_CLOCK_REMEDY})` : "";
      const name = `cost no read and no approved write, and do none past its time: ${who} ${hours > 0 ? "+" : ""}${hours} h`;
      it.skipIf(who === "store" && faked === null)(`${name}${missing}`, async () => {
        const from = system.output().length;
        const forward = who === "store" ? hours - off : 0;
        if (who === "store") {
          // All processes keep running while the store's clock changes. A process that starts afterwards must agree with the running ones about the
          // time.
          (faked as FakedClock).set(hours * HOUR);
          off = hours;
          await system.apart.restart("tool-executor", 1);
        } else {
          writeFileSync(shiftFile, String(hours * HOUR));
          await system.apart.restart(SERVICES[who], 1);
          writeFileSync(shiftFile, "0");
        }
        const [reads, filed, late] = await Promise.all([
          Promise.all(Array.from({ length: READS }, read)),
          write({ inTime: true }),
          write({ inTime: false }),
        ]);
        const said = system.output().slice(from);
        const reported = /Clocks do not agree/.test(said);
        const good = reads.filter((status) => status === "ok").length;
        rows.push(`${who} | ${hours} h | ${good} of ${READS} | ${filed} | ${late} | ${reported ? "yes" : "no"}`);
        expect({ reads, filed, late, reported, said: said.slice(-3000) }).toMatchObject({
          reads: Array.from({ length: READS }, () => "ok"),
          filed: "filed, once",
          late: "expired, 0 done, decision refused with 410",
          reported: true,
        });
        // When the store's clock moves a day ahead, the messages of the next second are too old for their readers (decision 0043). The reads were
        // answered anyway.
        if (forward < 24) expect(said).not.toMatch(/became a dead letter|came after its not-after/);
        if (who !== "store") await system.apart.restart(SERVICES[who], 1);
      });
    }

    async function read(): Promise<string> {
      const client = patientClient(system.apart);
      const { runId } = await client.say(READ);
      const resolved = (await client.toTheEnd(runId)).find(({ event }) => event.type === "call.resolved")?.event;
      return resolved?.type === "call.resolved" ? resolved.status : "no call";
    }

    /** Investigates a release. Its report is a write, which somebody approves at once or too late. Returns the status of the write at the end. */
    async function write({ inTime }: { readonly inTime: boolean }): Promise<string> {
      const client = patientClient(system.apart);
      const release = releases[count++] ?? "";
      const { runId } = await client.investigate(release);
      if (inTime) {
        const status = filingOf(await client.toTheEnd(runId));
        return `${status}, ${done(release) === 1 ? "once" : `${done(release)} times`}`;
      }
      let token: Promise<readonly [string, string]> | undefined;
      const received = await client.toTheEnd(runId, (approvalId) => {
        token ??= client.look(approvalId).then(({ decisionToken }) => [approvalId, decisionToken ?? ""] as const);
      });
      const [approvalId, held] = (await token) ?? ["", ""];
      const answer = await client.decide(approvalId, held);
      return `${filingOf(received)}, ${done(release)} done, decision refused with ${answer}`;
    }

    function done(release: string): number {
      return system.api.reports().filter((report) => report.release_id === release).length;
    }
  },
);

function filingOf(received: readonly Received[]): string {
  const end = received.at(-1)?.event;
  return end?.type === "run.completed" ? (end.report?.filing.status ?? "no report") : JSON.stringify(end);
}
