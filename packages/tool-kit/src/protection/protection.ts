import { argumentsTooLarge, DEFAULT_ARGUMENT_BYTES, protectionOf, type Problem, type ToolDefinition } from "@toolbus/contracts";
import { attributeNames, type Log, measure, metricNames } from "@toolbus/telemetry";
import type { Ran } from "../calls/run-within.ts";
import { toolError, type ToolProblem } from "../tool/tool-problem.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { BreakerRules, CallOutcome } from "./breaker.ts";
import { callWindow, type CallWindow } from "./call-window.ts";
import { type Dependencies, dependencies, type DependencyGuard } from "./dependencies.ts";
import { limitSettings } from "./limit-settings.ts";
import { outcomeOf } from "./call-outcome.ts";

/**
 * Protects the systems behind the tools of one process. It limits the arguments and the rate of each tool, and guards each dependency with a breaker and
 * a limit of concurrent calls. All workers of a process share it.
 */
export interface Protection {
  /** Returns what is wrong with the size of a call's arguments, or null. */
  tooLarge(definition: ToolDefinition, text: string): Problem | null;
  /** Asks whether a call may begin. Waits a short time for a place, or for the end of a trial. */
  enter(call: EnteringCall): Promise<Entry>;
  /** Returns a sentence that says why a tool cannot be used now, or null. */
  whyUnavailable(definition: ToolDefinition): string | null;
  /** Reports that the own check of a toolset passed or failed. The check replaces the trial of the toolset's dependencies. */
  checked(toolset: Toolset, works: boolean): void;
  /** Returns whether a dependency of the toolset is not known to work. */
  isTroubled(toolset: Toolset): boolean;
  /** Returns the names in the operator's limits that no tool and no dependency of these toolsets has. */
  unknownNames(toolsets: readonly Toolset[]): readonly string[];
  /** Calls the listener after a breaker of the toolset opened or closed. Returns a function that stops this. */
  follow(toolset: Toolset, listener: () => void): () => void;
  stop(): void;
}

export interface EnteringCall {
  readonly definition: ToolDefinition;
  /** True if the toolset checks its target by itself. Then no write is a trial, because the outcome of a failed write may be unknown. */
  readonly hasCheck: boolean;
  /** Each of them ends a wait. */
  readonly signals: readonly AbortSignal[];
}

export type Entry =
  /** The call may run. */
  | { readonly kind: "entered"; readonly pass: Pass }
  /** A dependency fails, so no new call begins. A write that was already sent may continue with this pass. */
  | { readonly kind: "refused"; readonly problem: ToolProblem; readonly pass: Pass }
  /** The tool or a dependency is at its limit, so no call begins. One may begin after `afterMs`. */
  | { readonly kind: "busy"; readonly problem: ToolProblem; readonly afterMs: number };

/** A call's permission to act on the dependencies of its tool. */
export interface Pass {
  /** Reports how a handler ended. A `step` before the effect of a write, such as `prepare`, proves nothing if it succeeds. */
  saw(ran: Ran<unknown>, step?: "step"): void;
  /** Returns whether another attempt may follow at once. */
  mayRepeat(): boolean;
  /** Gives the places back. Safe to call twice. */
  leave(): void;
}

export interface ProtectionOptions {
  /** The operator's limits (`LimitSettings`). Opening throws `LimitsRefused` if the text cannot be used. */
  readonly limits?: string | undefined;
  readonly monotonic: () => number;
  readonly log: Log;
  readonly rules?: BreakerRules;
}

export function openProtection({ limits = "", monotonic, log, rules }: ProtectionOptions): Protection {
  const settings = limitSettings(limits);
  const guarded: Dependencies = dependencies({ settings, monotonic, log, rules });
  const windows = new Map<string, CallWindow>();
  return {
    tooLarge: (definition, text) =>
      argumentsTooLarge(
        text,
        settings.of(definition.name, "argumentBytes") ?? protectionOf(definition).limits?.argumentBytes ?? DEFAULT_ARGUMENT_BYTES,
      ),
    enter,
    whyUnavailable: (definition) => {
      const failing = guarded.of(definition).find((one) => one.breaker.state() === "open");
      return failing ? `The dependency "${failing.name}" fails. The worker tries it again by itself.` : null;
    },
    checked(toolset, works) {
      for (const { breaker } of guardsOf(toolset)) breaker.checked(works);
    },
    isTroubled: (toolset) => guardsOf(toolset).some(({ breaker }) => breaker.state() !== "closed"),
    unknownNames(toolsets) {
      const tools = toolsets.flatMap((one) => one.list()).map(({ definition }) => definition.name);
      const known = new Set([...tools, ...toolsets.flatMap(guardsOf).map(({ name }) => name)]);
      return settings.names.filter((name) => !known.has(name));
    },
    follow: (toolset, listener) =>
      guarded.follow((dependency) => {
        if (guardsOf(toolset).some(({ name }) => name === dependency)) listener();
      }),
    stop: () => guarded.stop(),
  };

  async function enter(call: EnteringCall): Promise<Entry> {
    const { definition, signals } = call;
    const guards = guarded.of(definition);
    const until = (): AbortSignal => AbortSignal.any([...signals, AbortSignal.timeout(WAIT_MS)]);
    const before = await failing(guards, call, until);
    if (before) return refused(definition, before, guards);
    const waitMs = windowOf(definition)?.take() ?? 0;
    if (waitMs > 0) return tooFast(definition, waitMs);
    const places: (() => void)[] = [];
    for (const guard of guards) {
      const place = await guard.places.enter(until);
      if (place === null) {
        for (const leave of places) leave();
        return full(definition, guard);
      }
      places.push(place);
    }
    // While the call waited for its places, the calls that had them may have failed.
    const after = await failing(guards, call, until);
    if (!after) return { kind: "entered", pass: passOf(definition, guards, places, monotonic) };
    for (const leave of places) leave();
    return refused(definition, after, guards);
  }

  function refused(definition: ToolDefinition, guard: DependencyGuard, guards: readonly DependencyGuard[]): Entry {
    measure(metricNames.dependencyCalls, 1, tagsOf(guard.name, "refused"));
    const retryAfter = Math.max(1, Math.ceil(guard.breaker.openForMs() / 1000));
    const says = `"${definition.name}" was not run, because its dependency "${guard.name}" fails. It is tried again in ${retryAfter} s.`;
    const problem = toolError("unavailable", says, { retryable: true, retryAfter });
    return { kind: "refused", problem, pass: passOf(definition, guards, [], monotonic) };
  }

  function windowOf(definition: ToolDefinition): CallWindow | undefined {
    const perMinute = settings.of(definition.name, "callsPerMinute") ?? protectionOf(definition).limits?.callsPerMinute ?? 0;
    if (perMinute === 0) return undefined;
    const known = windows.get(definition.name);
    if (known) return known;
    const made = callWindow(perMinute, monotonic);
    windows.set(definition.name, made);
    return made;
  }

  function guardsOf(toolset: Toolset): readonly DependencyGuard[] {
    return [...new Set(toolset.list().flatMap(({ definition }) => guarded.of(definition)))];
  }
}

