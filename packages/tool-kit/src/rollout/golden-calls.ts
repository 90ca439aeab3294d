import { callsByName, checkArguments, isForeign, type JsonObject } from "@toolbus/contracts";
import { attributeNames, type Log, measure, metricNames, spanNames, withSpan } from "@toolbus/telemetry";
import { switchedOff, type ToolFlags } from "../registry/tool-flags.ts";
import { cleanText } from "../tool/tool-problem.ts";
import type { Executor, Toolset } from "../tool/toolset.ts";
import { type GoldenOutcome, runGoldenCall } from "./golden-call.ts";

/** A tool whose golden call failed. */
export interface GoldenFault {
  readonly tool: string;
  readonly version: string;
  /** The code of the failure, such as `unavailable`. The log has its words. */
  readonly code: string;
}

export interface GoldenOptions {
  readonly flags: ToolFlags;
  readonly log: Log;
  readonly random: (bytes: number) => Uint8Array;
  readonly signal: AbortSignal;
  /** The longest time for all calls together, in milliseconds. */
  readonly limitMs?: number;
}

/** The default longest time for all golden calls of a toolset. */
export const GOLDEN_LIMIT_MS = 60_000;

/**
 * Calls each registered tool with the arguments from the toolset's `examples`, and returns the failures. Reads and computes really run. Of a write,
 * only `plan` and `prepare` run, which have no effect. The calls belong to no run, leave no trace in the ledger, and have their own span and metric.
 * Foreign tools, tools that are switched off here, tools with `noGoldenCall` and tools without an example are not called. Rejects only when the signal
 * aborts.
 */
export async function runGoldenCalls(toolset: Toolset, options: GoldenOptions): Promise<readonly GoldenFault[]> {
  const { log, flags, signal, limitMs = GOLDEN_LIMIT_MS } = options;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const values = await flags.current();
  const [down, examples] = await Promise.all([whyUnavailable(toolset, deadline), examplesOf(toolset, log, deadline)]);
  const faults: GoldenFault[] = [];
  const uncalled: string[] = [];
  let called = 0;
  for (const executor of toolset.list()) {
    const { definition } = executor;
    const outcome = await outcomeOf(executor);
    signal.throwIfAborted();
    const named = { tool: definition.name, version: definition.version };
    measure(metricNames.goldenCalls, 1, {
      [attributeNames.toolNameTag]: definition.name,
      [attributeNames.statusTag]: outcome.kind === "failed" ? outcome.code : outcome.kind,
    });
    switch (outcome.kind) {
      case "passed":
        called++;
        log.debug({ ...named, parts: outcome.parts }, "a golden call passed");
        break;
      case "not_called":
        uncalled.push(definition.name);
        log[outcome.expected ? "debug" : "warn"](named, `The tool has no golden call: ${outcome.why}`);
        break;
      case "failed":
        faults.push({ ...named, code: outcome.code });
        log.error(
          { ...named, code: outcome.code, ...(outcome.error === undefined ? {} : { error: outcome.error }) },
          `A golden call failed: ${outcome.says}`,
        );
    }
  }
  if (faults.length === 0) log.info({ toolset: toolset.name, called, notCalled: uncalled }, "the golden calls passed");
  return faults;

  async function outcomeOf(executor: Executor): Promise<GoldenOutcome> {
    const { definition, tool } = executor;
    if (isForeign(definition) || callsByName({ toolset: toolset.name, definition }))
      return notCalled("it passes calls on to a server that declares no golden arguments.", true);
    const off = switchedOff(definition, values, flags.environment);
    if (off !== null) return notCalled(off, true);
    if (tool.noGoldenCall !== undefined) return notCalled(tool.noGoldenCall, true);
    const args = Object.hasOwn(examples, definition.name) ? examples[definition.name] : undefined;
    if (args === undefined)
      return down === null
        ? notCalled(`the "examples" of the toolset "${toolset.name}" have no arguments for it.`, false)
        : { kind: "failed", code: "unavailable", says: down };
    const problem = checkArguments(definition, args)[0];
    if (problem !== undefined) return misfit(executor, `the example of the tool ${problem.message} (${problem.path || "/"}).`);
    return inSpan(executor, () => runGoldenCall(executor, args, { ...options, signal: deadline }));
  }

  /** Several versions of a tool share one example, which need not fit all of them. */
  function misfit({ definition: { name } }: Executor, says: string): GoldenOutcome {
    const versions = toolset.list().filter(({ definition }) => definition.name === name);
    return versions.length > 1 ? notCalled(says, false) : { kind: "failed", code: "invalid_arguments", says };
  }

  function inSpan({ definition, tool }: Executor, work: () => Promise<GoldenOutcome>): Promise<GoldenOutcome> {
    const attributes = {
      [attributeNames.golden]: true,
      [attributeNames.toolName]: definition.name,
      [attributeNames.toolset]: toolset.name,
      [attributeNames.toolKind]: tool.kind,
      [attributeNames.toolVersion]: definition.version,
    };
    return withSpan(spanNames.goldenCall(definition.name), { attributes }, async (span) => {
      const outcome = await work();
      if (outcome.kind === "failed") span.fail(outcome.code);
      return outcome;
    });
  }
}

function notCalled(why: string, expected: boolean): GoldenOutcome {
  return { kind: "not_called", why, expected };
}

async function whyUnavailable(toolset: Toolset, signal: AbortSignal): Promise<string | null> {
  return within(signal, toolset.unavailable(signal)).catch((error: unknown) => `Its availability check failed: ${wordsOf(error)}`);
}

async function examplesOf(toolset: Toolset, log: Log, signal: AbortSignal): Promise<Readonly<Record<string, JsonObject>>> {
  return within(signal, toolset.examples(signal)).catch((error: unknown) => {
    log.warn({ error, toolset: toolset.name }, "the toolset gave no arguments for its golden calls");
    return {};
  });
}

/** Stops the wait for a toolset that ignores its signal. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", onAbort));
}

function wordsOf(error: unknown): string {
  return cleanText(error instanceof Error ? error.message : String(error), 200);
}
