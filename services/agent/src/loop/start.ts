import { createHash } from "node:crypto";
import { type ConversationState, type MessageEntry, type Registration, type Run, type RunTool } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { emptyReport, type Profile } from "../profile.ts";
import { Draft } from "./draft.ts";
import { wakeMessage } from "./messages.ts";
import type { Read, Rules } from "./rules.ts";

export interface StartInput {
  readonly now: number;
  readonly entry: MessageEntry;
  /** Null when this is the conversation's first run. */
  readonly conversation: Read<ConversationState> | null;
  readonly profile: Profile;
  /** What the registry holds now; the run keeps its slice of it. */
  readonly registrations: readonly Registration[];
}

/** How many runs may wait in one conversation. */
const QUEUE_LIMIT = 64;

/**
 * Starts a run from its inbox entry: ready when its conversation is free, queued when another run is active. Guards the conversation, so two
 * messages cannot both find it free.
 */
export function startRun(input: StartInput, rules: Rules): Change {
  const { now, entry, profile } = input;
  const conversation = input.conversation ?? {
    version: 0,
    value: { conversationId: entry.conversationId, activeRun: null, queue: [], runs: 0 },
  };
  const run = newRun(input, conversation.value);
  const draft = new Draft({ now, run: { version: 0, value: run }, conversation, calls: [], next: null }, rules);
  const { activeRun, queue, runs } = conversation.value;
  if (activeRun !== null && queue.length >= QUEUE_LIMIT) {
    const message = `The conversation has ${queue.length} messages waiting; send this one again when some are done.`;
    draft.end({ type: "run.failed", at: now, code: "conversation_busy", message, report: run.report, usage: run.usage }, "failed", {
      text: message,
      code: "conversation_busy",
    });
    return draft.build(opOf(entry));
  }
  if (activeRun === null) {
    draft.transcript({ type: "user", runId: entry.runId, text: entry.text, at: entry.acceptedAt });
    draft.conversation = { ...conversation.value, activeRun: entry.runId, runs: runs + 1 };
    draft.send(wakeMessage(run, rules, now, "start"));
  } else {
    draft.conversation = { ...conversation.value, queue: [...queue, entry.runId], runs: runs + 1 };
    // It must not come between the calls of the active run and their results.
    draft.setRun({ status: "queued", message: { text: entry.text, at: entry.acceptedAt } });
    draft.event({ type: "run.queued", at: now, behind: activeRun });
  }
  draft.runTimer(rules.config.POLL_MS);
  draft.event({ type: "run.started", at: now, profile: profile.name, input: entry.input, tools: run.tools.map((tool) => tool.name) });
  return draft.build(opOf(entry));
}

const opOf = (entry: MessageEntry): string => `start:${entry.runId}`;

function newRun({ now, entry, profile, registrations }: StartInput, conversation: ConversationState): Run {
  const tools = toolsOf(profile, registrations);
  return {
    runId: entry.runId,
    conversationId: entry.conversationId,
    agent: entry.agent,
    profile: profile.name,
    input: entry.input,
    message: null,
    ordinal: conversation.runs + 1,
    status: "ready",
    tools,
    registryVersion: versionOf(tools),
    round: profile.seedCalls.length > 0 ? 0 : 1,
    epoch: 0,
    lease: null,
    attempts: 0,
    activeMs: 0,
    stepStartedAt: now,
    pending: 0,
    calls: [],
    cancel: null,
    repeats: { key: "", count: 0 },
    usage: { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 0 },
    createdAt: entry.acceptedAt,
    startedAt: now,
    endedAt: null,
    ending: null,
    report: profile.report ? emptyReport(profile.report, entry.input) : null,
  };
}

/** The slice of the registry that a profile sees: newest registration of each name, at most its limit, in the profile's own order. */
function toolsOf(profile: Profile, registrations: readonly Registration[]): RunTool[] {
  const newest = new Map<string, Registration>();
  for (const registration of registrations) {
    const known = newest.get(registration.definition.name);
    if (!known || registration.registeredAt > known.registeredAt) newest.set(registration.definition.name, registration);
  }
  const names = profile.tools === "all" ? [...newest.keys()].toSorted() : profile.tools;
  return names
    .flatMap((name) => newest.get(name) ?? [])
    .slice(0, profile.limits.maxTools)
    .map(({ definition, hash, toolset }) => ({ name: definition.name, version: definition.version, hash, toolset }));
}

function versionOf(tools: readonly RunTool[]): string {
  const text = tools.map((tool) => `${tool.name}@${tool.version} ${tool.hash}`).join("\n");
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
