import { describe, expect, it } from "vitest";
import { completed, started, turn } from "../testing/agent-under-test.ts";
import { apiKeyOf, setup as setupGateway, textIn } from "../testing/gateway-under-test.ts";
import { openViewer, type Seen, type Viewer } from "../testing/viewer-under-test.ts";

// The steps of a run that sends text before each turn. The test stores each step or sends it live, one after the other.
const WORDS = ["It ", "is ", "safe ", "to ", "roll ", "out."];
type Step = { readonly kind: "event"; readonly at: number } | { readonly kind: "text"; readonly round: number; readonly word: number };
const EVENTS = [started, turn(0), turn(1, WORDS.join("")), turn(2, WORDS.join("")), completed];
const STEPS: readonly Step[] = [
  { kind: "event", at: 0 },
  { kind: "event", at: 1 },
  ...words(1),
  { kind: "event", at: 2 },
  ...words(2),
  { kind: "event", at: 3 },
  { kind: "event", at: 4 },
];

/** The step that stores the first turn with text. */
const TURN_1 = STEPS.findIndex((step) => step.kind === "event" && step.at === 2);

describe("a stream that is cut", () => {
  it.each(["at once", "after more has happened"] as const)(
    "after each thing that it showed continues with Last-Event-ID %s: the same durable events, and the text complete",
    async (when) => {
      for (let cut = 0; cut <= STEPS.length; cut++) {
        await using t = await setup();
        const first = await t.watch();
        await t.play(first, 0, cut);
        first.leave();
        await first.ended;
        // Words, turns and other events may arrive while nobody watches.
        const missed = when === "at once" ? cut : Math.min(STEPS.length, cut + 3);
        await t.play(null, cut, missed);
        const second = await t.watch(lastId(first));
        await t.play(second, missed, STEPS.length);
        await second.ended;
        expect([...durable(first), ...durable(second)], `cut after ${cut}`).toEqual(t.all);
        // The second viewer's turn has all words, even those that nobody saw or that only the first viewer saw.
        if (cut < TURN_1) expect(textOf(second, 1), `cut after ${cut}`).toBe(WORDS.join(""));
      }
    },
  );

  it("after each thing continues at another gateway over the same store, after this one has stopped", async () => {
    for (let cut = 0; cut <= STEPS.length; cut++) {
      await using t = await setup();
      const first = await t.watch();
      await t.play(first, 0, cut);
      await t.service.stop();
      await first.ended;
      const again = await t.start();
      const second = await openViewer(`${again.url}/v1/runs/${t.runId}/events`, apiKeyOf("una"), lastId(first));
      t.viewers.add(second);
      await t.play(second, cut, STEPS.length);
      await second.ended;
      expect([...durable(first), ...durable(second)], `stopped after ${cut}`).toEqual(t.all);
      expect(first.seen.filter(({ name }) => name === "bye")).toHaveLength(cut === STEPS.length ? 0 : 1);
      await again.stop();
    }
  });

  it("several times in one turn shows its text whole each time, and each word once", async () => {
    await using t = await setup();
    await t.play(null, 0, 2);
    for (let word = 0; word < WORDS.length; word++) {
      await t.play(null, 2 + word, 3 + word);
      const viewer = await t.watch(`${t.runId}:2`);
      await viewer.sees(({ data }) => data["offset"] === offsetOf(word));
      expect(textOf(viewer, 1)).toBe(WORDS.slice(0, word + 1).join(""));
      viewer.leave();
      await viewer.ended;
    }
  });

  it("shows the run's usage so far wherever it changes, and a number in every durable event", async () => {
    await using t = await setup();
    const viewer = await t.watch();
    await t.play(viewer, 0, STEPS.length);
    await viewer.ended;
    const shown = viewer.seen.filter(({ id }) => id !== null);
    expect(shown.map(({ data }) => data["sequence"])).toEqual([1, 2, 3, 4, 5]);
    expect(shown.filter(({ data }) => data["usage"] !== undefined).map(({ name }) => name)).toEqual([
      "turn",
      "turn",
      "turn",
      "run.completed",
    ]);
  });
});

function words(round: number): Step[] {
  return WORDS.map((_, word) => ({ kind: "text", round, word }));
}

/** Starts a gateway with one run that its agent has taken. */
async function setup() {
  const t = await setupGateway();
  const runId = await t.accepted();
  await t.agent.take(runId);
  return {
    ...t,
    runId,
    /** Every durable event, as a client receives it. */
    all: EVENTS.map((event, i): Seen => ({ id: `${runId}:${i + 1}`, name: event.type, data: { sequence: i + 1, ...(event as object) } })),
    watch: (after?: string) => t.view("una", runId, after),
    /** Makes the steps one after the other, and waits until this viewer has seen each. */
    async play(viewer: Viewer | null, from: number, to: number): Promise<void> {
      for (const step of STEPS.slice(from, to)) {
        const event = step.kind === "event" ? EVENTS[step.at] : undefined;
        if (event) await t.agent.say(runId, event);
        if (step.kind === "event") await viewer?.sees(({ id }) => id === `${runId}:${step.at + 1}`);
        else {
          const { round, word } = step;
          const text = WORDS[word] ?? "";
          await t.agent.live(runId, { epoch: 1, round, offset: offsetOf(word), after: round + 1, text });
          await viewer?.sees(({ name, data }) => name === "delta" && data["round"] === round && data["offset"] === offsetOf(word));
        }
      }
    },
  };
}

const offsetOf = (word: number): number => WORDS.slice(0, word).join("").length;

function durable({ seen }: Viewer): readonly Seen[] {
  return seen.filter(({ id }) => id !== null);
}

function lastId(viewer: Viewer): string | undefined {
  return durable(viewer).at(-1)?.id ?? undefined;
}

/** Returns the text of a round as a viewer has it, from its deltas or from its turn. */
function textOf({ seen }: Viewer, round: number): string {
  const whole = seen.find(({ name, data }) => name === "turn" && data["round"] === round);
  if (whole) return textIn(whole.data, "text");
  return seen
    .filter(({ name, data }) => name === "delta" && data["round"] === round)
    .map(({ data }) => textIn(data, "text"))
    .join("");
}
