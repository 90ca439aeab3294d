import { listenTo } from "@toolbus/bus";
import { counted, LONGEST_WAIT_MS, messageTypes, parser, ToolAnnounce, topics } from "@toolbus/contracts";
import { type KeySet, type SealKeys, secretTextOf, signedReader, signerOf, type StoredSigningKey } from "@toolbus/grants";
import {
  type ApiKeys,
  type Infrastructure,
  needKeysOf,
  observedOutbox,
  rateLimit,
  type RateLimit,
  type Route,
  type Service,
  startOutbox,
  startWebhooks,
  type WebhookPlan,
  type WatchedApiKeys,
} from "@toolbus/runtime";
import { metricNames, observeGauge } from "@toolbus/telemetry";
import { definitionPace } from "@toolbus/tool-kit";
import { type Chainer, startChainer } from "./record/chainer.ts";
import { copyRecords } from "./record/copy-records.ts";
import { answerMaker } from "./answers/answers.ts";
import { approvalDocuments } from "./sealed/approval-documents.ts";
import { emailChannel } from "./channels/email/email-channel.ts";
import { slackOf } from "./channels/slack/slack-of.ts";
import type { SlackWorkspaces } from "./channels/slack/slack-workspaces.ts";
import { correlationIdFrom } from "./routes/correlation-id.ts";
import { startConsumers } from "./approvals-consumers.ts";
import { routesOf } from "./approvals-routes.ts";
import { createDecisions } from "./decisions/decisions.ts";
import { readEnabledTools } from "./pins/enabled-tools.ts";
import { createEras } from "./eras/eras.ts";
import { forgetEnded } from "./decisions/forget-ended.ts";
import { expiryHandler } from "./requests/expiry.ts";
import { countPending, observeApprovals, oldestPending } from "./observe-approvals.ts";
import type { HookSources } from "./decisions/hook-sources.ts";
import { keepProbe } from "./probe/keep-probe.ts";
import { fixedPolicy, policySettings, type WatchedPolicy } from "./policy-file/watched-policy.ts";
import { warnOfMissingApprovers } from "./policy-file/missing-approvers.ts";
import { unregisteredTools } from "./policy-file/unregistered-tools.ts";
import { defaultPolicy } from "./policy/policy.ts";
import { pinStore } from "./pins/pin-store.ts";
import type { OidcProvider } from "./oidc/oidc-file.ts";
import type { PageOidc } from "./page/page-options.ts";
import { pageLinkOf } from "./page/page-address.ts";
import { pendingRoom } from "./requests/pending-room.ts";
import { createPins } from "./pins/pins.ts";
import { grantRate } from "./requests/grant-rate.ts";
import { handlePlans } from "./requests/plans.ts";
import { handleRequests } from "./requests/requests.ts";
import { handleRollbacks } from "./eras/rollbacks.ts";
import { sealedStore } from "./sealed/sealed-store.ts";
import { securityRecorder } from "./sealed/security.ts";
import { contentOfApproval, approvalEventsIn } from "./answers/reported-approvals.ts";
import { reportForgedDocuments } from "./sealed/forged-documents.ts";
import { APPROVALS_SERVICE, type ApprovalsConfig } from "./settings.ts";
import { refuseUnasked } from "./requests/unasked.ts";
import { answersToAgents } from "./answers/unread-answers.ts";
import { createWrites } from "./pins/writes.ts";

/**
 * The approvals service without its HTTP port and its files. It handles requests, decisions, expiries and answers, and has the routes for a server.
 */
export interface ApprovalsCore extends Service {
  readonly routes: readonly Route[];
  /** Reports from now on that the service is not ready, while active requests still finish. Call `stop` after they have finished. */
  readonly retire: () => void;
  /** Keeps the probe in the store until the service stops, so that workers can check their keys. Call this once workers can fetch the public keys. */
  readonly showKeys: () => Promise<void>;
}

/** The secrets that only approvals has: the keys for signing grants, pins and the era, and the secrets of its seals. The first signing key signs. */
export interface ApprovalsKeys {
  readonly signing: readonly [StoredSigningKey, ...StoredSigningKey[]];
  /** The public halves of the signing keys. */
  readonly verifying: KeySet;
  readonly seals: SealKeys;
}

/** The other systems that approvals works with. A field is absent if there are none. */
export interface ApprovalsOutside {
  /** The webhooks that approvals notifies. */
  readonly webhooks?: WebhookPlan;
  /** The sources that decide by a signed request. */
  readonly hooks?: HookSources;
  /** The policy in use. Without it, the tiers and the settings decide. */
  readonly policy?: Pick<WatchedPolicy, "current" | "warnings">;
  /** The API keys with which people sign in on the approval page. Without keys, there is no page. */
  readonly keys?: ApiKeys & Partial<Pick<WatchedApiKeys, "warnings">>;
  /** The workspaces of Slack whose people decide by button. */
  readonly workspaces?: SlackWorkspaces;
  /** The provider at which people sign in on the approval page. Without it, they sign in only with keys. */
  readonly oidc?: OidcProvider | null;
}

