import { STEP_MS } from "../clock-step.ts";
import { StoreRefused } from "../state-store.ts";
import type { StoreClock } from "../store-clock.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { listOf, textIn } from "./redis-replies.ts";
import { redisScripts } from "./redis-scripts.ts";

/** The time of a store on Redis: its server's time, which does not go back if the server's clock is set back (decision 0043). */
export interface RedisClock {
  /** The time argument of scripts: "" makes them ask the server, "+N" makes them add N milliseconds, any other number is the time. */
  readonly argument: () => string;
  /** The same time, asked for. */
  readonly now: () => Promise<number>;
  /** The moment when something is asked now, to be passed to `heard`. */
  readonly asking: () => number;
  /** The time in an answer; corrected if the server's clock was set back and that was not known yet. */
  readonly heard: (time: number, askedAt: number) => number;
  /** Every deadline before this has passed, whatever the server's clock says; undefined if nothing is known. */
  readonly floor: () => number | undefined;
  readonly close: () => void;
}

export interface RedisClockOptions {
  readonly connection: RedisConnection;
  readonly time: StoreClock;
  /** The key that stores by how much the server's clock was set back. */
  readonly key: string;
  /** Nodes of a cluster have their own clocks, and none of them has to follow another's. */
  readonly clustered: boolean;
}

/** If a clock is set forward by more than a day, an idle process sends messages that are too old before it learns of it. */
const REFRESH_MS = 1000;
/** What one of our scripts never writes. */
const MOST_MS = 1e15;

/** Asks for the time once before it resolves, and every second after that, so that an idle process knows it too. */
export async function openRedisClock({ connection, time, key, clustered }: RedisClockOptions): Promise<RedisClock> {
  let ahead = 0;
  let known = false;
  /** False once the server refused it: if logins have rights, only one of them may write the time that all use. */
  let mayAgree = true;
  let asking: Promise<void> | null = null;
  const clock: RedisClock = {
    argument: () => (ahead === 0 ? "" : `+${ahead}`),
    async now() {
      // What is known at the time of asking, in the form for scripts.
      const added = ahead;
      return (await serverTime(connection)) + added;
    },
    asking: () => time.monotonic(),
    heard(said, askedAt) {
      if (clustered) time.believed(said, askedAt);
      if (clustered || time.heard(said, askedAt)) return said;
      // This may answer a question from before the step was known here.
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

  /** Agrees with all other processes on how far the store's time is ahead of the server's clock. A failure is retried with the next answer. */
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
      // The server is unavailable or accepts no writes: the next request to it will report that.
      if (!known)
        await serverTime(connection).then(
          (now) => time.believed(now, askedAt),
          () => undefined,
        );
    } finally {
      asking = null;
    }
  }

  /** Null if it may not. */
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

  /** The same without storing it: what others agreed on, combined with what this process knows better. */
  async function look(): Promise<{ readonly now: number; readonly ahead: number }> {
    // Rights of an earlier version do not name the key: then nobody agreed on anything.
    const [clock, agreed] = await Promise.all([serverTime(connection), connection.command("get", [key]).catch(() => null)]);
    const [, aheadText = "0", lastText = "0"] = /^(\d{1,15}) (\d{1,15})$/.exec(agreed === null ? "" : textIn(agreed)) ?? [];
    const carried = known ? time.now() : Number(lastText);
    const least = carried <= MOST_MS && clock + Number(aheadText) < carried - STEP_MS ? Math.ceil(carried - clock) : 0;
    const found = Math.max(Number(aheadText), least);
    return { now: clock + found, ahead: found };
  }
}

/** In tests the time argument is the time: nothing is asked, and nothing is corrected. */
export function givenClock(clock: () => number): RedisClock {
  return {
    argument: () => String(clock()),
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
