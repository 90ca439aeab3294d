import {
  type Call,
  type EndedCall,
  type EndedRun,
  isRunEnd,
  type Json,
  keys,
  parseCall,
  parseRegistration,
  parseReplacedDefinition,
  parseRun,
  renderEffect,
  rootRunId,
  type Run,
  type RunEvent,
  runView,
  type ToolDefinition,
  whatWasWritten,
} from "@toolbus/contracts";
import { parseCanonicalArguments } from "@toolbus/grants";
import type { Told, WebhookContent } from "@toolbus/runtime";
import type { Change, StateStore } from "@toolbus/state";
import { redacted } from "@toolbus/telemetry";
import type { Origins } from "./origins.ts";

type Store = Pick<StateStore, "read" | "range">;

/** The runs that a commit ends and that webhooks report. A sub-run is part of its root's work and is reported with it. */
export function toldByAgent(change: Change): readonly Told[] {
  return (change.append ?? []).flatMap(({ log, entries }) => {
    const subject = log.startsWith(EVENTS) ? (log.split(":")[3] ?? "") : "";
    if (subject === "" || rootRunId(subject) !== subject) return [];
    const end = (entries as unknown as readonly RunEvent[]).find(isRunEnd);
    return end ? [{ event: "run.ended", subject, at: end.at, dueIn: 0 } as const] : [];
  });
}

/** What a webhook target gets about a run that has ended. Null if nobody can tell any more who asked for it, or if it is no longer kept. */
export async function contentOfRun(state: Store, origins: Origins, runId: string): Promise<WebhookContent | null> {
  const { documents } = await state.read([keys.run(runId)]);
  const run = parseRun(documents[0]?.value);
  const origin = await origins.of(runId);
  if (!run.ok || run.value.endedAt === null || !origin) return null;
  const data: EndedRun = {
    run: runView({ runId, origin, run: run.value }, []),
    written: run.value.writes ? whatWasWritten(run.value.writes) : null,
    calls: await endedCalls(state, run.value),
  };
  // The target may be anybody: anything that looks like a credential stays here.
  return { tenant: origin.tenant, data: redacted<EndedRun>(data) };
}

/** Every call of the run: writes that happened first, then those that may have, then the others, each in the order in which they ended. */
async function endedCalls(state: Store, { runId }: Run): Promise<EndedCall[]> {
  const { resolved, effects } = await eventsOf(state, runId);
  const calls: EndedCall[] = [];
  for (let from = 0; from < resolved.length; from += BATCH) {
    const some = resolved.slice(from, from + BATCH);
    const { documents } = await state.read(some.map(({ callId }) => keys.call(callId)));
    const known = documents.map((document) => {
      const call = parseCall(document?.value);
      return call.ok ? call.value : null;
    });
    const rendered = await renderedEffects(
      state,
      known.filter((call) => call?.kind === "write" && !effects.has(call.callId)),
    );
    for (const [n, { callId, tool, status: outcome }] of some.entries()) {
      const { kind, approvedBy, approvalId } = known[n] ?? {};
      calls.push({
        callId,
        tool,
        ...(kind === undefined ? {} : { kind }),
        outcome,
        ...(approvedBy === undefined ? {} : { approvedBy }),
        ...(approvalId === undefined ? {} : { approvalId }),
        effect: effects.get(callId) ?? rendered.get(callId) ?? null,
      });
    }
  }
  return calls.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function placeOf({ kind, outcome }: EndedCall): number {
  if (kind !== "write") return 2;
  return outcome === "ok" ? 0 : outcome === "outcome_unknown" ? 1 : 2;
}

type Resolved = Extract<RunEvent, { readonly type: "call.resolved" }>;

/** The calls of a run in the order in which they ended, and the effects that approvers were shown. */
async function eventsOf(state: Store, runId: string): Promise<{ resolved: readonly Resolved[]; effects: ReadonlyMap<string, string> }> {
  const resolved: Resolved[] = [];
  const effects = new Map<string, string>();
  for (let after = 0; ;) {
    const entries = await state.range(keys.events(runId), { after, limit: EVENTS_READ });
    for (const { value, sequence } of entries) {
      const event = value as unknown as RunEvent;
      if (event.type === "call.resolved") resolved.push(event);
      if (event.type === "call.held") effects.set(event.callId, event.effect);
      after = sequence;
    }
    if (entries.length < EVENTS_READ) return { resolved, effects };
  }
}

/** Effects of writes that no person was asked about, from the definitions that their run used, as far as these are still registered. */
async function renderedEffects(state: Store, calls: readonly (Call | null)[]): Promise<ReadonlyMap<string, string>> {
  const writes = calls.filter((call) => call !== null);
  if (writes.length === 0) return new Map();
  const names = writes.flatMap(({ toolset, toolName, toolVersion, toolHash }) => [
    keys.registration(toolset, toolName, toolVersion),
    keys.replacedDefinition(toolset, toolHash),
  ]);
  const { documents } = await state.read(names);
  return new Map(
    writes.flatMap(({ callId, toolHash, arguments: text }, n) => {
      const definition = definitionOf(toolHash, documents[2 * n]?.value, documents[2 * n + 1]?.value);
      const args = parseCanonicalArguments(text);
      return definition && args.ok ? [[callId, renderEffect(definition, args.value)] as const] : [];
    }),
  );
}

function definitionOf(hash: string, registered: Json | undefined, replaced: Json | undefined): ToolDefinition | null {
  const current = parseRegistration(registered);
  if (current.ok && current.value.hash === hash) return current.value.definition;
  const former = parseReplacedDefinition(replaced);
  return former.ok && former.value.hash === hash ? former.value.definition : null;
}

const EVENTS = "tb:events:";
const EVENTS_READ = 500;
const BATCH = 100;
