import type { Clockwork, Owner } from "./clockwork.ts";

// The process whose event is happening now. Everything until the next event is a microtask of this event, so one variable is enough.
let active: SimProcess | null = null;

/** Returns the simulated process whose event is being handled, or null outside events. */
export function activeProcess(): SimProcess | null {
  return active;
}

/** Invoked before each event. No process is active until the event sets one. */
export function leaveProcess(): void {
  active = null;
}

/** One incarnation of a process. A killed incarnation does nothing more. The next start is another incarnation. */
export interface SimProcess extends Owner {
  /** The service of the process, such as `agent`. */
  readonly role: string;
  /** The error of the process's wall clock, in milliseconds. */
  readonly skewMs: number;
  /** Whether the process works. A process works from its start until somebody asks it to stop. */
  working: boolean;
  /** Schedules a task as an event of this process. The returned function cancels the task. */
  after(delayMs: number, label: string, task: () => void): () => void;
  /** Registers a callback that is invoked once, when the process is killed. The rest of the world learns of the kill by these callbacks. */
  onKill(notice: () => void): void;
  /** Kills the process as kill -9 does: no handler is invoked, no timer fires, no reply arrives. */
  kill(): void;
  /** Pauses the process as SIGSTOP does. It misses everything for this long, and then continues as if nothing had happened. */
  pause(ms: number): void;
}

export interface SimProcessOptions {
  readonly clockwork: Clockwork;
  readonly role: string;
  readonly name: string;
  readonly skewMs: number;
}

export function simProcess({ clockwork, role, name, skewMs }: SimProcessOptions): SimProcess {
  const notices: (() => void)[] = [];
  let alive = true;
  let pausedUntil = 0;
  const self: SimProcess = {
    role,
    name,
    skewMs,
    working: false,
    get alive() {
      return alive;
    },
    get pausedUntil() {
      return pausedUntil;
    },
    after: (delayMs, label, task) =>
      clockwork.schedule(self, delayMs, label, () => {
        active = self;
        task();
      }),
    onKill: (notice) => void notices.push(notice),
    kill() {
      if (!alive) return;
      alive = false;
      for (const notice of notices) notice();
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clockwork.now + ms);
    },
  };
  return self;
}
