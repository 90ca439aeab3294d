import { memoryBus } from "@toolbus/bus";
import { type Json, keys, type Message, type MessageEntry, parseInboxEntry } from "@toolbus/contracts";
import { modelFacts, type ModelProvider, offlineModel, tokenCalibration } from "@toolbus/models";
import { startOutbox } from "@toolbus/runtime";
import { silentLog } from "@toolbus/telemetry";
import { fixedToolFlags } from "@toolbus/tool-kit";
import type { BudgetConfig } from "../budget/budget-limits.ts";
import { budgets } from "../budget/budgets.ts";
import { catalogue } from "../catalogue.ts";
import type { Profile } from "../profile.ts";
import { toolOffers } from "../tool-offers.ts";
import { snapshots } from "./snapshots.ts";
import { bundle, CONVERSATION, RUN } from "./test-bundle.ts";
import { transcripts } from "./transcripts.ts";

/** What takes entries and steps, over a store and a bus in memory that hold the tools of the bundle and the first message. */
export async function readerUnderTest(
  disabledTools: readonly string[] = [],
  provider: ModelProvider = offlineModel(),
  profile: Partial<Profile> = {},
  limits: Partial<BudgetConfig> = {},
) {
  const b = bundle({ profile });
  const bus = memoryBus({});
  const { state, rules } = b;
  const announced: Message[] = [];
  const outbox = startOutbox({ state, bus, service: "agent", log: silentLog, visibilityMs: 4000, pollMs: 60_000 });
  const reader = {
    state,
    outbox,
    snapshots: snapshots(state, b.monotonic),
    budgets: budgets({ state, config: { ...rules.config, ...limits }, profile: rules.profile, factsOf: modelFacts, log: silentLog }),
    calibration: tokenCalibration(),
    modelOf: () => provider,
    catalogue: catalogue(state),
    transcripts: transcripts(state, { maxChars: 100_000, keptChars: 100_000 }),
    rules,
    log: silentLog,
    toolOffers: toolOffers({ state, flags: fixedToolFlags(), disabled: new Set(disabledTools), log: silentLog }),
    announce: async (message: Message) => void announced.push(message),
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
  const put = (entryId: string, entry: object) =>
    state.commit("03", {
      op: `put:${entryId}`,
      guards: [{ key: keys.inbox("03", entryId), version: 0 }],
      put: [{ key: keys.inbox("03", entryId), value: entry as Json }],
    });
  await put(RUN, {
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
  });
  return {
    b,
    announced,
    reader,
    put,
    /** The first message, to make others of. */
    async message(): Promise<MessageEntry> {
      const { documents } = await state.read([keys.inbox("03", RUN)]);
      const entry = parseInboxEntry(documents[0]?.value);
      if (!entry.ok || entry.value.kind !== "message") throw new Error("the first message is gone");
      return entry.value;
    },
    /** Records whose message a run's is, as the gateway does. */
    async origin(runId: string, principal: string) {
      const key = keys.runOrigin(runId);
      const value = {
        runId,
        conversationId: CONVERSATION,
        tenant: "t",
        principal,
        scopes: [],
        agent: "default",
        messageHash: "h",
        via: { kind: "http" },
        createdAt: 1,
        openUntil: 2,
      };
      await state.commit("03", { op: `origin:${runId}`, guards: [{ key, version: 0 }], put: [{ key, value }] });
    },
    async [Symbol.asyncDispose]() {
      await outbox.stop();
      await bus.close();
    },
  };
}
