import { readFileSync } from "node:fs";

/** The resident memory of a process, sampled until `end`. */
export interface MemoryWatch {
  /** Stops sampling and returns the highest sample in MiB. */
  end(): number;
}

const EVERY_MS = 50;

/** Samples the memory of another process on this machine (Linux). */
export function watchMemory(pid: number): MemoryWatch {
  let peak = residentMiB(pid);
  const timer = setInterval(() => (peak = Math.max(peak, residentMiB(pid))), EVERY_MS);
  return {
    end() {
      clearInterval(timer);
      return Math.max(peak, residentMiB(pid));
    },
  };
}

/** Returns the resident memory of a process in MiB, or 0 if the process is gone. */
export function residentMiB(pid: number): number {
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(statusOf(pid))?.[1] ?? 0) / 1024);
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
