import { setTimeout as pause } from "node:timers/promises";
import { APART } from "@toolbus/all-in-one";
import { startServersWithLogins, type ServersWithLogins } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Scratch, scratch } from "../testing/scratch.ts";
import { patientClient } from "./client.ts";
import { type Answered, racingDecisions, racingSettings, type Sent } from "./racing-decisions.ts";
import { type ApartSystem, startApartSystem } from "./system.ts";
import { randomFrom } from "../../fuzz/random.ts";

const LONG = process.env["LONG_PROOFS"] !== undefined;
/** How many approvals are decided at the same time when a process is restarted. */
const AT_ONCE = 4;
/** The number of restarts on each broker. */
const RESTARTS = LONG ? 25 : 1;
const SEED = 20_261_126;
/** A process is killed at most this long after the moment at which the decisions begin. */
const WITHIN_MS = 25;
/** A decision about a write in a hurry is sent at most this long before or after the write expires. */
const AROUND_MS = 60;

// `tests/servers/approval-races.test.ts` has the same races without a restart, 10,000 times.
describe.each(process.env["LONG_PROOFS"] === "ci" ? (["nats"] as const) : (["nats", "rabbitmq"] as const))(
  "decisions while a process of any service is killed and started again, on %s and Redis",
  (broker) => {
    let servers: ServersWithLogins;
    let system: ApartSystem;
    let files: Scratch;
    let people: ReturnType<typeof racingDecisions>;
    beforeAll(async () => {
      files = scratch();
      files.file("made", "");
      servers = await startServersWithLogins(broker);
      const env = await racingSettings((name) => files.at(name));
      system = await startApartSystem({ addresses: servers.addressesOf, releases: ["calm"], env });
      people = racingDecisions(system.apart);
      await people.addApprover();
    });
    afterAll(async () => {
      await system?.stop();
      await servers?.remove();
      files?.remove();
    });

    it(
      `have one outcome in ${RESTARTS * AT_ONCE} trials, the same request has the same answer, and a write happens only if it was approved`,
      { timeout: 1_200_000 },
      async () => {
        const random = randomFrom(SEED + broker.length).next;
        const counts = new Map<string, number>();
        const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
        // The brokers begin at different rounds, so that even one restart on each has a race against the expiry.
        for (let n = broker === "nats" ? 0 : 1, last = n + RESTARTS; n < last; n++) {
          const hurried = n % 3 === 1;
          const service = n % 2 === 0 ? "approvals" : (APART[Math.floor(n / 2) % APART.length] ?? "approvals");
          const trials = await Promise.all(Array.from({ length: AT_ONCE }, (_, k) => held(`trial ${n * AT_ONCE + k}`, hurried, random)));
          const beginsAt = hurried ? (trials[0]?.expiresAt ?? 0) : Date.now();
          const [, ...races] = await Promise.all([
            until(beginsAt + random() * WITHIN_MS).then(() => killed(service, 1 + pick(random, 2))),
            ...trials.map(({ sent, expiresAt }) =>
              Promise.all(
                sent.map(async (one) => {
                  if (hurried) await until(expiresAt + (random() * 2 - 1) * AROUND_MS);
                  return people.decided(one);
                }),
              ),
            ),
          ]);
          count(`killed ${service}`);
          for (const [k, trial] of trials.entries()) {
            count(await ended(trial, races[k] ?? []));
            for (const { kind } of trial.sent) count(`sent ${kind}`);
            if (hurried) count("raced with the expiry");
          }
        }
        console.log(`${RESTARTS} restarts on ${broker}: ${[...counts].map(([what, times]) => `${what} ${times}`).join(", ")}`);
        if (!LONG) return;
        const ends = ["approved", "edited", "rejected", "expired", "raced with the expiry"];
        const sent = ["approve", "deny", "edit", "webhook"].map((kind) => `sent ${kind}`);
        for (const what of [...ends, ...sent, ...APART.map((one) => `killed ${one}`)])
          expect([what, counts.get(what)]).toEqual([what, expect.any(Number)]);
      },
    );

    /** Starts a run whose write waits for approval, and draws the decisions that will race for it. A hurried write expires during its race. */
    async function held(finding: string, hurried: boolean, random: () => number) {
      const client = patientClient(system.apart);
      const report = { release_id: "calm", severity: hurried ? "medium" : "low", findings: [finding] };
      const { runId } = await client.say(`file_risk_report ${JSON.stringify(report)}`);
      const waits = Promise.withResolvers<string>();
      const events = client.toTheEnd(runId, (id) => waits.resolve(id));
      const approvalId = await waits.promise;
      const { races, expiresAt } = await people.racesOf(approvalId, `${finding}, edited`);
      return { finding, approvalId, events, expiresAt, sent: races[pick(random, races.length)] ?? [] };
    }

    /**
     * Waits for the end of the run. Checks that one decision or the expiry won, that every answer says so, and that a repeat of each decision has the
     * same answer. Returns the outcome.
     */
    async function ended({ finding, approvalId, events, sent }: Awaited<ReturnType<typeof held>>, answers: readonly Answered[]) {
      const { status, arguments: args, decisions } = await people.endOf(approvalId);
      expect(["approved", "rejected", "expired"]).toContain(status);
      expect(decisions).toHaveLength(status === "expired" ? 0 : 1);
      for (const [n, one] of sent.entries()) expect([one.kind, await people.decided(one)]).toEqual([one.kind, answers[n]]);
      if (status === "expired") expect(answers.map((answer) => answer.status)).toEqual(sent.map(() => 410));
      else expectOneWinner(sent, answers);
      const last = (await events).at(-1)?.event;
      expect(last).toMatchObject({ type: "run.completed" });
      const filed = system.api.reports().filter(({ findings }) => findings.some((one) => one === finding || one === `${finding}, edited`));
      expect(filed.map(({ findings }) => findings)).toEqual(
        status === "approved" ? [(args as { readonly findings: unknown }).findings] : [],
      );
      return filed[0]?.findings[0]?.endsWith(", edited") === true ? "edited" : String(status);
    }

    async function killed(service: (typeof APART)[number], number: number): Promise<void> {
      await system
        .replicas(service)
        .find((replica) => replica.number === number)
        ?.process.kill();
      await system.apart.restart(service, number);
    }
  },
);

/** Expects that exactly one request was accepted, that each of its copies has the same answer, and that every other request lost. */
function expectOneWinner(sent: readonly Sent[], answers: readonly Answered[]): void {
  const winner = sent[answers.findIndex(({ status }) => status === 200)];
  expect(answers.map(({ status }) => status)).toEqual(sent.map((one) => (one === winner ? 200 : 409)));
  expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
}

/** Waits for a moment of the race. Approvals and this process have the same clock. */
const until = (at: number): Promise<void> => pause(Math.max(0, at - Date.now()));

const pick = (random: () => number, count: number): number => Math.floor(random() * count);
