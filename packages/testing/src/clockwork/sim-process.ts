import type { Clockwork, Owner } from "./clockwork.ts";

// The process whose event is being handled. Everything until the next event is a microtask of it, so one variable is enough.
let active: SimProcess | null = null;

/** The simulated process that runs now; null outside its events. */
export function activeProcess(): SimProcess | null {
  return active;
}

/** Called before each event: no process is active until this sets one. */
export function leaveProcess(): void {
  active = null;
}

/** One incarnation of a process. Once killed it does nothing any more; the next start is another incarnation. */
export interface SimProcess extends Owner {
  /** What it runs, such as `agent`. */
  readonly role: string;
  /** The error of its wall clock, in milliseconds. */
  readonly skewMs: number;
  /** Whether it works: it has started, and nobody has asked it to stop. */
  working: boolean;
  /** Runs a task as an event of this process. The returned function cancels it. */
  after(delayMs: number, label: string, task: () => void): () => void;
  /** Called once when it is killed: how the rest of the world learns of its death. */
  onKill(notice: () => void): void;
  /** kill -9: no handler runs, no timer fires, no reply arrives. */
  kill(): void;
  /** SIGSTOP for this long: it misses everything, and then continues as if nothing had happened. */
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
