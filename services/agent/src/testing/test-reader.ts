import { type LocalToolsets, memoryBus, places } from "@toolbus/bus";
import { type Json, keys, type Message, type MessageEntry, parseInboxEntry, type ToolRights, topics } from "@toolbus/contracts";
import { ownKeys, signedReader } from "@toolbus/grants";
import { modelFacts, type ModelProvider, offlineModel, tokenCalibration } from "@toolbus/models";
import { startOutbox } from "@toolbus/runtime";
import { silentLog } from "@toolbus/telemetry";
import { definitionPace, fixedToolFlags, nameOwners } from "@toolbus/tool-kit";
import type { BudgetConfig } from "../budget/budget-limits.ts";
import { budgets } from "../budget/budgets.ts";
import { catalogue } from "../catalogue.ts";
import { signedOrigin, type Whose } from "./origin-under-test.ts";
import { originReader } from "../origins.ts";
import type { Profile } from "../profile.ts";
import { toolOffers } from "../tool-offers.ts";
import { snapshots } from "../documents/snapshots.ts";
import { bundle, CONVERSATION, RUN } from "./test-bundle.ts";
import { newRides } from "../steps/rides.ts";
import { strayLines } from "../steps/stray-lines.ts";
import { proofKeys, proofsUnderTest } from "./test-proofs.ts";
import { onResult } from "../incoming/consumers.ts";
import type { InboxReader } from "../incoming/inbox-reader.ts";
import { localRounds } from "../incoming/local-round.ts";
import { localCalls } from "../outgoing/local-calls.ts";
import type { Rules } from "../transitions/rules.ts";
import { transcripts } from "../steps/transcripts.ts";

const own = await ownKeys(["gateway"]);

/** Returns a reader of entries and steps, over a store and a bus in memory. The store contains the tools of the bundle and the first message. */
export async function readerUnderTest(
  disabledTools: readonly string[] = [],
  provider: ModelProvider = offlineModel(),
  profile: Partial<Profile> = {},
  limits: Partial<BudgetConfig> = {},
  rights?: ToolRights,
) {
  const b = bundle({ profile });
  const bus = memoryBus({});
  const { state } = b;
  const local: LocalToolsets = new Map();
  const rules: Rules = { ...b.rules, servesHere: (toolset) => local.has(topics.invoke(toolset)) };
  const origins = originReader({ state, reader: signedReader({ typ: "tb-origin+jwt", keys: own.trusted.of("gateway") }), log: silentLog });
  const announced: Message[] = [];
  const deliveriesSentAgain: string[] = [];
  const sender = startOutbox({ state, bus, service: "agent", log: silentLog, visibilityMs: 4000, pollMs: 60_000 });
  const stopping = new AbortController();
  const underWay: Promise<void>[] = [];
  let publish = (message: Message): Promise<void> => bus.publish(message);
  const outbox = localCalls({
    outbox: sender,
    local,
    publish: (message) => publish(message),
    take: async (answer) => (await onResult(reader, answer, { count: 1, redelivered: false, signal: stopping.signal })).kind === "ack",
    background: (work) => void underWay.push(work),
    stopping: stopping.signal,
    log: silentLog,
  });
  const known = transcripts(state, { maxChars: 100_000, keptChars: 100_000, monotonic: b.monotonic });
  const reader: InboxReader = {
    state,
    outbox,
    snapshots: snapshots(state, b.monotonic, known),
    places: places(32),
    rides: newRides(),
    monotonic: b.monotonic,
    callHere: localRounds(() => reader, { local, background: (work) => void underWay.push(work), stopping: stopping.signal }),
    isHere: (callId) => [...local.values()].some((toolset) => toolset.runs(callId)),
    origins,
    budgets: budgets({
      state,
      origins,
      config: { ...rules.config, ...limits },
      profile: rules.profile,
      factsOf: modelFacts,
      log: silentLog,
    }),
    calibration: tokenCalibration(),
    modelOf: () => provider,
    catalogue: catalogue(state),
    proofs: proofsUnderTest(state, b.monotonic),
    strays: strayLines({ log: silentLog, monotonic: b.monotonic }),
    transcripts: known,
    rules,
    log: silentLog,
    toolOffers: toolOffers({
      state,
      flags: fixedToolFlags(),
      disabled: new Set(disabledTools),
      log: silentLog,
      pace: definitionPace({ log: silentLog, monotonic: b.monotonic }),
      owners: nameOwners({ approvals: proofKeys.trusted.of("approvals"), log: silentLog }),
    }),
    announce: async (message: Message) => void announced.push(message),
    sendDeliveryAgain: async (deliveryId: string) => deliveriesSentAgain.push(deliveryId) > 0,
  };
  for (const registration of b.tools.values()) {
    const { name, version } = registration.definition;
    const key = keys.registration("test", name, version);
    await state.commit("00", {
      op: `r:${name}`,
      guards: [{ key, version: 0 }],
      put: [{ key, value: registration as unknown as Json }],
      index: [{ index: keys.registryIndex(), member: `test/${name}@${version}`, score: 0 }],
    });
  }
  /** Accepts an entry as the gateway does. A message is stored together with the record of its origin. */
  const put = async (entryId: string, entry: object, whose: Whose | null = {}) => {
    const parsed = parseInboxEntry(entry);
    const message = parsed.ok && parsed.value.kind === "message" ? parsed.value : null;
    return state.commit("03", {
      op: `put:${entryId}`,
      guards: [{ key: keys.inbox("03", entryId), version: 0 }],
      put: [
        { key: keys.inbox("03", entryId), value: entry as Json },
        ...(message && whose
          ? [{ key: keys.runOrigin(entryId), value: await signedOrigin(message, own.identityOf("gateway"), whose) }]
          : []),
      ],
    });
  };
  await put(
    RUN,
    {
      kind: "message",
      entryId: RUN,
      runId: RUN,
      conversationId: CONVERSATION,
      agent: "default",
      profile: "test",
      text: "Do it.",
      input: {},
      ifActive: "enqueue",
      acceptedAt: 1,
    },
    { rights },
  );
  return {
    b,
    announced,
    /** The webhook deliveries that the reader was asked to send again. */
    deliveriesSentAgain,
    reader,
    /** The toolsets of this process. The test adds those that the reader calls directly. */
    local,
    /** Replaces the bus for calls that are given back. */
    onPublish: (seen: (message: Message) => void) => void (publish = async (message) => seen(message)),
    /** Resolves when nothing runs in the background any more. */
    async idle() {
      while (underWay.length > 0) await Promise.all(underWay.splice(0));
    },
    put,
    /** Returns the first message, from which tests derive others. */
    async message(): Promise<MessageEntry> {
      const { documents } = await state.read([keys.inbox("03", RUN)]);
      const entry = parseInboxEntry(documents[0]?.value);
      if (!entry.ok || entry.value.kind !== "message") throw new Error("the first message is gone");
      return entry.value;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.allSettled(underWay);
      await outbox.stop();
      await bus.close();
    },
  };
}
