import { describe, expect, it } from "vitest";
import { asks, bundle, ok, RUN } from "../testing/test-bundle.ts";

const report = { kind: "conclusion", subjectFromInput: "subject" } as const;

describe("a run", () => {
  it("can be stored to its end, however large its input, findings and answer", async () => {
    const b = bundle({ profile: { report, limits: { maxRounds: 25, activeMs: 600_000, maxTools: 12, maxTokens: 100_000 } } });
    await b.start({ input: { alert: "x".repeat(30_000) }, text: "y".repeat(20_000) });
    for (let round = 1; round <= 25; round++) {
      const looks = Array.from({ length: 8 }, (_, n) => asks("look", `r${round}c${n}`, { n }));
      const findings = Array.from({ length: 14 }, (_, n) => `${n}${"z".repeat(1900)}`);
      await b.turn([...looks, asks("conclude", `r${round}`, { severity: "high", findings, summary: "It broke." })]);
      for (let n = 0; n < 8; n++) expect(await b.answer(n, ok(`${round}.${n}`))).toBe("ok");
    }
    await b.turn([], "w".repeat(60_000));
    const { value } = (await b.snapshot()).run;
    expect(value.status).toBe("done");
    expect(value.ending?.text).toMatch(/^w+\n\[\d+ characters left out\]$/);
    expect(value.report).toMatchObject({ severity: "high", findings: expect.arrayContaining([expect.stringMatching(/^0z/)]) });
    expect((await b.events()).at(-1)).toMatchObject({ type: "run.completed", text: expect.stringContaining("w".repeat(15_000)) });
  });

  it("keeps the newest evidence if not all of it fits", async () => {
    const b = bundle({ profile: { report } });
    await b.start();
    for (let round = 1; round <= 25; round++) {
      await b.turn(Array.from({ length: 8 }, (_, n) => asks("look", `r${round}c${n}`, { n })));
      for (let n = 0; n < 8; n++) await b.answer(n);
    }
    const evidence = (await b.snapshot()).run.value.report?.evidence ?? [];
    expect(evidence.at(-1)?.callId).toBe(`${RUN}.25.7`);
    expect(evidence.length).toBeGreaterThan(50);
    expect(evidence.length).toBeLessThan(200);
  });
});
