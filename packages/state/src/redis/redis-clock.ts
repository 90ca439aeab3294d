import { STEP_MS } from "../clock-step.ts";
import { StoreRefused } from "../state-store.ts";
import type { StoreClock } from "../store-clock.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { listOf, textIn } from "./redis-replies.ts";
import { redisScripts } from "./redis-scripts.ts";

/** The time of a store on Redis: its server's time, corrected so that it does not go back if the server's clock is set back (decision 0043). */
export interface RedisClock {
  /**
   * The time argument of scripts. "" means the server's time, "+N" means the server's time plus N milliseconds, and any other number is the time
   * itself.
   */
  readonly argument: () => string;
  /** Asks the server for the time, with the same correction. */
  readonly now: () => Promise<number>;
  /** Returns the monotonic time. Take it just before a request, and pass it to `heard` with the reply. */
  readonly asking: () => number;
  /** Returns the time in a reply. The time is corrected if the server's clock was set back and this process did not know it. */
  readonly heard: (time: number, askedAt: number) => number;
  /** Every deadline before this time has passed, whatever the server's clock says. Undefined if nothing is known. */
  readonly floor: () => number | undefined;
  readonly close: () => void;
}

export interface RedisClockOptions {
  readonly connection: RedisConnection;
  readonly time: StoreClock;
  /** The key that stores by how much the server's clock was set back. */
  readonly key: string;
  /** Whether the server is a cluster. Its nodes have their own clocks, which need not agree. */
  readonly clustered: boolean;
}

/**
 * How often a process asks for the time. If somebody sets the server's clock forward by more than a day, the messages of an idle process are too old
 * until the process learns of the step.
 */
const REFRESH_MS = 1000;
/** Our scripts never write a number above this. */
const MOST_MS = 1e15;

/**
 * Opens the clock of a store on Redis. Asks for the time once before it resolves, and then every second, so that an idle process knows the time too.
 */
export async function openRedisClock({ connection, time, key, clustered }: RedisClockOptions): Promise<RedisClock> {
  let ahead = 0;
  let known = false;
  /**
   * False once the server refused to let this login write the key. If each service has its own login, only one login may write the time that all
   * services use.
   */
  let mayAgree = true;
  let asking: Promise<void> | null = null;
  const clock: RedisClock = {
    argument: () => (ahead === 0 ? "" : `+${ahead}`),
    async now() {
      // Uses the correction that was known when the request was sent, as scripts do.
      const added = ahead;
      return (await serverTime(connection)) + added;
    },
    asking: () => time.monotonic(),
    heard(said, askedAt) {
      if (clustered) time.believed(said, askedAt);
      if (clustered || time.heard(said, askedAt)) return said;
      // This may be the reply to a request that was sent before this process knew that the server's clock was set back.
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

  /** Agrees with all other processes on how far the store's time is ahead of the server's clock. A failure is retried with the next reply. */
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
      // The server is unavailable or accepts no writes. The next request to the server will report that.
      if (!known)
        await serverTime(connection).then(
          (now) => time.believed(now, askedAt),
          () => undefined,
        );
    } finally {
      asking = null;
    }
  }

  /** Returns null if this login may not write the key. */
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

  /** Like `agree`, but stores nothing. It combines the stored correction with the time that this process expects. */
  async function look(): Promise<{ readonly now: number; readonly ahead: number }> {
    // The rights of an earlier version do not name the key, so no process has stored a correction.
    const [clock, agreed] = await Promise.all([serverTime(connection), connection.command("get", [key]).catch(() => null)]);
    const [, aheadText = "0", lastText = "0"] = /^(\d{1,15}) (\d{1,15})$/.exec(agreed === null ? "" : textIn(agreed)) ?? [];
    const carried = known ? time.now() : Number(lastText);
    const least = carried <= MOST_MS && clock + Number(aheadText) < carried - STEP_MS ? Math.ceil(carried - clock) : 0;
    const found = Math.max(Number(aheadText), least);
    return { now: clock + found, ahead: found };
  }
}

/** Makes a clock for tests. It takes every time from the given clock, asks no server and corrects nothing. */
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
