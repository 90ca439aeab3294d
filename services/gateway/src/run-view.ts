import {
  type Call,
  keys,
  openCalls,
  parseCall,
  parseConversationState,
  parseRegistration,
  type Registration,
  type RunView,
  runView,
} from "@toolbus/contracts";
import { endedCalls } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { openQuestions } from "./open-questions.ts";
import type { OwnRun } from "./run-access.ts";
import { type OpenRun, waitsOf } from "./run-waits.ts";

/** Returns the view of a run for answers about a single run. The view has every call that has ended and everything that the run waits for. */
export async function viewRun(state: StateStore, own: OwnRun): Promise<RunView> {
  const calls = await readCalls(state, openCalls(own.run));
  const asking = await openQuestions(state, calls);
  const ended = own.run ? await endedCalls(state, own.runId) : [];
  const view = { ...runView(own, calls, asking), ...(ended.length > 0 ? { calls: ended } : {}) };
  if (own.run && own.run.endedAt !== null) return view;
  return { ...view, waits: waitsOf(await openRun(state, own, { calls, asking })) };
}

async function openRun(
  state: StateStore,
  { now, origin, run }: OwnRun,
  { calls, asking }: Pick<OpenRun, "calls" | "asking">,
): Promise<OpenRun> {
  const wanted = new Map(
    calls
      .filter(({ state: now }) => now === "dispatched" || now === "requested")
      .map((call) => [registrationKey(call), null as Registration | null]),
  );
  const queued = run?.status === "queued" ? [keys.conversation(origin.conversationId)] : [];
  const names = [...queued, ...wanted.keys()];
  const { documents } = names.length > 0 ? await state.read(names) : { documents: [] };
  names.forEach((name, n) => {
    const registration = wanted.has(name) && documents[n] && parseRegistration(documents[n].value);
    if (registration && registration.ok) wanted.set(name, registration.value);
  });
  const conversation = queued.length > 0 && documents[0] ? parseConversationState(documents[0].value) : null;
  return {
    now,
    createdAt: origin.createdAt,
    run,
    calls,
    asking,
    conversation: conversation?.ok ? conversation.value : null,
    requesters: [...new Set([origin.principal, ...(origin.via.principal === undefined ? [] : [origin.via.principal])])],
    registrationOf: (call) => wanted.get(registrationKey(call)) ?? null,
  };
}

const registrationKey = ({ toolset, toolName, toolVersion }: Call): string => keys.registration(toolset, toolName, toolVersion);

async function readCalls(state: StateStore, callIds: readonly string[]): Promise<readonly Call[]> {
  const { documents } = callIds.length > 0 ? await state.read(callIds.map((callId) => keys.call(callId))) : { documents: [] };
  return documents.flatMap((document) => {
    const call = parseCall(document?.value);
    return call.ok && call.value.state !== "resolved" ? [call.value] : [];
  });
}

/**
 * Returns the views of runs for a list, in the order of the runs, with the approvals and questions that they wait for. Reads calls only if a run
 * waits for some, and reads all of them at once. Then it reads the questions of the tools of sent calls.
 */
export async function viewRuns(state: StateStore, owns: readonly OwnRun[]): Promise<readonly RunView[]> {
  const calls = await readCalls(
    state,
    owns.flatMap(({ run }) => openCalls(run)),
  );
  const asking = await openQuestions(state, calls);
  const byRun = Map.groupBy(calls, ({ runId }) => runId);
  return owns.map((own) => runView(own, byRun.get(own.runId) ?? [], asking));
}
