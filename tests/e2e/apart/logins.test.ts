import { startServersWithLogins, type ServersWithLogins } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patientClient } from "./client.ts";
import { type ApartSystem, startApartSystem } from "./system.ts";

describe.each(["rabbitmq", "nats"] as const)("every service with the login that was made for it, on %s and Redis", (kind) => {
  let servers: ServersWithLogins;
  let system: ApartSystem;
  beforeAll(async () => {
    servers = await startServersWithLogins(kind);
    system = await startApartSystem({ addresses: servers.addressesOf, replicas: 1, releases: ["calm"] });
  });
  afterAll(async () => {
    await system?.stop();
    await servers?.remove();
  });

  it("investigates a release to its filed report, and nobody misses a right", async () => {
    const client = patientClient(system.apart);
    const { runId } = await client.investigate("calm");
    const received = await client.toTheEnd(runId);
    expect({ end: received.at(-1)?.event.type, said: system.output().slice(-4000) }).toMatchObject({ end: "run.completed" });
    expect(system.api.reports()).toHaveLength(1);
    expect(system.output()).not.toMatch(/refuse|permit|ACCESS_REFUSED|no right|NOPERM/i);
  });
});
