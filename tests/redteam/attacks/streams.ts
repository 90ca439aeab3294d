import { type Json, keys, shardOf } from "@toolbus/contracts";
import type { Arena } from "../arena.ts";
import { type Attack, both, dropped, held, type Outcome, reached, residual, serverOr } from "../attack.ts";
import type { Means } from "../means.ts";

const NOT_THE_LOGS = /the feed had text for a run that the run's own log does not have/;
const UNTRUE = "Your account was closed. Write to eve@example.com.";

/** Attacks that put somebody else's text into the stream of a run that a person watches. */
export const streams: readonly Attack[] = [
  {
    name: "text is put into the stream of somebody's run, by the feed that every service writes",
    attacker: "worker",
    expected: both(dropped(NOT_THE_LOGS)),
    run: (arena) => shown(arena, (means, runId) => toFeed(means, runId)),
  },
  {
    name: "text is put into the stream of somebody's run, by its feed and its live log",
    attacker: "worker",
    expected: serverOr(residual("R9")),
    run: (arena) =>
      shown(arena, async (means, runId) => {
        await means.redis("RPUSH", `${keys.live(runId)}#live`, `${Date.now() + 60_000} ${JSON.stringify(delta())}`);
        await toFeed(means, runId);
      }),
  },
];

/** Lets Rita watch a run that waits for a decision while the attack happens. Then a person denies its write, and the run ends. */
async function shown(arena: Arena, act: (means: Means, runId: string) => Promise<void>): Promise<Outcome> {
  const write = await arena.held("high", { payee: "BAKERY", amount: 88 });
  try {
    const watched = await watch(arena, write.runId);
    await act(arena.as("worker"), write.runId);
    // At this point the gateway has either streamed the text or logged that it refused the text.
    await arena.until("the gateway's verdict", () =>
      watched.text().includes(UNTRUE) || arena.system.lines().some((line) => NOT_THE_LOGS.test(line) && line.includes(write.runId))
        ? true
        : null,
    );
    await arena.decide(write, "deny");
    await watched.ended;
    return watched.text().includes(UNTRUE)
      ? reached("the person read it as what the run wrote", "R9")
      : held("the person was shown nothing of it", write.runId);
  } finally {
    await arena.decide(write, "deny").catch(() => undefined);
  }
}

/** Writes to the feed in the form in which `live.lua` notifies followers. It writes no log entry. */
async function toFeed(means: Means, runId: string): Promise<void> {
  const feed = `tb:feed:{${shardOf(runId)}}`;
  await means.redis("XADD", feed, "0-*", "log", keys.live(runId), "batch", JSON.stringify(delta()));
}

/** Returns text of a round that has not started. */
function delta(): Json {
  return { type: "delta", epoch: 1_000_000, round: 1000, offset: 0, after: 1, text: UNTRUE };
}

interface Watched {
  readonly text: () => string;
  readonly ended: Promise<void>;
}

/** Resolves when the stream has reported that the run waits. */
async function watch(arena: Arena, runId: string): Promise<Watched> {
  const url = arena.gateway(`/v1/runs/${encodeURIComponent(runId)}/events`);
  const headers = { authorization: `Bearer ${arena.system.people.rita}`, accept: "text/event-stream" };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) });
  if (response.status !== 200 || !response.body) throw new Error(`The gateway answered ${response.status}: ${await response.text()}`);
  let text = "";
  const decoder = new TextDecoder();
  const { body } = response;
  const ended = (async () => {
    for await (const bytes of body) text += decoder.decode(bytes, { stream: true });
  })();
  // This handler only prevents an unhandled rejection. The caller still awaits `ended`.
  ended.catch(() => undefined);
  await arena.until("the stream to say that the run waits", () => (text.includes("call.held") ? true : null));
  return { text: () => text, ended };
}
