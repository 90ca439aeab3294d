import { generateSigningKey, publicKeySet } from "@toolbus/grants";
import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { onServers } from "../testing/dead-letter-places.ts";
import { scratch } from "../testing/scratch.ts";
import { startDoctored } from "./doctored.ts";

const NOWHERE = "http://127.0.0.1:9/.well-known/jwks.json";
/** With these settings no write is enabled, so approvals has pinned no write. */
const NOTHING_PINNED = { TOOLS_ENABLED_FILE: "", PIN_ON_FIRST_SIGHT: "false" };
const FAULTS = [
  { message: expect.stringMatching(/file_risk_report@1 cannot be used now: its worker cannot check grants: .*JWKS_URL/) as string },
  { message: expect.stringMatching(/^file_risk_report@1 \(pending\) waits for an operator/) as string },
];

describeOnServer("nats", "toolbus doctor, of a new system in which nothing is pinned", (broker) =>
  describeOnServer("redis", "and Redis", (redis) => {
    it("fails while a worker has the keys of another approvals, or cannot reach JWKS_URL, before the first write is enabled", async () => {
      await using held = new AsyncDisposableStack();
      const files = scratch();
      held.defer(() => files.remove());
      const place = onServers(broker(), redis());
      held.defer(() => place.remove([]));
      const others = files.file("others.json", JSON.stringify(publicKeySet([await generateSigningKey()])));
      await using system = await startDoctored({
        busUrl: place.env["BUS_URL"] ?? "",
        stateUrl: place.env["STATE_URL"] ?? "",
        settings: { approvals: NOTHING_PINNED, "tool-executor": { JWKS_FILE: others } },
        first: ["tools", "writes"],
      });
      expect(await system.faults(["tools", "writes"])).toMatchObject(FAULTS);
      await system.again("tool-executor");
      await system.faults(["writes"]);
      await system.again("tool-executor", { JWKS_URL: NOWHERE });
      expect(await system.faults(["tools", "writes"])).toMatchObject(FAULTS);
    });
  }),
);
