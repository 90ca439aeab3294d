import { STEP_MS } from "../clock-step.ts";
import { StoreRefused } from "../state-store.ts";
import type { StoreClock } from "../store-clock.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { listOf, textIn } from "./redis-replies.ts";
import { redisScripts } from "./redis-scripts.ts";

/** The time of a store on Redis: its server's, which does not go back when the server's clock is set back (decision 0043). */
export interface RedisClock {
  /** What scripts are told of the time: "" has them ask the server, "+N" has them add so many milliseconds, any other number is the time. */
  readonly told: () => string;
  /** The same time, asked for. */
  readonly now: () => Promise<number>;
  /** When something is asked now, to be handed to `heard`. */
  readonly asking: () => number;
  /** The time that an answer gave; corrected, when the server's clock was set back and nobody knew yet. */
  readonly heard: (time: number, askedAt: number) => number;
  /** No deadline before this is kept any more, whatever the server's clock says; undefined where nothing is known. */
  readonly floor: () => number | undefined;
  readonly close: () => void;
}

export interface RedisClockOptions {
  readonly connection: RedisConnection;
  readonly time: StoreClock;
  /** Where it is kept what the server's clock was set back by. */
  readonly key: string;
  /** Nodes of a cluster have clocks of their own, and none of them is held to what another said. */
  readonly clustered: boolean;
}

/** A clock that is set forward by more than a day makes messages too old that an idle process sends before it hears of it. */
const REFRESH_MS = 1000;
/** What a script of ours never writes. */
const MOST_MS = 1e15;

/** Asks for the time once before it resolves, and every second from then on, so that an idle process knows it too. */
export async function openRedisClock({ connection, time, key, clustered }: RedisClockOptions): Promise<RedisClock> {
  let ahead = 0;
  let known = false;
  /** False once the server refused it: where logins have rights, only one may write down what everybody goes by. */
  let mayAgree = true;
  let asking: Promise<void> | null = null;
  const clock: RedisClock = {
    told: () => (ahead === 0 ? "" : `+${ahead}`),
    async now() {
      // What is known when it is asked, as scripts are told.
      const added = ahead;
      return (await serverTime(connection)) + added;
    },
    asking: () => time.monotonic(),
    heard(said, askedAt) {
      if (clustered) time.believed(said, askedAt);
      if (clustered || time.heard(said, askedAt)) return said;
      // It may be an answer to what was asked before the step was known here.
      void (asking ??= settle());
      return time.now();
    },
    floor: () => (known && !clustered ? time.now() - STEP_MS : undefined),
    close: () => clearInterval(timer),
  };
  const timer = setInterval(() => void (asking ??= settle()), REFRESH_MS).unref();
  asking = settle();
  await asking;
  return clock;

  /** Agrees with all other processes on how far the store's time is ahead of the server's clock. What fails is tried again with the next answer. */
  async function settle(): Promise<void> {
    const askedAt = time.monotonic();
    try {
      if (clustered) {
        time.believed(await serverTime(connection), askedAt);
      } else {
        const found = (mayAgree ? await agree() : null) ?? (await look());
        ahead = found.ahead;
        time.heldAhead(ahead);
        time.believed(found.now, askedAt);
      }
      known = true;
    } catch {
      // The server is away or takes no writes: whoever asks it for something gets to know.
      if (!known)
        await serverTime(connection).then(
          (now) => time.believed(now, askedAt),
          () => undefined,
        );
    } finally {
      asking = null;
    }
  }

  /** Null where it may not. */
  async function agree(): Promise<{ readonly now: number; readonly ahead: number } | null> {
    try {
      const reply = listOf(await connection.script(redisScripts.clock, [key], [known ? String(time.now()) : "-"])).map(Number);
      return { now: reply[0] ?? 0, ahead: reply[1] ?? 0 };
    } catch (error) {
      if (!(error instanceof StoreRefused)) throw error;
      mayAgree = false;
      return null;
    }
  }

  /** The same without writing it down: what others agreed on, and what this process knows better. */
  async function look(): Promise<{ readonly now: number; readonly ahead: number }> {
    // Rights of a version before this one do not name the key: then nobody agreed on anything.
    const [clock, agreed] = await Promise.all([serverTime(connection), connection.command("get", [key]).catch(() => null)]);
    const [, aheadText = "0", lastText = "0"] = /^(\d{1,15}) (\d{1,15})$/.exec(agreed === null ? "" : textIn(agreed)) ?? [];
    const carried = known ? time.now() : Number(lastText);
    const least = carried <= MOST_MS && clock + Number(aheadText) < carried - STEP_MS ? Math.ceil(carried - clock) : 0;
    const found = Math.max(Number(aheadText), least);
    return { now: clock + found, ahead: found };
  }
}

/** What scripts are told in tests is the time: nothing is asked, and nothing is corrected. */
export function toldClock(clock: () => number): RedisClock {
  return {
    told: () => String(clock()),
    now: async () => clock(),
    asking: () => 0,
    heard: (time) => time,
    floor: () => undefined,
    close: () => undefined,
  };
}

async function serverTime({ command }: RedisConnection): Promise<number> {
  const [seconds, micros] = listOf(await command("time", []));
  return Number(textIn(seconds)) * 1000 + Math.floor(Number(textIn(micros)) / 1000);
}
