import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { approvals } from "@toolbus/approvals";
import { memoryBus } from "@toolbus/bus";
import type { JsonObject } from "@toolbus/contracts";
import { gateway } from "@toolbus/gateway";
import { ownKeys } from "@toolbus/grants";
import { readSettings } from "@toolbus/runtime";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";

/** The services that serve a description of their API. */
export const SERVICES = ["gateway", "approvals"] as const;

/** Starts both services, each with an HTTP address, on a new store and bus. */
export async function startBoth() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "openapi-"));
  const keys = path.join(folder, "api-keys.json");
  await writeFile(keys, "[]");
  const clock = (): number => 1_750_000_000_000;
  const bus = memoryBus({ clock });
  const state = memoryStore({ clock });
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  const own = await ownKeys(["gateway", "agent", "approvals"]);
  const keyed = { identity: own.identityOf("gateway"), trusted: own.trusted, embedded: true };
  const infrastructure = { bus, state, log: silentLog, ...keyed, random, monotonic: clock, clock };
  const env = {
    GATEWAY_PORT: "0",
    APPROVALS_PORT: "0",
    GATEWAY_API_KEYS_FILE: keys,
    APPROVALS_API_KEYS_FILE: keys,
    APPROVALS_KEY_FILE: path.join(folder, "key.json"),
  };
  const services = {
    gateway: await gateway.start(infrastructure, readSettings(gateway.settings, env)),
    approvals: await approvals.start(infrastructure, readSettings(approvals.settings, env)),
  };
  return {
    async document(name: (typeof SERVICES)[number]): Promise<JsonObject> {
      return (await fetch(`${services[name].url}/openapi.json`)).json() as Promise<JsonObject>;
    },
    async page(name: (typeof SERVICES)[number]) {
      const response = await fetch(`${services[name].url}/docs`);
      return { headers: response.headers, html: await response.text() };
    },
    async stop(): Promise<void> {
      await services.gateway.stop();
      await services.approvals.stop();
      await bus.close();
      await state.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
