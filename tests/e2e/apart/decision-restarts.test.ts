import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { APART } from "@toolbus/all-in-one";
import { startServersWithLogins, type ServersWithLogins } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patientClient } from "./client.ts";
import { type ApartSystem, startApartSystem } from "./system.ts";
import { randomFrom } from "../../fuzz/random.ts";

const LONG = process.env["LONG_PROOFS"] !== undefined;
/** How many approvals are decided at the same time when a process is restarted. */
const AT_ONCE = 4;
const RESTARTS = LONG ? 50 : 2;
const SEED = 20_261_126;
const SECOND = "key-of-the-second-approver";
/** A process is killed at most this long after the first decision is sent. */
const WITHIN_MS = 25;
const REQUEST_MS = 5000;
const DEADLINE_MS = 60_000;

interface Answered {
  readonly status: number;
  readonly text: string;
}
/** One decision of a race: its sender and its content. */
interface Sent {
  readonly key: string;
  readonly body: object;
}

// `tests/servers/approval-races.test.ts` has the same races without a restart, 10,000 times.
describe("decisions while a process of any service is killed and started again, on nats and Redis", () => {
  let servers: ServersWithLogins;
  let system: ApartSystem;
  beforeAll(async () => {
    servers = await startServersWithLogins("nats");
    system = await startApartSystem({ addresses: servers.addressesOf, releases: ["calm"] });
    await addApprover();
  });
  afterAll(async () => {
    await system?.stop();
    await servers?.remove();
  });

  it(
    `have one outcome in ${RESTARTS * AT_ONCE} trials, the same request has the same answer, and a write happens only if it was approved`,
    { timeout: 1_200_000 },
    async () => {
      const random = randomFrom(SEED).next;
      const ends = new Map<string, number>();
      for (let n = 0; n < RESTARTS; n++) {
        const trials = await Promise.all(Array.from({ length: AT_ONCE }, (_, k) => held(`trial ${n * AT_ONCE + k}`, random)));
        const service = random() < 0.5 ? "approvals" : (APART[pick(random, APART.length)] ?? "approvals");
        const number = 1 + pick(random, 2);
        const [, ...races] = await Promise.all([
          pause(random() * WITHIN_MS).then(() => killed(service, number)),
          ...trials.map((trial) => Promise.all(trial.sent.map((sent) => decided(trial.approvalId, sent)))),
        ]);
        for (const [k, trial] of trials.entries()) {
          const end = await ended(trial, races[k] ?? []);
          ends.set(end, (ends.get(end) ?? 0) + 1);
          ends.set(`killed ${service}`, (ends.get(`killed ${service}`) ?? 0) + 1);
        }
      }
      console.log(`${RESTARTS} restarts: ${[...ends].map(([end, count]) => `${end} ${count}`).join(", ")}`);
      expect((ends.get("approved") ?? 0) + (ends.get("edited") ?? 0)).toBeGreaterThan(0);
      if (LONG)
        for (const end of ["approved", "edited", "rejected", ...APART.map((one) => `killed ${one}`)])
          expect([end, ends.get(end)]).toEqual([end, expect.any(Number)]);
    },
  );

  /** Starts a run whose write waits for approval, and draws the decisions that will race for it. */
  async function held(finding: string, random: () => number) {
    const client = patientClient(system.apart);
    const { runId } = await client.say(`file_risk_report ${JSON.stringify({ release_id: "calm", severity: "low", findings: [finding] })}`);
    const waits = Promise.withResolvers<string>();
    const events = client.toTheEnd(runId, (id) => waits.resolve(id));
    const approvalId = await waits.promise;
    const [amy, bo] = [system.apart.keys.approver, SECOND];
    const [seen, other] = [await look(approvalId, amy), await look(approvalId, bo)];
    const by = (key: string, token: unknown, more: object): Sent => ({
      key,
      body: { token, argumentsHash: seen["argumentsHash"], ...more },
    });
    const asAmy = (more: object) => by(amy, seen["decisionToken"], more);
    const asBo = (more: object) => by(bo, other["decisionToken"], more);
    const edited = { ...(seen["arguments"] as object), findings: [`${finding}, edited`] };
    const races: readonly (readonly Sent[])[] = [
      [asAmy({ decision: "approve" }), asBo({ decision: "deny" })],
      [asAmy({ decision: "approve" }), asBo({ decision: "approve", arguments: edited })],
      [asAmy({ decision: "approve" }), asAmy({ decision: "approve" })],
      [asBo({ decision: "deny" }), asBo({ decision: "deny" })],
    ];
    return { finding, approvalId, events, sent: races[pick(random, races.length)] ?? [] };
  }

  /** Waits for the end of the run. Checks that one decision won, and that a repeat of each decision has the same answer. Returns the outcome. */
  async function ended({ finding, approvalId, events, sent }: Awaited<ReturnType<typeof held>>, answers: readonly Answered[]) {
    const { status, arguments: args, decisions } = await look(approvalId, SECOND);
    expect(["approved", "rejected"]).toContain(status);
    expect(decisions).toHaveLength(1);
    for (const [n, one] of sent.entries()) expect(await decided(approvalId, one)).toEqual(answers[n]);
    const won = answers.filter((answer) => answer.status === 200);
    expect(won.length).toBe(new Set(sent.map((one) => JSON.stringify(one))).size === 1 ? sent.length : 1);
    const last = (await events).at(-1)?.event;
    expect(last).toMatchObject({ type: "run.completed" });
    const filed = system.api.reports().filter(({ findings }) => findings.some((one) => one === finding || one === `${finding}, edited`));
    expect(filed.map(({ findings }) => findings)).toEqual(status === "approved" ? [(args as { readonly findings: unknown }).findings] : []);
    return filed[0]?.findings[0]?.endsWith(", edited") === true ? "edited" : String(status);
  }

  async function killed(service: (typeof APART)[number], number: number): Promise<void> {
    await system
      .replicas(service)
      .find((replica) => replica.number === number)
      ?.process.kill();
    await system.apart.restart(service, number);
  }

  /** Sends a decision until a replica answers, as a person's client does. */
  async function decided(approvalId: string, { key, body }: Sent): Promise<Answered> {
    return patiently(`an answer to a decision of ${approvalId}`, async (url) => {
      const response = await fetch(`${url}/v1/approvals/${approvalId}/decision`, {
        ...sentBy(key),
        method: "POST",
        body: JSON.stringify(body),
      });
      return response.status < 500 ? { status: response.status, text: await response.text() } : null;
    });
  }

  async function look(approvalId: string, key: string): Promise<Readonly<Record<string, unknown>>> {
    return patiently(`the approval ${approvalId}`, async (url) => {
      const response = await fetch(`${url}/v1/approvals/${approvalId}`, sentBy(key));
      return response.ok ? ((await response.json()) as Record<string, unknown>) : null;
    });
  }

  async function patiently<T>(what: string, attempt: (url: string) => Promise<T | null>): Promise<T> {
    const late = AbortSignal.timeout(DEADLINE_MS);
    for (let n = 0; !late.aborted; n++) {
      const urls = system.apart.approvalsUrls;
      const value = await attempt(urls[n % urls.length] ?? "").catch(() => null);
      if (value !== null) return value;
      await pause(20);
    }
    throw new Error(`Waited ${DEADLINE_MS / 1000} s for ${what}.`);
  }

  /** Adds a second approver to the file of API keys, and waits until every replica has read it. */
  async function addApprover(): Promise<void> {
    const file = system.apart.keys.approvalsKeysFile;
    const entries = JSON.parse(await readFile(file, "utf8")) as { readonly roles: readonly string[] }[];
    const first = entries.find(({ roles }) => roles.includes("approver"));
    const sha256 = createHash("sha256").update(SECOND).digest("hex");
    await writeFile(file, JSON.stringify([...entries, { ...first, id: "second", principal: "second", sha256 }]));
    // Each replica reads the file again within two seconds, so each one is asked until it knows the key.
    for (const url of system.apart.approvalsUrls)
      await patiently("a replica that knows the second approver", async (other) =>
        other === url && (await fetch(`${url}/v1/approvals`, sentBy(SECOND))).ok ? true : null,
      );
  }
});

function sentBy(key: string): RequestInit {
  return {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    signal: AbortSignal.timeout(REQUEST_MS),
  };
}

const pick = (random: () => number, count: number): number => Math.floor(random() * count);