/** The longest wait for a place, or for the end of a trial. Meanwhile the call takes a place of the worker's own concurrency. */
const WAIT_MS = 2000;

/** Returns a dependency because of which the call must not begin, or null. Waits while a trial is under way. */
async function failing(
  guards: readonly DependencyGuard[],
  { definition, hasCheck }: EnteringCall,
  until: () => AbortSignal,
): Promise<DependencyGuard | null> {
  let signal: AbortSignal | undefined;
  for (;;) {
    const open = guards.find(({ breaker }) => breaker.state() === "open");
    if (open) return open;
    const doubtful = guards.filter(({ breaker }) => breaker.state() === "half_open");
    if (definition.kind === "write" && hasCheck && doubtful[0]) return doubtful[0];
    const tried = doubtful.find(({ breaker }) => breaker.trial() !== null);
    if (!tried) return null;
    signal ??= until();
    await Promise.race([tried.breaker.trial(), aborted(signal)]);
    if (signal.aborted) return tried;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (signal.aborted) resolve();
  return promise;
}

function tooFast({ name }: ToolDefinition, waitMs: number): Entry {
  const retryAfter = Math.ceil(waitMs / 1000);
  const says = `"${name}" was not run, because too many calls of it began in this minute. The next one may begin in ${retryAfter} s.`;
  return { kind: "busy", problem: toolError("rate_limited", says, { retryable: true, retryAfter }), afterMs: waitMs };
}

function full({ name }: ToolDefinition, { name: dependency }: DependencyGuard): Entry {
  measure(metricNames.dependencyCalls, 1, tagsOf(dependency, "full"));
  const says = `"${name}" was not run, because as many calls as allowed use its dependency "${dependency}". Try again in 1 s.`;
  return { kind: "busy", problem: toolError("rate_limited", says, { retryable: true, retryAfter: 1 }), afterMs: 1000 };
}

function passOf(
  { name: tool }: ToolDefinition,
  guards: readonly DependencyGuard[],
  places: readonly (() => void)[],
  monotonic: () => number,
): Pass {
  // Until a handler has ended, the call says nothing.
  let ends = guards.map((guard) => ({ guard, end: guard.breaker.begin() }));
  let began = monotonic();
  const end = (outcome: CallOutcome, only?: string | null): void => {
    const ending = ends;
    ends = [];
    for (const { guard, end } of ending) end(only === undefined || only === guard.name ? outcome : "unknown");
  };
  return {
    saw(ran, step) {
      const outcome = outcomeOf(ran);
      const only = ran.kind === "problem" ? ran.problem.options.dependency : undefined;
      if (step === "step" && outcome !== "fails") return void (began = monotonic());
      // A second attempt is another call of the dependency.
      if (ends.length === 0) ends = guards.map((guard) => ({ guard, end: guard.breaker.begin() }));
      for (const { name } of guards) {
        const tags = { ...tagsOf(name, only === undefined || only === name ? outcome : "unknown"), [attributeNames.toolNameTag]: tool };
        measure(metricNames.dependencyCalls, 1, tags);
        measure(metricNames.dependencyDuration, monotonic() - began, tags);
      }
      began = monotonic();
      end(outcome, only);
    },
    mayRepeat: () => guards.every(({ breaker }) => breaker.state() === "closed"),
    leave() {
      end("unknown");
      for (const place of places) place();
    },
  };
}

function tagsOf(dependency: string, outcome: CallOutcome | "refused" | "full"): Readonly<Record<string, string>> {
  return { [attributeNames.dependency]: dependency, [attributeNames.outcome]: outcome };
}
