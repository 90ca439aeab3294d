import { isDeepStrictEqual } from "node:util";
import { memoryStore } from "@toolbus/state";
import { describeOnServer } from "@toolbus/testing/servers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { redisSpace } from "./redis-space.ts";
import { sequences } from "./store-steps.ts";
import { answersOf, type Twins } from "./twin-stores.ts";

/** To test more sequences, use `STATE_MODEL_SEQUENCES=10000 vitest ...`. */
const SEQUENCES = Number(process.env["STATE_MODEL_SEQUENCES"] ?? (process.env["LONG_PROOFS"] === undefined ? 300 : 1000));
const SEQUENCES_A_STORE = 100;

describeOnServer("redis", "Redis and the reference", (server) => {
  const space = redisSpace(server);

  it(
    `answer alike, and have the same content, after each of ${SEQUENCES} random sequences`,
    async () => {
      let done = 0;
      let twins = await open(0);
      try {
        await fc.assert(
          fc.asyncProperty(sequences, async (steps) => {
            if (++done % SEQUENCES_A_STORE === 0) {
              await twins.subject.close();
              twins = await open(done);
            }
            const answers = await answersOf(twins, `s${done}`, steps);
            const differing = answers.find(({ reference, subject }) => !isDeepStrictEqual(reference, subject));
            if (differing)
              expect({ what: differing.what, answer: differing.subject }).toEqual({ what: differing.what, answer: differing.reference });
          }),
          { numRuns: SEQUENCES },
        );
      } finally {
        await twins.subject.close();
      }
    },
    20 * 60_000,
  );

  async function open(n: number): Promise<Twins> {
    let now = 1_700_000_000_000;
    const clock = (): number => now;
    const subject = await space.connect(`model-${n}`, { clock, clockForAll: true });
    return { reference: memoryStore({ clock }), subject, now: clock, advance: (ms) => void (now += ms) };
  }
});
