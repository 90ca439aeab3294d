import { places } from "@toolbus/bus";
import { DIRECT_CALL_PROFILE, type Message, topics } from "@toolbus/contracts";
import { signMessage, signedReader } from "@toolbus/grants";
import { type FactsOf, modelFacts, type ModelProvider, type ModelSettings, noModelSettings, tokenCalibration } from "@toolbus/models";
import {
  defineService,
  type Infrastructure,
  needKeysOf,
  Refusal,
  type Service,
  observedOutbox,
  readWebhookPlan,
  startOutbox,
  startTimerLoop,
  startWebhooks,
  type WebhookPlan,
} from "@toolbus/runtime";
import { definitionPace, eraReader, FlagsRefused, nameOwners, openToolFlags, receiptKeys, type ToolFlags } from "@toolbus/tool-kit";
import { keepRegistered } from "./agent-presence.ts";
import { budgets } from "./budget/budgets.ts";
import { catalogue } from "./catalogue.ts";
import { localRounds } from "./incoming/local-round.ts";
import { onResult, startConsumers } from "./incoming/consumers.ts";
import type { InboxReader } from "./incoming/inbox-reader.ts";
import { followIndexedServers } from "./incoming/indexed-servers.ts";
import { localCalls } from "./outgoing/local-calls.ts";
import { mcpMetadataRefreshMessage, toolRefreshMessage } from "./outgoing/messages.ts";
import { AGENT_SERVICE, type Rules } from "./transitions/rules.ts";
import { originReader } from "./origins.ts";
import { snapshots } from "./documents/snapshots.ts";
import { newRides } from "./steps/rides.ts";
import { strayLines } from "./steps/stray-lines.ts";
import { onTimer } from "./incoming/timers.ts";
import { transcripts } from "./steps/transcripts.ts";
import { writeProofs } from "./steps/write-proofs.ts";
import { observeRun } from "./observe-run.ts";
import type { Profile } from "./profile.ts";
import { settingsInWords } from "./model-in-words.ts";
import { readModelSettings } from "./model-settings.ts";
import { directCallProfile, noModel } from "./direct-call/direct-call.ts";
import { loadProfiles } from "./profiles/load-profiles.ts";
import { type ModelOf, processModel, profileModels } from "./profiles/profile-models.ts";
import { timesThatDoNotFit } from "./profiles/times-that-do-not-fit.ts";
import { type AgentConfig, agentSettings } from "./settings.ts";
import { namesOf, toolOffers } from "./tool-offers.ts";
import { agentLimits, startStamped } from "./stamped.ts";
import { startSummaries } from "./summaries/start-summaries.ts";
import { contentOfRun, endedRunsIn } from "./reported-runs.ts";
import { tracedModel } from "./traced-model.ts";

/**
 * The agent service. It takes the entries that the gateway accepted, asks the model, sends calls and joins their results. It has the model's API key.
 * The only outside systems that it calls are the model and the targets of webhooks, which it notifies when a run ends.
 */
export const agent = agentWith((model) => model);

/** Returns what answers instead of a model. An evaluation that plays the turns of a model passes one. */
export type WrapModel = (model: ModelProvider) => ModelProvider;

/** Returns the agent service with a wrapper around each model, that of the settings and those of profiles. */
export function agentWith(wrapModel: WrapModel) {
  return defineService({
    name: "agent",
    settings: agentSettings,
    identity: ({ AGENT_KEY_FILE }) => ({
      setting: "AGENT_KEY_FILE",
      file: AGENT_KEY_FILE,
      names: [AGENT_SERVICE],
      verifiedAs: [AGENT_SERVICE],
    }),
    start: async (infrastructure, config) => {
      const models = await readModelSettings(config, infrastructure.env ?? {});
      const provider = await processModel(models);
      infrastructure.log.debug({}, `the model is ${settingsInWords(models)}`);
      const webhooks = await readWebhookPlan(config);
      const profiles = await loadProfiles(config.PROFILES_DIR);
      const stamped = { file: config.REGISTRY_STAMP_FILE, limits: agentLimits(profiles) };
      return startStamped(infrastructure, stamped, () =>
        startAgent(infrastructure, config, { provider, models, profiles, webhooks, wrapModel }),
      );
    },
  });
}

