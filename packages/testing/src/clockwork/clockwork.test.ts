import { describe, expect, it } from "vitest";
import { clockwork, START } from "./clockwork.ts";
import { drive } from "./drive.ts";
import { activeProcess, simProcess } from "./sim-process.ts";
import { installVirtualTime } from "./virtual-time.ts";

installVirtualTime();

describe("virtual time", () => {
  it("moves from one event to the next, in the order of their times", async () => {
    const t = setup();
    t.time.schedule(null, 20, "late", () => t.happened.push(`late at ${t.time.now - START}`));
    t.time.schedule(null, 10, "early", () => t.happened.push(`early at ${t.time.now - START}`));
    await t.run();
    expect(t.happened).toEqual(["early at 10", "late at 20"]);
  });

  it("lets an event settle with all its microtasks before the next", async () => {
    const t = setup();
    t.time.schedule(null, 1, "first", () => void later(t.happened, "first", 40));
    t.time.schedule(null, 1, "second", () => t.happened.push("second"));
    await t.run();
    expect(t.happened).toEqual(["first", "second"]);
  });

  it("drops the pending events of a killed process, and cancelled events", async () => {
    const t = setup();
    t.process.after(5, "never", () => t.happened.push("never"));
    const callOff = t.time.schedule(null, 5, "called off", () => t.happened.push("called off"));
    t.time.schedule(null, 1, "kill", () => {
      t.process.kill();
      callOff();
    });
    await t.run();
    expect(t.happened).toEqual([]);
  });

  it("delays what a paused process missed, and keeps its order", async () => {
    const t = setup();
    t.process.after(2, "one", () => t.happened.push(`one at ${t.time.now - START}`));
    t.process.after(3, "two", () => t.happened.push(`two at ${t.time.now - START}`));
    t.time.schedule(null, 1, "pause", () => t.process.pause(50));
    t.time.schedule(null, 10, "others", () => t.happened.push("others"));
    await t.run();
    expect(t.happened).toEqual(["others", "one at 51", "two at 51"]);
  });

  it("stops at the requested time", async () => {
    const t = setup();
    for (let ms = 1; ms <= 5; ms++) t.time.schedule(null, ms, "tick", () => t.happened.push(String(ms)));
    await t.run(START + 3);
    expect(t.happened).toEqual(["1", "2", "3"]);
  });

  it("reports a kill once", () => {
    const t = setup();
    let reported = 0;
    t.process.onKill(() => reported++);
    t.process.kill();
    t.process.kill();
    expect(reported).toBe(1);
  });
});

describe("a simulated process", () => {
  it("has its timers on virtual time, under whichever name it uses them", async () => {
    const t = setup();
    const { setTimeout: wait } = await import("node:timers/promises");
    t.process.after(0, "starts", () => {
      setTimeout(() => t.happened.push(`timer at ${t.time.now - START}`), 1000);
      clearTimeout(setTimeout(() => t.happened.push("cleared"), 10).unref());
      AbortSignal.timeout(2000).addEventListener("abort", () => t.happened.push(`deadline at ${t.time.now - START}`));
      void wait(3000, "waited").then((value) => t.happened.push(`${value} until ${t.time.now - START}`));
    });
    await t.run();
    expect(t.happened).toEqual(["timer at 1000", "deadline at 2000", "waited until 3000"]);
  });

  it("loses its timers when it dies", async () => {
    const t = setup();
    t.process.after(0, "starts", () => void setTimeout(() => t.happened.push("timer"), 1000));
    t.time.schedule(null, 500, "kill", () => t.process.kill());
    await t.run();
    expect(t.happened).toEqual([]);
  });

  it("signs and verifies within an event, with the same results as WebCrypto", async () => {
    const t = setup();
    const { createPrivateKey, createPublicKey, generateKeyPairSync } = await import("node:crypto");
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const key = createPrivateKey(privateKey.export({ format: "pem", type: "pkcs8" })).toCryptoKey("Ed25519", false, ["sign"]);
    const jwk = createPublicKey(publicKey.export({ format: "pem", type: "spki" })).export({ format: "jwk" });
    const check = await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"]);
    const data = new TextEncoder().encode("what is signed");
    const outside = await crypto.subtle.sign("Ed25519", key, data);
    t.process.after(0, "signs", () => {
      void crypto.subtle.sign("Ed25519", key, data).then(async (signature) => {
        t.happened.push(Buffer.from(signature).equals(Buffer.from(outside)) ? "the same signature" : "another");
        t.happened.push(`${await crypto.subtle.verify("Ed25519", check, signature, data)}`);
        t.happened.push(`${await crypto.subtle.verify("Ed25519", check, signature, data.slice(1))}`);
        const digest = Buffer.from(await crypto.subtle.digest("SHA-256", data)).toString("hex").length;
        t.happened.push(`${digest} hex digits`);
      });
    });
    t.process.after(0, "next", () => t.happened.push("next"));
    await t.run();
    expect(t.happened).toEqual(["the same signature", "true", "false", "64 hex digits", "next"]);
  });

  it("is active only in its own events; all other code keeps Node's timers", async () => {
    const t = setup();
    t.process.after(0, "own", () => t.happened.push(activeProcess()?.name ?? "nobody"));
    t.time.schedule(null, 1, "the world's", () => t.happened.push(activeProcess()?.name ?? "nobody"));
    await t.run();
    expect(t.happened).toEqual(["agent-0.1", "nobody"]);
    expect(setTimeout(() => undefined, 0)).toHaveProperty("hasRef");
  });
});

function setup() {
  const time = clockwork();
  const happened: string[] = [];
  return {
    time,
    happened,
    process: simProcess({ clockwork: time, role: "agent", name: "agent-0.1", skewMs: 0 }),
    run: (until = Number.POSITIVE_INFINITY) => drive(time, { until, goOn: () => true, settled: () => true }),
  };
}

/** Records `what` after this many microtasks. */
async function later(happened: string[], what: string, microtasks: number): Promise<void> {
  for (let i = 0; i < microtasks; i++) await Promise.resolve();
  happened.push(what);
}
