import path from "node:path";
import { describeOnServer } from "@toolbus/testing/servers";
import { describe, expect, it } from "vitest";
import { onServers } from "./testing/dead-letter-places.ts";
import { startCommand } from "./testing/program.ts";
import { scratch, taggedRepository } from "./testing/scratch.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const BOOT = path.join(ROOT, "scripts/boot.mjs");

describeOnServer("nats", "./toolbus demo with its services in separate processes", (broker) =>
  describeOnServer("redis", "and Redis", (redis) => {
    it("stops them in order on SIGTERM, leaves none behind, and says how to continue", async () => {
      const place = onServers(broker(), redis());
      const files = scratch();
      try {
        const { BUS_URL = "", STATE_URL = "" } = place.env;
        const servers = ["--bus", BUS_URL, "--state", STATE_URL, "--replicas", "1"];
        const args = ["demo", "--repo", taggedRepository(files.at("repo")), "--data", files.data(), ...servers];
        await using program = startCommand(path.join(ROOT, "toolbus"), args, {});
        const [, services = ""] = await program.says(/^Services: (.+)\.$/m);
        const pids = [...services.matchAll(/\((\d+)\)/g)].map(([, pid]) => Number(pid));
        expect(pids).toHaveLength(5);
        program.kill("SIGTERM");
        const { code, stderr } = await program.ended();
        expect(code).toBe(130);
        expect(stderr).toMatch(/^Interrupted\. Run the same command to continue\.$/m);
        expect(pids.filter(isThere)).toEqual([]);
      } finally {
        files.remove();
        await place.remove([]);
      }
    });
  }),
);

describe("npm start", () => {
  it("also stops in order if its parent is killed, and cannot pass anything on", async () => {
    const files = scratch();
    try {
      const env = { DATA_DIR: files.data(), GATEWAY_PORT: "0", APPROVALS_PORT: "0" };
      await using program = startCommand(process.execPath, [BOOT, "start"], { env });
      await program.says(/Stop with Ctrl-C/);
      program.kill("SIGKILL");
      // The output closes only when every process that inherited it has ended, including the started process.
      expect(await program.ended()).toMatchObject({ signal: "SIGKILL", stdout: expect.stringContaining("Stopping; open work") });
    } finally {
      files.remove();
    }
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
