import { setImmediate as turn } from "node:timers/promises";
import { definitionFault, isJudged, type Registration } from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";

/**
 * Limits the time that readers spend on compiling the definitions of each toolset. Anybody with a worker's login may register new definitions again
 * and again, each as expensive as allowed. In each minute, `LEAST_NEW` new definitions of a toolset are judged. More are judged while all of them
 * together take less than `MOST_MS`, which is enough for an honest toolset with hundreds of tools. Over this limit, readers use the previous state of
 * a registration, and leave out a new registration. The log reports this once a minute.
 */
export interface DefinitionPace {
  /** Returns the registrations that may be used now. Other work can run between two judgements. */
  admit(registrations: readonly Registration[]): Promise<readonly Registration[]>;
}

export interface DefinitionPaceOptions {
  readonly log: Pick<Log, "warn">;
  /** Returns the time of a monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  /** Judges a definition, without a time limit. The default is the function of the contracts. */
  readonly judge?: (definition: Registration["definition"]) => unknown;
}

export const LEAST_NEW = 10;
export const MOST_MS = 1000;
const MINUTE_MS = 60_000;
/** The number of earlier definitions that are kept, and of toolsets that are tracked. */
const MOST_KEPT = 1000;

interface Minute {
  since: number;
  judged: number;
  spentMs: number;
  reported: boolean;
}

export function definitionPace({ log, monotonic, judge = definitionFault }: DefinitionPaceOptions): DefinitionPace {
  const minutes = new Map<string, Minute>();
  /** Each registration as it was when it was last admitted. */
  const before = new Map<string, Registration>();
  return {
    async admit(registrations) {
      const admitted: Registration[] = [];
      let areAll = true;
      for (const one of registrations) {
        const used = isJudged(one.definition) || (await isAdmitted(one)) ? one : asItWas(one);
        areAll &&= used === one;
        if (used === null) continue;
        keep(before, nameOf(one), used);
        admitted.push(used);
      }
      // What is derived from the list is found by the list, so the same list is returned.
      return areAll ? registrations : admitted;
    },
  };

  async function isAdmitted({ toolset, definition }: Registration): Promise<boolean> {
    const minute = minuteOf(toolset);
    if (minute.judged >= LEAST_NEW && minute.spentMs >= MOST_MS) {
      tell(toolset, definition, minute);
      return false;
    }
    const began = monotonic();
    judge(definition);
    minute.judged++;
    minute.spentMs += monotonic() - began;
    await turn();
    return true;
  }

  /** Returns the registration as it was last admitted, with the new time. Returns null if there is none. */
  function asItWas(one: Registration): Registration | null {
    const { unavailable: _, ...known } = before.get(nameOf(one)) ?? { toolset: null };
    if (known.toolset === null || !isJudged(known.definition)) return null;
    return { ...known, lastSeenAt: one.lastSeenAt, ...(one.unavailable === undefined ? {} : { unavailable: one.unavailable }) };
  }

  function minuteOf(toolset: string): Minute {
    const now = monotonic();
    const known = minutes.get(toolset);
    if (known && now - known.since < MINUTE_MS) return known;
    const minute: Minute = { since: now, judged: 0, spentMs: 0, reported: false };
    keep(minutes, toolset, minute);
    return minute;
  }

  function tell(toolset: string, { name: tool, version }: Registration["definition"], minute: Minute): void {
    if (minute.reported) return;
    minute.reported = true;
    log.warn(
      { toolset, tool, version, judged: minute.judged, spentMs: Math.round(minute.spentMs) },
      `The toolset "${toolset}" registers definitions faster than they can be read: for up to a minute its tools stay as they were. Check who has its login, or give its schemas fewer alternatives and patterns.`,
    );
  }
}

function nameOf({ toolset, definition: { name, version } }: Registration): string {
  return `${toolset}/${name}@${version}`;
}

/** Stores an entry, and evicts the oldest one if there are too many. */
function keep<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > MOST_KEPT && oldest !== undefined) map.delete(oldest);
}
