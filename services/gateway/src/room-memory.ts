/** What a process remembers of the places that principals use, so that it need not look at the start of each run. */
export interface RoomMemory {
  /**
   * Counts a start, and returns whether the last look left so much room that another look is not needed: at most a second ago, less than half of the
   * places were used, with the runs that this process has started since.
   */
  hasRoom(index: string): boolean;
  /** Records a look that found this many places used, before the start that caused it. `cleaned` says whether it also looked for ended runs. */
  looked(index: string, used: number, cleaned: boolean): void;
  /** Returns whether enough runs were started since the last cleaning to look for ended runs again, although there is room. */
  mayClean(index: string): boolean;
}

interface Look {
  readonly at: number;
  readonly used: number;
  /** The starts since the look, and since the last cleaning. */
  starts: number;
  startsSinceCleaning: number;
}

const LASTS_MS = 1000;
const MOST_PRINCIPALS = 1000;

/** `most` is the number of places of each principal. */
export function roomMemory(most: number, monotonic: () => number): RoomMemory {
  const looks = new Map<string, Look>();
  return {
    hasRoom(index) {
      const look = looks.get(index);
      if (!look) return false;
      look.starts++;
      look.startsSinceCleaning++;
      return monotonic() - look.at < LASTS_MS && look.used + look.starts < most / 2;
    },
    looked(index, used, cleaned) {
      const startsSinceCleaning = cleaned ? 0 : (looks.get(index)?.startsSinceCleaning ?? most);
      looks.delete(index);
      looks.set(index, { at: monotonic(), used, starts: 1, startsSinceCleaning });
      const [oldest] = looks.keys();
      if (looks.size > MOST_PRINCIPALS && oldest !== undefined) looks.delete(oldest);
    },
    mayClean(index) {
      const look = looks.get(index);
      return !look || look.startsSinceCleaning >= most / 4;
    },
  };
}
