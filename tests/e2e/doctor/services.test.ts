import { generateSigningKey, publicKeySet } from "@toolbus/grants";
import { describeOnServer } from "@toolbus/testing/servers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onServers, type Place } from "../testing/dead-letter-places.ts";
import { type Doctored, startDoctored } from "./doctored.ts";

const LONG = ![undefined, "ci"].includes(process.env["LONG_PROOFS"]);
const HOUR_MS = 3_600_000;
const NOWHERE = "http://127.0.0.1:9/.well-known/jwks.json";

describeOnServer("nats", "toolbus doctor, of services in processes of their own", (broker) =>
  describeOnServer("redis", "and Redis", (redis) => {
    let place: Place;
    let system: Doctored;
    beforeAll(async () => {
      place = onServers(broker(), redis());
      const { BUS_URL: busUrl = "", STATE_URL: stateUrl = "" } = place.env;
      system = await startDoctored({ busUrl, stateUrl });
    });
    afterAll(async () => {
      await system?.[Symbol.asyncDispose]();
      await place?.remove([]);
    });

    it("fails when the worker of a toolset was stopped, with the remedy, also without --json", async () => {
      await system.end("tool-executor", "stop");
      expect(await system.faults(["tools"])).toMatchObject([
        {
          message: expect.stringMatching(/^6 registered; no worker is alive for file_risk_report@1, get_code_changes@1, /),
          fix: expect.stringMatching(/^Start a worker of "release"\. The command .*TOOLSETS=release npx node /),
        },
      ]);
      const { code, stdout } = await system.toolbus(["doctor"]);
      expect({ code, stdout }).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^fail {2}tools +6 registered[^→]+→ Start a worker of/m),
      });
      await system.again("tool-executor");
      await system.faults([]);
      expect(await system.toolbus(["doctor"])).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/^fail/m) });
    });

    it("fails when the target of a toolset cannot be reached, with what the toolset's own check says", async () => {
      const open = await system.closeTarget();
      expect(await system.faults(["tools"])).toMatchObject([
        {
          message: expect.stringMatching(/cannot be used now: The release API cannot be reached\. Start it, or correct RELEASE_API_URL\.$/),
          fix: expect.stringMatching(/^Fix what the reason says/),
        },
      ]);
      await open();
      await system.faults([]);
    });

    it.each([
      [
        "has the keys of another approvals",
        async () => ({ JWKS_FILE: system.file("others.json", JSON.stringify(publicKeySet([await generateSigningKey()]))) }),
      ],
      ["cannot reach the keys of approvals", async () => ({ JWKS_URL: NOWHERE })],
    ])("fails when a worker %s, and names the settings", async (_, settings) => {
      await system.again("tool-executor", await settings());
      expect(await system.faults(["tools"])).toMatchObject([
        { message: expect.stringMatching(/file_risk_report@1 cannot be used now: its worker cannot check grants: .*JWKS_URL/) },
      ]);
      await system.again("tool-executor");
      await system.faults([]);
    });

    it("fails when a new write waits for an operator, and is content once one has enabled it", async () => {
      await system.again("tool-executor", { NEW_WRITE: "1" });
      expect(await system.faults(["writes"])).toMatchObject([
        {
          message: expect.stringMatching(/^withdraw_release@1 \(pending\) waits for an operator/),
          fix: expect.stringContaining("tools pending"),
        },
      ]);
      const { stdout } = await system.toolbus(["tools", "show", "withdraw_release", "--diff"]);
      const [, line = ""] = /\n {2}toolbus (tools enable .*)\n$/.exec(stdout) ?? [];
      expect(await system.toolbus([...line.split(" "), "--yes"])).toMatchObject({ code: 0 });
      await system.faults([]);
    });

    it("fails when approvals is down, with its address and how to start it", async () => {
      await system.end("approvals", "kill");
      expect(await system.faults(["approvals"])).toMatchObject([
        { message: `Nothing listens at ${system.apart.approvalsUrls[0]}.`, fix: expect.stringMatching(/^Start /) },
      ]);
      await system.again("approvals");
      await system.faults([]);
    });

    it("fails when approvals stands still with its connections open, and consumes nothing", async () => {
      const goOn = system.freeze("approvals");
      expect(await system.faults(["approvals"])).toMatchObject([
        { message: expect.stringMatching(/did not answer within 5 s/), fix: expect.stringMatching(/./) },
      ]);
      goOn();
      await system.faults([]);
    });

    it("fails when the clock of a process is off", async () => {
      await system.shiftApprovals(2 * HOUR_MS);
      expect(await system.faults(["clock"])).toMatchObject([
        {
          message: expect.stringMatching(/^Approvals says: its machine's clock is 2\.0 h ahead of the state store's\.$/),
          fix: expect.stringMatching(/NTP/),
        },
      ]);
      await system.shiftApprovals(0);
      await system.faults([]);
    });

    it("fails when the agent was killed and a run waits for one, and says that nothing is lost", async () => {
      await system.end("agent", "kill");
      const { runId } = await system.client.say("hello");
      expect(await system.faults(["agents"])).toMatchObject([
        {
          message: expect.stringMatching(new RegExp(`^1 run waits to be taken by an agent, the oldest \\(${runId}\\) for \\d+ s\\.$`)),
          fix: expect.stringMatching(/^Start the agent service.*Nothing is lost/),
        },
      ]);
      await system.again("agent");
      await system.client.toTheEnd(runId);
      await system.faults([]);
    });

    it("fails when the agent stands still with its connections open, and a message grows old in its queue", async () => {
      const goOn = system.freeze("agent");
      const { runId } = await system.client.say("hello");
      expect(await system.faults(["agents"])).toMatchObject([
        {
          message: expect.stringMatching(new RegExp(`^1 run waits to be taken by an agent, the oldest \\(${runId}\\) for \\d+ s\\.$`)),
          fix: expect.stringMatching(/^Start the agent service, or see in its log why it does not take them/),
        },
      ]);
      goOn();
      await system.client.toTheEnd(runId);
      await system.faults([]);
    });

    // Each of these tests takes a minute and a half, because it uses the product's default times.
    it.runIf(LONG)("fails when the agent was killed and no run waits, once three heartbeats are missing", async () => {
      await system.end("agent", "kill");
      expect(await system.faults(["agents"], 150_000)).toMatchObject([
        {
          message: expect.stringMatching(/^No agent "default" has sent a heartbeat for 1 min/),
          fix: expect.stringMatching(/^Start the agent service/),
        },
      ]);
      await system.again("agent");
      await system.faults([]);
    });

    it.runIf(LONG)("fails when a call grows old in a queue whose worker stands still", async () => {
      const goOn = system.freeze("tool-executor");
      const { runId } = await system.client.say('get_release_summary {"release_id": "calm"}');
      expect(await system.faults(["tools", "runs"], 150_000)).toMatchObject([
        { message: expect.stringMatching(/no worker is alive for/), fix: expect.stringMatching(/^Start a worker of/) },
        { message: expect.stringMatching(new RegExp(`^${runId} waits for 1 min`)), fix: expect.stringContaining(`runs why ${runId}`) },
      ]);
      goOn();
      await system.client.toTheEnd(runId);
      await system.faults([]);
    });
  }),
);
