import type { Json } from "@toolbus/contracts";
import { isExpired } from "../expiry.ts";
import type { LogEntry } from "../state-store.ts";

export interface MemoryLogs {
  /** Appends and returns the log's last sequence number. */
  append(log: string, texts: readonly string[], expiresAt: number | null, now: number): number;
  range(log: string, options: { readonly after: number; readonly limit: number }, now: number): readonly LogEntry[];
  sweep(now: number): void;
}

interface Log {
  /** JSON texts. The first has sequence number 1. */
  readonly texts: string[];
  expiresAt: number | null;
}

export function memoryLogs(): MemoryLogs {
  const logs = new Map<string, Log>();
  return {
    append(name, texts, expiresAt, now) {
      const log = current(name, now) ?? { texts: [], expiresAt: null };
      log.texts.push(...texts);
      log.expiresAt = expiresAt ?? log.expiresAt;
      logs.set(name, log);
      return log.texts.length;
    },
    range(name, { after, limit }, now) {
      const start = Math.max(0, after);
      const texts = current(name, now)?.texts.slice(start, start + limit) ?? [];
      return texts.map((text, index) => {
        const value: Json = JSON.parse(text);
        return { sequence: start + index + 1, value };
      });
    },
    sweep(now) {
      for (const [name, { expiresAt }] of logs) if (isExpired(expiresAt, now)) logs.delete(name);
    },
  };

  function current(name: string, now: number): Log | undefined {
    const log = logs.get(name);
    return log && !isExpired(log.expiresAt, now) ? log : undefined;
  }
}
