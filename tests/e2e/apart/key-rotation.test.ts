import { randomBytes } from "node:crypto";
import { APART, SHARED_TOOLSETS } from "@toolbus/all-in-one";
import type { WriteList, WriteView } from "@toolbus/contracts";
import { type Rotatable, rotateServiceKeys } from "@toolbus/runtime";
import { startServersWithLogins, type ServersWithLogins } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patientClient } from "./client.ts";
import { load } from "./load.ts";
import { type ApartSystem, startApartSystem } from "./system.ts";

const LONG = ![undefined, "ci"].includes(process.env["LONG_PROOFS"]);
const REPLICAS = LONG ? 2 : 1;
const ROTATED = [
  "gateway",
  "agent",
  "approvals",
  "approvals-seals",
  "worker.release",
  "worker.operations",
] as const satisfies readonly Rotatable[];
const RELEASES = Array.from({ length: 400 }, (_, n) => `r${n}`);

describe.each(LONG ? (["rabbitmq", "nats"] as const) : (["nats"] as const))("the keys of all services, on %s and Redis", (kind) => {
  let servers: ServersWithLogins;
  let system: ApartSystem;
  beforeAll(async () => {
    servers = await startServersWithLogins(kind);
    system = await startApartSystem({ addresses: servers.addressesOf, replicas: REPLICAS, releases: ["calm", ...RELEASES] });
  });
  afterAll(async () => {
    await system?.stop();
    await servers?.remove();
  });

  it("are rotated under load, with reads and approved writes, and no run fails", async () => {
    const client = patientClient(system.apart);
    const rotated = new AbortController();
    const reads = load(client, rotated.signal);
    const writes = investigations();
    for (const step of ["verifying", "signing"] as const) {
      for (const service of ROTATED) expect(await rotate(service, false)).toBe(step);
      await restartAll();
      // A pin of a write contains its worker's public key. So the operator enables the writes again, before approvals requires a pin with the new
      // key.
      await enableWrites();
    }
    const before = writes.underWay();
    await resealed();
    await Promise.all(before);
    // Tokens, counts and lists keep the old seal for days, so the key of the old seal must stay.
    for (const service of ROTATED) if (service !== "approvals-seals") expect(await rotate(service, true)).toBe(null);
    await restartAll();
    rotated.abort();
    const [{ ends }, filed] = await Promise.all([reads, writes.stop()]);
    const said = system.output().slice(-4000);
    expect({ failed: ends.filter((end) => !/^run\.completed (?:ok|timeout)$/.test(end)), said }).toMatchObject({ failed: [] });
    expect({ failed: filed.filter((end) => end !== "run.completed filed"), said }).toMatchObject({ failed: [] });
    expect(filed.length).toBeGreaterThanOrEqual(5);
    expect(system.api.reports()).toHaveLength(filed.length);
    console.log(
      `${kind}: ${ends.length} runs with reads and ${filed.length} with an approved write while ${ROTATED.length} keys were rotated, none failed`,
    );
  });

  function rotate(service: Rotatable, finish: boolean) {
    return rotateServiceKeys(system.apart.keys.services, service, { finish, toolsets: SHARED_TOOLSETS, random: randomBytes });
  }

  async function restartAll(): Promise<void> {
    for (const service of APART) for (let number = 1; number <= REPLICAS; number++) await system.apart.restart(service, number);
  }

  /** Runs investigations one after another, each with a write that a person approves. */
  function investigations() {
    const client = patientClient(system.apart);
    const ended: string[] = [];
    let stopped = false;
    let current: Promise<unknown> = Promise.resolve();
    const all = (async () => {
      for (const release of RELEASES) {
        if (stopped) return;
        current = one(release);
        await current;
      }
    })();
    return {
      /** Returns the runs that have begun but not ended. */
      underWay: () => [current],
      async stop(): Promise<readonly string[]> {
        stopped = true;
        await all;
        return ended;
      },
    };

    async function one(release: string): Promise<void> {
      const { runId } = await client.investigate(release);
      const end = (await client.toTheEnd(runId)).at(-1)?.event;
      ended.push(`${end?.type} ${end?.type === "run.completed" ? end.report?.filing.status : JSON.stringify(end)}`);
    }
  }

  async function enableWrites(): Promise<void> {
    const { writes } = await asOperator<WriteList>("/v1/writes");
    for (const { tool, state } of writes) {
      if (state === "enabled") continue;
      const { registered } = await asOperator<WriteView>(`/v1/writes/${tool}`);
      for (const { toolset, hash, receiptKeys } of registered)
        await asOperator(`/v1/writes/${tool}/enable`, { toolset, hash, receiptKeys });
    }
  }

  async function resealed(): Promise<void> {
    expect(await asOperator("/v1/seals/again", {})).toMatchObject({ left: 0 });
  }

  async function asOperator<T>(path: string, body?: object): Promise<T> {
    const { approvalsUrls, keys } = system.apart;
    const response = await fetch(`${approvalsUrls[0]}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${keys.approver}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
});
