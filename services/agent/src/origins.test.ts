import { keys } from "@toolbus/contracts";
import { ownKeys, signedReader } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { OriginUndecided, originReader } from "./origins.ts";
import { signedOrigin } from "./testing/origin-under-test.ts";
import { readerUnderTest } from "./testing/test-reader.ts";

const RUNS = ["rn_03_01JD0000000000000000000002", "rn_03_01JD0000000000000000000003"];

describe("an origin that is signed with a key that the agent does not know", () => {
  it("makes the agent say once what is missing, and the run wait", async () => {
    await using bench = await readerUnderTest();
    const state = memoryStore({ clock: () => 1 });
    const foreign = (await ownKeys(["gateway"])).identityOf("gateway");
    for (const runId of RUNS) {
      const value = await signedOrigin({ ...(await bench.message()), runId }, foreign);
      const key = keys.runOrigin(runId);
      await state.commit("03", { op: runId, guards: [{ key, version: 0 }], put: [{ key, value }] });
    }
    const lines: string[] = [];
    const log = { ...silentLog, error: (fields: unknown, text?: string) => void lines.push(`${JSON.stringify(fields)} ${text}`) };
    const reader = signedReader({ typ: "tb-origin+jwt", keys: (await ownKeys(["gateway"])).trusted.of("gateway") });
    const origins = originReader({ state, reader, log: log as typeof silentLog });
    for (const runId of [...RUNS, ...RUNS]) await expect(origins.of(runId)).rejects.toBeInstanceOf(OriginUndecided);
    expect(lines).toEqual([expect.stringMatching(/rn_03_01JD0000000000000000000002.*the key .* is not known.*SERVICE_KEYS_FILE/)]);
  });
});
