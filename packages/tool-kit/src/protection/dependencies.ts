import { protectionOf, type ToolDefinition } from "@toolbus/contracts";
import { attributeNames, type Log, metricNames, observeGauge } from "@toolbus/telemetry";
import { type Breaker, breaker, type BreakerRules, type BreakerState } from "./breaker.ts";
import { type Bulkhead, bulkhead } from "./bulkhead.ts";
import type { LimitSettings } from "./limit-settings.ts";

/** A system behind the tools of this process, with its breaker and its places. */
export interface DependencyGuard {
  readonly name: string;
  readonly breaker: Breaker;
  readonly places: Bulkhead;
}

/** The dependencies of all tools of this process. Tools of several toolsets that name the same dependency share one guard. */
export interface Dependencies {
  /** Returns the guards of a tool, in the order of their names. Every call takes its places in this order, so calls cannot block each other. */
  of(definition: Pick<ToolDefinition, "parameters" | "source">): readonly DependencyGuard[];
  /** Calls the listener after a breaker opened or closed. Returns a function that stops this. */
  follow(listener: (dependency: string) => void): () => void;
  stop(): void;
}

export interface DependencyParts {
  readonly settings: LimitSettings;
  readonly monotonic: () => number;
  readonly log: Log;
  readonly rules?: BreakerRules | undefined;
}

export function dependencies({ settings, monotonic, log, rules }: DependencyParts): Dependencies {
  const guards = new Map<string, DependencyGuard>();
  const listeners = new Set<(dependency: string) => void>();
  const observed: (() => void)[] = [];
  return {
    of: (definition) =>
      (protectionOf(definition).dependencies ?? [])
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, concurrent }) => guards.get(name) ?? created(name, concurrent)),
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      for (const end of observed.splice(0)) end();
      listeners.clear();
    },
  };

  /** If tools declare different limits for one dependency, the first tool that is called decides. */
  function created(name: string, declared: number | undefined): DependencyGuard {
    const made = breaker({
      ...(rules === undefined ? {} : { rules }),
      monotonic,
      onChange(state) {
        if (state === "open")
          log.warn({ dependency: name, openForMs: made.openForMs() }, "a dependency fails; the calls of its tools are refused for a while");
        else log.info({ dependency: name }, "a dependency works again; its tools are called again");
        for (const listener of listeners) listener(name);
      },
    });
    const guard = { name, breaker: made, places: bulkhead(settings.of(name, "concurrent") ?? declared ?? CONCURRENT) };
    guards.set(name, guard);
    const tags = { [attributeNames.dependency]: name };
    observed.push(observeGauge(metricNames.dependencyBreaker, async () => STATE[made.state()], tags));
    return guard;
  }
}

/** The calls that act on a dependency at the same time, if neither author nor operator says otherwise. It is the default of `WORKER_CONCURRENCY`. */
const CONCURRENT = 16;
/** The states as the metric shows them. */
const STATE: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };
