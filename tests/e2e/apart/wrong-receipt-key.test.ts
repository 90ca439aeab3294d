import { copyFile } from "node:fs/promises";
import path from "node:path";
import { workerKeyFile } from "@toolbus/runtime";
import { startServersWithLogins, type ServersWithLogins } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patientClient } from "./client.ts";
import { type ApartSystem, startApartSystem } from "./system.ts";

describe("a worker with the receipt key of another toolset", () => {
  let servers: ServersWithLogins;
  let system: ApartSystem;
  beforeAll(async () => {
    servers = await startServersWithLogins("nats");
    system = await startApartSystem({ addresses: servers.addressesOf, replicas: 1, releases: ["calm"] });
  });
  afterAll(async () => {
    await system?.stop();
    await servers?.remove();
  });

  it("does not start, with one sentence, so it makes no approved write, which is done once by a worker with the right key", async () => {
    const client = patientClient(system.apart);
    const { services } = system.apart.keys;
    const file = workerKeyFile(services, "release");
    const right = path.join(services.directory, "right.jwk");
    await copyFile(file, right);
    const { runId } = await client.investigate("calm");
    const held = Promise.withResolvers<string>();
    const ended = client.toTheEnd(runId, held.resolve);
    const approvalId = await held.promise;

    await copyFile(workerKeyFile(services, "operations"), file);
    await expect(system.apart.restart("tool-executor", 1)).rejects.toThrow(
      `The key in RECEIPT_KEY_FILE ${file} is not the key of worker.release in SERVICE_KEYS_FILE ${services.trusted}, so everything that it signs would be refused: set RECEIPT_KEY_FILE to the key file that "toolbus keys" made for worker.release`,
    );
    const [refused] = system.replicas("tool-executor");
    expect(refused?.process.alive()).toBe(false);
    await client.approve(approvalId);
    expect(system.api.reports()).toEqual([]);

    await copyFile(right, file);
    await system.apart.restart("tool-executor", 1);
    const end = (await ended).at(-1)?.event;
    expect(end).toMatchObject({ type: "run.completed", report: { filing: { status: "filed" } } });
    expect(system.api.reports()).toHaveLength(1);
  });
});