/** The number of transcript characters that are kept in memory, over all conversations. */
const KEPT_TRANSCRIPTS = 32_000_000;
const NOBODY: WebhookPlan = { targets: [], allowed: new Set(), retriesMs: [] };

/** The parts of an agent besides its infrastructure and settings. A caller that starts an agent with another model passes the model here. */
export interface AgentParts {
  readonly provider: ModelProvider;
  /** The connection settings for a profile's own model. By default nothing is configured. */
  readonly models?: ModelSettings;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** How often the agent checks whether the store still has its announcement, in milliseconds. The default is 30 s. */
  readonly seenEveryMs?: number;
  /** The webhooks that are notified when a run ends. The default is none. */
  readonly webhooks?: WebhookPlan;
  /** Wraps each model, inside its telemetry. The default changes nothing. */
  readonly wrapModel?: WrapModel;
}

/** Starts an agent with this model and these profiles. Resolves when the agent accepts work. */
export async function startAgent(
  { bus, local, state, log, identity, trusted, random, clock, monotonic }: Infrastructure,
  config: AgentConfig,
  { provider, models = noModelSettings, profiles, seenEveryMs, webhooks: plan = NOBODY, wrapModel = (model) => model }: AgentParts,
): Promise<Service> {
  needKeysOf(trusted, ["gateway", "approvals"]);
  const origins = originReader({ state, reader: signedReader({ typ: "tb-origin+jwt", keys: trusted.of("gateway") }), log });
  const rules: Rules = {
    config,
    profile: (name) => (name === DIRECT_CALL_PROFILE ? directCallProfile : profiles.get(name)),
    profileNames: [...profiles.keys()].toSorted(),
    newSecret: () => Buffer.from(random(32)).toString("base64url"),
    newNonce: () => Buffer.from(random(9)).toString("base64url"),
    random: () => Buffer.from(random(4)).readUInt32BE() / 2 ** 32,
    ownersDeadBefore: state.ownersDeadBefore,
    servesHere: (toolset) => local?.has(topics.invoke(toolset)) === true,
  };
  if (config.RUN_RENEW_MS >= config.RUN_LEASE_MS)
    throw new Refusal(
      "RUN_RENEW_MS must be shorter than RUN_LEASE_MS, best a third of it: a lease that is renewed too late is lost in the middle of a model call.",
    );
  for (const misfit of timesThatDoNotFit(profiles.values(), config)) log.warn({}, misfit);
  const factsOf: FactsOf = (vendor, model) => modelFacts(vendor, model, models.table);
  const wrap = (model: ModelProvider): ModelProvider => tracedModel(wrapModel(model), { log, monotonic, factsOf });
  const modelOfProfile = await profileModels(profiles.values(), { provider: wrap(provider), settings: models, wrap });
  const modelOf: ModelOf = (name) => (name === DIRECT_CALL_PROFILE ? noModel : modelOfProfile(name));
  const flags = await toolFlags(config, { log, monotonic });
  const sender = startOutbox({
    state,
    bus,
    service: AGENT_SERVICE,
    // The cancel of an approval is signed when it is sent, so that the store contains no signature.
    prepare: async ({ topic, message }) =>
      topic === topics.approvalCancel ? signMessage(message as unknown as Message, identity) : (message as unknown as Message),
    log,
    visibilityMs: config.OUTBOX_VISIBILITY_MS,
    pollMs: config.POLL_MS,
  });
  const webhooks = startWebhooks({
    state,
    service: AGENT_SERVICE,
    plan,
    webhookEventsIn: endedRunsIn,
    contentOf: ({ subject }) => contentOfRun(state, origins, subject),
    log,
    random: rules.random,
    newNonce: rules.newNonce,
  });
  const observed = observedOutbox(
    sender,
    (change, now) => observeRun(change, now, { provider: (profile) => modelOf(profile).name, log }),
    log,
  );
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const background = (work: Promise<void>): void => {
    const done = work
      .catch((error: unknown) => log.error({ error }, "work on a run failed; the timers of the run and its calls make up for it"))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  const outbox = localCalls({
    outbox: webhooks.telling(observed),
    local,
    publish: (message) => bus.publish(message),
    take: async (answer) => (await onResult(reader, answer, { count: 1, redelivered: false, signal: stopping.signal })).kind === "ack",
    background,
    stopping: stopping.signal,
    log,
  });
  const known = transcripts(state, { maxChars: config.TRANSCRIPT_MAX_CHARS, keptChars: KEPT_TRANSCRIPTS, monotonic });
  const pace = definitionPace({ log, monotonic });
  const owners = nameOwners({ approvals: trusted.of("approvals"), log });
  const summaries = startSummaries({ state, log, monotonic, random }, config, {
    model: wrap(provider),
    approvals: trusted.of("approvals"),
    pace,
    owners,
  });
  const reader: InboxReader = {
    state,
    outbox,
    snapshots: snapshots(state, monotonic, known),
    places: places(config.AGENT_CONCURRENCY),
    rides: newRides(),
    monotonic,
    callHere: localRounds(() => reader, { local: local ?? new Map(), background, stopping: stopping.signal }),
    isHere: (callId) => [...(local?.values() ?? [])].some((toolset) => toolset.runs(callId)),
    budgets: budgets({ state, origins, config, profile: rules.profile, factsOf, log }),
    calibration: tokenCalibration(),
    modelOf,
    catalogue: catalogue(state),
    strays: strayLines({ log, monotonic }),
    proofs: writeProofs({
      state,
      receiptKeys: receiptKeys({
        known: (toolset) => trusted.of(`worker.${toolset}`),
        state,
        approvals: trusted.of("approvals"),
        monotonic,
      }),
      eras: eraReader(trusted.of("approvals")),
      approvals: trusted.of("approvals"),
      log,
      monotonic,
      newId: () => Buffer.from(random(16)).toString("base64url"),
      perMinute: config.SECURITY_EVENTS_PER_MINUTE,
    }),
    origins,
    transcripts: known,
    rules,
    log,
    toolOffers: toolOffers({
      state,
      flags,
      disabled: namesOf(config.TOOLS_DISABLED),
      log,
      pace,
      owners,
      words: () => summaries.words(),
    }),
    announce: (message) => bus.announce(message),
    sendDeliveryAgain: (deliveryId) => webhooks.again(deliveryId),
  };
  const presence = await keepRegistered({
    state,
    outbox,
    log,
    agent: config.AGENT_NAME,
    profiles: [...profiles.values()],
    everyMs: seenEveryMs,
  });
  const consumers = [...(await startConsumers(bus, reader, clock)), await followIndexedServers(bus, reader)];
  const timers = startTimerLoop({
    state,
    service: AGENT_SERVICE,
    handle: async (timer) => void ((await webhooks.onTimer(timer)) || (await onTimer(reader, timer, stopping.signal))),
    log,
    clock,
    pollMs: config.POLL_MS,
    visibleMs: config.RUN_LEASE_MS,
    random: () => (random(1)[0] ?? 0) / 256,
  });
  // A store that was emptied has no tools until the workers register again. This message asks all workers to register. Existing registrations stay
  // unchanged.
  await bus
    .announce(toolRefreshMessage(rules, clock()))
    .catch((error: unknown) => log.warn({ error }, "the workers could not be asked to register again"));
  // The agent listens by now, so it misses no announcement that answers this message.
  await bus
    .announce(mcpMetadataRefreshMessage(rules, clock()))
    .catch((error: unknown) => log.warn({ error }, "the MCP bridges could not be asked for their servers"));
  return {
    unready: () => [],
    async stop() {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      stopping.abort();
      await timers.stop();
      // What is done in the background may begin more work in the background.
      while (underWay.size > 0) await Promise.all(underWay);
      await summaries.stop();
      await webhooks.stop();
      await presence.stop();
      await reader.proofs.stop();
      await reader.strays.stop();
      await outbox.stop();
    },
  };
}

async function toolFlags(
  { TOOLBUS_ENVIRONMENT, TOOL_FLAGS, TOOL_FLAGS_FILE }: AgentConfig,
  { log, monotonic }: Pick<Infrastructure, "log" | "monotonic">,
): Promise<ToolFlags> {
  try {
    return await openToolFlags({
      environment: TOOLBUS_ENVIRONMENT,
      text: TOOL_FLAGS,
      file: TOOL_FLAGS_FILE,
      monotonic,
      onProblem: (message) => log.warn({}, message),
    });
  } catch (error) {
    throw error instanceof FlagsRefused ? new Refusal(error.message) : error;
  }
}
