import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Brain } from "@toolbus/model-servers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { modelSystem, oneRelease, RELEASE } from "./testing/model-system.ts";
import { VENDORS } from "./testing/model-vendors.ts";
import { runProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const LONG = process.env["LONG_PROOFS"] !== undefined;
/** The duration of a turn in the long form of the test. */
const TURN_MS = 17_000;
const TURNS = 3;
/** The short form divides all times by this: the limits of the profile, the limits of the agent, and the duration of a turn. */
const SHORTER = 20;
const MODEL_TIMEOUT_MS = 120_000;
const CHAT = fileURLToPath(new URL("../../services/agent/profiles/chat.yaml", import.meta.url));

describe("a model of ordinary speed", () => {
  let files: Scratch;
  beforeEach(() => {
    files = scratch();
  });
  afterEach(() => files.remove());

  it(`answers in the default chat with two tools, one after another, ${TURN_MS / 1000} s a turn${LONG ? "" : `, all of it ${SHORTER} times as fast`}`, async () => {
    await using begun = new AsyncDisposableStack();
    const api = await oneRelease(files.at("api"));
    begun.defer(() => api.stop());
    const vendor = VENDORS.find(({ name }) => name === "anthropic");
    if (!vendor) throw new Error("There is no such vendor.");
    const directory = files.data();
    const { server, system, stop } = await modelSystem(vendor, { directory, api, env: LONG ? {} : shorter() });
    begun.defer(stop);
    server.think(oneToolATurn());
    server.failNext(...Array.from({ length: TURNS }, () => ({ kind: "slow", afterMs: LONG ? TURN_MS : TURN_MS / SHORTER }) as const));
    const env = { TOOLBUS_URL: system.gatewayUrl, TOOLBUS_APPROVALS_URL: system.approvalsUrl, DATA_DIR: directory };
    const ended = await runProgram(TOOLBUS, ["chat", "How is the release?", "--json"], { env, deadlineMs: 100_000 });
    expect(ended).toMatchObject({ code: 0 });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      status: "completed",
      answer: "Both were read.",
      calls: [{ status: "ok" }, { status: "ok" }],
    });
    expect(server.requests).toHaveLength(TURNS);
    const { checks } = JSON.parse((await runProgram(TOOLBUS, ["doctor", "--json"], { env })).stdout) as {
      readonly checks: readonly object[];
    };
    expect(checks).toContainEqual({
      name: "model",
      ...(LONG
        ? {
            level: "warn",
            message: expect.stringMatching(/ took 1[789] s for the turn of round \d of the last run\.$/),
            fix: expect.any(String),
          }
        : { level: "ok", message: expect.stringMatching(/, last used$/) }),
    });
  });

  /** Returns the settings that give the built-in chat a fraction of its usual time limits. */
  function shorter(): Readonly<Record<string, string>> {
    const part = (seconds: string): string => String(Math.max(1, Math.floor(Number(seconds) / SHORTER)));
    const profile = readFileSync(CHAT, "utf8").replace(/activeSeconds: (\d+)/, (_, seconds: string) => `activeSeconds: ${part(seconds)}`);
    files.file("profiles/chat.yaml", profile);
    return { PROFILES_DIR: files.at("profiles"), MODEL_TIMEOUT_MS: String(MODEL_TIMEOUT_MS / SHORTER) };
  }
});

/** Returns a model that makes a read, makes another read after the result, and then writes text. */
function oneToolATurn(): Brain {
  return ({ messages }) => {
    const answered = messages.filter(({ role }) => role === "tool").length;
    if (answered === TURNS - 1) return { text: "Both were read." };
    return { calls: [{ name: "get_release_summary", arguments: { release_id: RELEASE } }] };
  };
}