/** Starts approvals with its keys. Resolves when approvals accepts work. */
export async function startApprovalsCore(
  infrastructure: Infrastructure,
  config: ApprovalsConfig,
  { signing, verifying, seals }: ApprovalsKeys,
  {
    webhooks: plan = NOBODY,
    hooks = new Map(),
    policy = fixedPolicy(defaultPolicy(policySettings(config))),
    keys: apiKeys,
    workspaces = [],
    oidc = null,
  }: ApprovalsOutside = {},
): Promise<ApprovalsCore> {
  const { bus, state: bare, losses, log, trusted, random, clock, monotonic } = infrastructure;
  needKeysOf(trusted, ["gateway", "agent"]);
  const signer = await signerOf(signing[0]);
  const identity = { service: APPROVALS_SERVICE, signer };
  let chainer: Chainer | null = null;
  const sealed = sealedStore({ state: bare, seals, signer, ownKeys: verifying, onRecords: (shard) => chainer?.soon(shard) });
  // The code below uses only this store, so that every commit is sealed.
  const state = sealed.store;
  // These are closed in reverse order of opening, both at a stop and when a later step of the start fails.
  const open = new AsyncDisposableStack();
  try {
    const security = securityRecorder({
      state,
      log,
      monotonic,
      newId: () => text(random(16)),
      perMinute: config.SECURITY_EVENTS_PER_MINUTE,
    });
    open.defer(() => security.stop());
    const copy = copyRecords({ sealed, signer, newId: () => text(random(16)), log });
    chainer = startChainer({ state, copy, newId: () => text(random(16)), log, everyMs: LOOKS * config.POLL_MS, soonMs: config.POLL_MS });
    open.defer(() => chainer?.stop());
    const origins = signedReader({ typ: "tb-origin+jwt", keys: trusted.of("gateway") });
    const documents = approvalDocuments({ sealed, origins, security: security.record });
    const reported = reportForgedDocuments({ sealed, security: security.record });
    const answers = startOutbox({
      state,
      bus: answersToAgents({ bus, security: security.record, clock }),
      service: APPROVALS_SERVICE,
      prepare: answerMaker({ documents, identity }),
      log,
      visibilityMs: config.OUTBOX_VISIBILITY_MS,
      pollMs: config.POLL_MS,
    });
    open.defer(() => answers.stop());
    const slack = slackOf({ state, documents, plan, workspaces, publicUrl: config.APPROVALS_PUBLIC_URL });
    // This notifies people. Each commit also stores its notifications (webhook-delivery.ts), so none is lost if the process dies after the commit.
    const webhooks = startWebhooks({
      state,
      service: APPROVALS_SERVICE,
      plan,
      webhookEventsIn: approvalEventsIn,
      contentOf: (delivery) => contentOfApproval(documents, delivery, (id) => pageLinkOf(config, id)),
      channels: { email: emailChannel({ publicUrl: config.APPROVALS_PUBLIC_URL }), slack: slack.channel },
      log,
      random: fraction,
      newNonce: () => text(random(9)),
    });
    open.defer(() => webhooks.stop());
    const outbox = webhooks.telling(observedOutbox(answers, (change) => observeApprovals(change, log), log));
    open.defer(observeGauge(metricNames.approvalsPending, () => countPending(state)));
    open.defer(observeGauge(metricNames.approvalsOldest, () => oldestPending(state, clock)));
    open.defer(observeGauge(metricNames.policyUnusable, async () => (policy.warnings().length > 0 ? 1 : 0)));

    const listed = await readEnabledTools(config.TOOLS_ENABLED_FILE);
    const firstSight = config.PIN_ON_FIRST_SIGHT === "true";
    if (firstSight)
      log.debug({}, "writes are pinned when they first register: every registered write may be asked for (PIN_ON_FIRST_SIGHT)");
    const eras = createEras({ sealed: reported, losses, resumeAfterMs: config.RESUME_WRITES_AFTER_MS, newId: () => text(random(16)), log });
    const store = pinStore({ sealed: reported, log });
    const pace = definitionPace({ log, monotonic });
    const pins = createPins({ sealed: reported, store, eras, trusted, log, pace, firstSight, listed });
    const writes = createWrites({ state, store, trusted, newId: () => text(random(16)), log, pace });
    const requests = handleRequests({
      state,
      documents,
      outbox,
      pins,
      trusted,
      security: security.record,
      rules: config,
      policy: policy.current,
      rate: grantRate({ state, documents, perHour: config.AUTO_GRANTS_PER_HOUR }),
      room: pendingRoom({ state, documents, most: config.PENDING_PER_REQUESTER, expiryMs: LONGEST_WAIT_MS }),
      refuse: refuseUnasked({ bus, identity, security: security.record, monotonic }),
      newCorrelationId: () => correlationIdFrom(random(16)),
      log,
    });
    const unregistered = unregisteredTools({ policy: policy.current, state, log });
    // People of another system or of a provider are known only once they decide, so nothing can be said about their number.
    const others = hooks.size > 0 || workspaces.length > 0 || oidc !== null;
    const fewApprovers =
      apiKeys === undefined || others
        ? () => []
        : warnOfMissingApprovers({ policy: policy.current, people: () => apiKeys.principals(), log });
    fewApprovers();
    const announcements = await listenTo(bus, {
      topic: topics.toolAnnounce,
      types: [messageTypes.toolAnnounce],
      parse: parser(ToolAnnounce),
      listener: async () => {
        await pins.sight();
        await unregistered.look();
      },
      log,
    });
    open.defer(() => announcements.stop());
    await pins.sight();
    await unregistered.look();

    const decisions = createDecisions({
      documents,
      outbox,
      pins,
      security: security.record,
      rules: config,
      tokenOf: (approvalId, { tenant, id }, n) =>
        secretTextOf(["decision", approvalId, tenant, id, ...(n === 0 ? [] : [String(n)])], seals),
      policy: () => policy.current(),
      defaults: { expiryMs: config.APPROVAL_EXPIRY_MS, remindPercent: config.APPROVAL_REMINDER_PERCENT },
    });
    const stopping = new AbortController();
    const unready = (): readonly string[] => (stopping.signal.aborted ? ["stopping"] : []);
    const rate = decisionLimit();
    const interactions = slack.interactions({ decisions, rate, clock, log });
    open.defer(() => interactions.stop());
    const routes = routesOf({
      infrastructure,
      config,
      keys: { signing, apiKeys },
      sealed,
      documents,
      decisions,
      eras,
      writes,
      signer,
      webhooks,
      hooks,
      slack: { workspaces, interactions },
      oidc: oidc && (await pageOidc(oidc)),
      unready: () => [...unready(), ...bus.unready()],
      warnings: () => [
        ...policy.warnings(),
        ...unregistered.warnings(),
        ...fewApprovers(),
        ...(apiKeys?.warnings?.() ?? []),
        ...(bus.warnings?.() ?? []),
      ],
      rate,
    });

    await startConsumers(open, {
      infrastructure,
      config,
      state,
      requests,
      plans: handlePlans({ state, documents, outbox, pins, trusted, security: security.record, log }),
      rollbacks: handleRollbacks({ state, eras, trusted, security: security.record }),
      onExpiry: expiryHandler({ documents, outbox, expiryMs: LONGEST_WAIT_MS }),
      onDelivery: (timer) => webhooks.onTimer(timer),
      fraction,
    });

    let stopped: Promise<void> | null = null;
    return {
      routes,
      unready,
      retire: () => stopping.abort(),
      async showKeys() {
        const probe = await keepProbe({ sealed, newId: () => text(random(16)), log });
        open.defer(() => probe.stop());
        const forgetting = forgetEnded({ state, log });
        open.defer(() => forgetting.stop());
      },
      stop() {
        stopping.abort();
        return (stopped ??= open.disposeAsync());
      },
    };
  } catch (error) {
    await open.disposeAsync();
    throw error;
  }

  /** Returns the provider for the page. Only an approvals service with a provider loads its client. */
  async function pageOidc(provider: OidcProvider): Promise<PageOidc> {
    const { openIdClient } = await import("./oidc/openid-client.ts");
    return { provider, client: openIdClient({ provider, monotonic }), secretText: (names) => secretTextOf(names, seals) };
  }

  function text(bytes: Uint8Array): string {
    return Buffer.from(bytes).toString("base64url");
  }

  function decisionLimit(): RateLimit | null {
    const { DECISIONS_PER_MINUTE: perMinute } = config;
    if (perMinute === 0) return null;
    return rateLimit({
      state,
      service: APPROVALS_SERVICE,
      name: "decisions",
      words: `decide ${counted(perMinute, "time")}`,
      perMinute,
      random,
    });
  }

  function fraction(): number {
    return (random(1)[0] ?? 0) / 256;
  }
}

const NOBODY: WebhookPlan = { targets: [], allowed: new Set(), retriesMs: [] };
// The chainer looks at all shards once in this many polls of the other loops.
const LOOKS = 180;
