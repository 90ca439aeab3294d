import { describe, expect, it, vi } from "vitest";
import { type Log, silentLog } from "./logger.ts";
import { watchClocks } from "./watch-clocks.ts";

describe("watched clocks", () => {
  it("are reported when they begin to differ and when they agree again, each once", () => {
    vi.useFakeTimers();
    try {
      const said: string[] = [];
      const log: Log = {
        ...silentLog,
        warn: (_fields: object, sentence: string) => void said.push(`warn ${sentence}`),
        info: (_fields: object, sentence: string) => void said.push(`info ${sentence}`),
      } as Log;
      let faults: readonly { name: string; sentence: string }[] = [];
      const end = watchClocks(log, { skew: () => 7_200_000, faults: () => faults }, 1000);
      vi.advanceTimersByTime(5000);
      expect(said).toEqual([]);
      faults = [{ name: "ahead", sentence: "it is 2.0 h ahead" }];
      vi.advanceTimersByTime(5000);
      expect(said).toEqual([expect.stringMatching(/^warn Clocks do not agree: it is 2\.0 h ahead\. Deadlines .* hold/)]);
      faults = [];
      vi.advanceTimersByTime(5000);
      expect(said.slice(1)).toEqual([expect.stringMatching(/^info .*agree again/)]);
      end();
      faults = [{ name: "behind", sentence: "" }];
      vi.advanceTimersByTime(5000);
      expect(said).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });
});
