import { readFileSync } from "node:fs";
import { platform } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type ApartName, stampOfBuild } from "@toolbus/all-in-one";
import { startServersWithLogins } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BEFORE, checkOut, hasHistory, install, manifestOf } from "../upgrade/manifest-of.ts";
import { patientClient } from "./apart/client.ts";
import { startApartSystem } from "./apart/system.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const ENABLED = "services/tool-executor/enabled-tools.json";
const MAINS: Readonly<Record<ApartName, string>> = {
  gateway: "services/gateway/src/main.ts",
  agent: "services/agent/src/main.ts",
  approvals: "services/approvals/src/main.ts",
  "tool-executor": "services/tool-executor/src/main.ts",
  operations: "services/tool-executor/src/main.ts",
  mcp: "services/tool-executor/src/main.ts",
};

// The short form leaves this file out, because it installs another version and starts two systems. A shallow clone lacks the other version, and
// only Linux shows the command lines of the processes.
describe.skipIf(!hasHistory() || platform() !== "linux")(
  `processes of this version beside processes of ${BEFORE}, on RabbitMQ and Redis`,
  () => {
    let files: Scratch;
    let removeCheckout: () => void;
    let stampFile: string;
    const before = (): string => files.at("before");
    beforeAll(async () => {
      files = scratch();
      removeCheckout = checkOut(before());
      install(before());
      stampFile = files.file("stamp.json", JSON.stringify(await stampOfBuild(["release"], "")));
    }, 400_000);
    afterAll(async () => {
      removeCheckout?.();
      files?.remove();
    });

    it.each<{ readonly older: readonly ApartName[]; readonly newer: string }>([
      { older: ["agent", "gateway"], newer: "the worker and approvals" },
      { older: ["tool-executor", "operations", "approvals"], newer: "the agent and the gateway" },
    ])("finish a run with an approved write, where $older are the older ones, and $newer the newer ones", async ({ older }) => {
      const release = `mixed-${older[0] ?? ""}`;
      // Each system has its own keys, and the signatures in a store are those of one system.
      const servers = await startServersWithLogins("rabbitmq");
      await using ended = new AsyncDisposableStack();
      ended.defer(() => servers.remove());
      const system = await startApartSystem({
        addresses: servers.addressesOf,
        replicas: 1,
        releases: [release],
        // A process of the older version does not know the first two settings. The stamp is that of this build, so an agent would wait until its workers
        // run. A write has another hash in each version, and each version of approvals has enabled its own.
        env: {
          GOLDEN_CALLS: "required",
          ...(older.includes("tool-executor") ? { TOOLS_ENABLED_FILE: path.join(before(), ENABLED) } : { REGISTRY_STAMP_FILE: stampFile }),
          LOG_LEVEL: "info",
          LOG_FORMAT: "json",
        },
        modules: Object.fromEntries(older.map((service) => [service, pathToFileURL(path.join(before(), MAINS[service])).href])),
      });
      ended.defer(() => system.stop());
      const client = patientClient(system.apart);
      const { runId } = await client.investigate(release);
      const events = (await client.toTheEnd(runId)).map(({ event }) => event);
      expect(events.at(-1)).toMatchObject({ type: "run.completed", report: { filing: { status: "filed" } } });
      expect(events.map(({ type }) => type)).toContain("call.decided");
      expect(system.api.reports().map(({ release_id: id }) => id)).toEqual([release]);
      for (const { service, process } of system.apart.replicas()) {
        const command = readFileSync(`/proc/${process.pid}/cmdline`, "utf8");
        expect([service, command.includes(before())]).toEqual([service, older.includes(service)]);
      }
      expect(system.output().includes("the golden calls passed")).toBe(!older.includes("tool-executor"));
    });

    it("have the manifests that are recorded: the older one writes and reads what its fixture says", () => {
      expect(manifestOf(before())).toBe(readFileSync(path.join(ROOT, `tests/fixtures/compatibility-${BEFORE}.json`), "utf8"));
    });
  },
);
