import { definitionFault, type Registration } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { definitionPace, LEAST_NEW, MOST_MS } from "./definition-pace.ts";

const MINUTE_MS = 60_000;

describe("new definitions of a toolset", () => {
  it("that are expensive are judged only a few per minute, whatever else it registers; then a tool stays as it was, and the operator reads why", async () => {
    const t = setup({ costMs: 100 });
    const used = [];
    for (let n = 0; n < 200; n++) used.push((await t.pace.admit([registration("hostile", "look", n)]))[0]);
    const hashes = used.map((one) => one?.hash);
    expect(hashes.slice(0, LEAST_NEW)).toEqual(Array.from({ length: LEAST_NEW }, (_, n) => `hash-look-${n}`));
    expect(new Set(hashes.slice(LEAST_NEW))).toEqual(new Set([`hash-look-${LEAST_NEW - 1}`]));
    expect(t.judged()).toBe(LEAST_NEW);
    expect(t.lines).toEqual([expect.stringMatching(/toolset "hostile" registers definitions faster than they can be read/)]);
  });

  it("are accepted as renewed while they stay unchanged", async () => {
    const t = setup({ costMs: MOST_MS });
    for (let n = 0; n < LEAST_NEW; n++) await t.pace.admit([registration("hostile", "look", n)]);
    const [used] = await t.pace.admit([
      { ...registration("hostile", "look", 99), lastSeenAt: 77, unavailable: { since: 5, reason: "It rests." } },
    ]);
    expect(used).toMatchObject({ hash: `hash-look-${LEAST_NEW - 1}`, lastSeenAt: 77, unavailable: { reason: "It rests." } });
  });

  it("are judged again in the next minute", async () => {
    const t = setup({ costMs: MOST_MS });
    for (let n = 0; n < 50; n++) await t.pace.admit([registration("hostile", "look", n)]);
    t.tick(MINUTE_MS);
    expect((await t.pace.admit([registration("hostile", "look", 60)]))[0]?.hash).toBe("hash-look-60");
    expect(t.judged()).toBe(LEAST_NEW + 1);
  });

  it("of another toolset are still judged", async () => {
    const t = setup({ costMs: MOST_MS });
    for (let n = 0; n < 50; n++) await t.pace.admit([registration("hostile", "look", 100 + n)]);
    const [used] = await t.pace.admit([registration("honest", "look", 1)]);
    expect(used).toMatchObject({ toolset: "honest", hash: "hash-look-1" });
  });

  it("that did not exist before are left out meanwhile", async () => {
    const t = setup({ costMs: MOST_MS });
    const many = Array.from({ length: 50 }, (_, n) => registration("hostile", `tool_${n}`, 200));
    expect(await t.pace.admit(many)).toHaveLength(LEAST_NEW);
  });

  it("that are cheap are judged in any number, as when a large toolset is rolled out", async () => {
    const t = setup({ costMs: 2 });
    const rollOut = (version: number) => Array.from({ length: 200 }, (_, n) => registration("honest", `tool_${n}`, 1000 + version));
    const [first, second] = [await t.pace.admit(rollOut(1)), await t.pace.admit(rollOut(2))];
    expect(first).toHaveLength(200);
    expect(second.map(({ hash }) => hash)).toEqual(rollOut(2).map(({ hash }) => hash));
    expect(t.lines).toEqual([]);
  });

  it("are never delayed if there are only a few, however long each takes on a slow machine", async () => {
    const t = setup({ costMs: 10 * MOST_MS });
    for (let n = 0; n < LEAST_NEW; n++)
      expect((await t.pace.admit([registration("honest", `slow_${n}`, 3000)]))[0]?.hash).toBe(`hash-slow_${n}-3000`);
    expect(t.lines).toEqual([]);
  });

  it("let other work run between two of them", async () => {
    const t = setup({ costMs: 100 });
    let turns = 0;
    const counting = setImmediate(function count() {
      turns++;
      setImmediate(count).unref();
    });
    await t.pace.admit(Array.from({ length: LEAST_NEW }, (_, n) => registration("hostile", `turn_${n}`, 4000)));
    clearImmediate(counting);
    expect(turns).toBeGreaterThanOrEqual(LEAST_NEW - 1);
  });
});

/** Sets up a pace. The judgement of each new definition takes `costMs`. */
function setup({ costMs }: { readonly costMs: number }) {
  let now = 0;
  let judged = 0;
  const lines: string[] = [];
  const pace = definitionPace({
    log: { warn: (_: object, words?: string) => void lines.push(words ?? "") },
    monotonic: () => now,
    judge(definition) {
      judged++;
      now += costMs;
      return definitionFault(definition);
    },
  });
  return { pace, lines, judged: () => judged, tick: (ms: number) => (now += ms) };
}

let made = 0;

/** Returns a registration with a schema that no other test has compiled. */
function registration(toolset: string, name: string, version: number): Registration {
  const parameters = { type: "object", properties: { [`q${++made}`]: { type: "string" } } };
  const definition = { name, version: "1", kind: "read", description: "Looks.", parameters, risk: { tier: "low" } };
  return { toolset, definition, hash: `hash-${name}-${version}`, registeredAt: 1, lastSeenAt: 1 } as unknown as Registration;
}
