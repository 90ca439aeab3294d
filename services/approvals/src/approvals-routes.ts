import { publicKeys, publicKeySet, publicKeysIn, type Signer, type StoredSigningKey } from "@toolbus/grants";
import {
  type ApiKeys,
  failedLogins,
  type Infrastructure,
  rateLimit,
  type RateLimit,
  type Route,
  storeReadiness,
  type startWebhooks,
  webhookRoutes,
} from "@toolbus/runtime";
import type { SlackInteractions } from "./channels/slack/slack-interactions.ts";
import type { SlackWorkspaces } from "./channels/slack/slack-workspaces.ts";
import type { Decisions } from "./decisions/decisions.ts";
import type { HookSources } from "./decisions/hook-sources.ts";
import type { Eras } from "./eras/eras.ts";
import type { PageOidc } from "./page/page-options.ts";
import { pageRoutes } from "./page/page-routes.ts";
import { createRemovals } from "./pins/removals.ts";
import type { Writes } from "./pins/writes.ts";
import { approvalEvidence } from "./record/approval-evidence.ts";
import { chainReader } from "./record/chain-reader.ts";
import { auditRoutes } from "./routes/audit-routes.ts";
import { batchRoute } from "./routes/batch-route.ts";
import { eraRoutes } from "./routes/era-routes.ts";
import { hookRoutes } from "./routes/hook-routes.ts";
import { withOperatorKeys } from "./routes/operator-keys.ts";
import { refusedRoutes } from "./routes/refused-routes.ts";
import { approvalRoutes } from "./routes/routes.ts";
import { slackRoutes } from "./routes/slack-routes.ts";
import { writeRoutes } from "./routes/write-routes.ts";
import type { ApprovalDocuments } from "./sealed/approval-documents.ts";
import { refusedDocuments } from "./sealed/refused-documents.ts";
import { createSeals } from "./sealed/reseal.ts";
import type { SealedStore } from "./sealed/sealed-store.ts";
import { APPROVALS_SERVICE, type ApprovalsConfig } from "./settings.ts";

/** What the routes of approvals work with. */
export interface RoutesOptions {
  readonly infrastructure: Infrastructure;
  readonly config: ApprovalsConfig;
  /** The keys for signing, and the API keys with which people sign in on the page. Without API keys, there is no page. */
  readonly keys: { readonly signing: readonly [StoredSigningKey, ...StoredSigningKey[]]; readonly apiKeys: ApiKeys | undefined };
  readonly signer: Signer;
  readonly sealed: SealedStore;
  readonly documents: ApprovalDocuments;
  readonly decisions: Decisions;
  readonly eras: Eras;
  readonly writes: Writes;
  readonly webhooks: Pick<ReturnType<typeof startWebhooks>, "again">;
  readonly hooks: HookSources;
  readonly slack: { readonly workspaces: SlackWorkspaces; readonly interactions: SlackInteractions };
  /** The provider at which people sign in on the page, or null. */
  readonly oidc: PageOidc | null;
  /** Says why the service is not ready. */
  readonly unready: () => readonly string[];
  readonly warnings: () => readonly string[];
  /** Limits the decisions of a person, or null if they are not limited. */
  readonly rate: RateLimit | null;
}

/** Returns all HTTP routes of approvals. */
export function routesOf(options: RoutesOptions): readonly Route[] {
  const { infrastructure, config, sealed, documents, decisions, eras, writes, signer, webhooks, hooks, rate, unready, warnings, oidc } =
    options;
  const { log, trusted, random, clock, monotonic, clocks, storeNeed = storeReadiness(infrastructure) } = infrastructure;
  const { signing, apiKeys } = options.keys;
  const { workspaces, interactions } = options.slack;
  const state = sealed.store;
  const chains = chainReader({ sealed });
  const jwks = publicKeySet(signing);
  return [
    ...(apiKeys === undefined ? [] : page(apiKeys)),
    ...hookRoutes({ state, documents, decisions, sources: hooks, clock, rate }),
    batchRoute({ state, documents, decisions, rate }),
    ...slackRoutes({ workspaces, interactions, clock }),
    ...approvalRoutes({
      state,
      documents,
      decisions,
      jwks,
      unready,
      warnings,
      storeNeed,
      clocks,
      rate,
    }),
    ...withOperatorKeys(
      [
        ...eraRoutes({ eras }),
        ...auditRoutes({
          chains,
          evidence: approvalEvidence({ sealed, documents, chains, signer, jwks, gatewayKeys: trusted.of("gateway") }),
          jwks,
          state,
        }),
        ...writeRoutes({ writes, removals: createRemovals({ state, sealed, log }) }),
        ...webhookRoutes({
          state,
          service: APPROVALS_SERVICE,
          mayShow: async (deliveries, { tenant }) => {
            const own = await documents.approvals(deliveries.map(({ subject }) => subject));
            const shown = new Set(own.filter((one) => one.tenant === tenant).map(({ approvalId }) => approvalId));
            return deliveries.filter(({ subject }) => shown.has(subject));
          },
          sendAgain: async ({ deliveryId }) => void (await webhooks.again(deliveryId)),
          rate: null,
        }),
        ...refusedRoutes({
          refused: refusedDocuments({ sealed, signer, ownKeys: publicKeys(publicKeysIn(jwks)), log }),
          seals: createSeals({ sealed, log }),
          state,
        }),
      ],
      sealed,
    ),
  ];

  function page(keys: ApiKeys): readonly Route[] {
    return pageRoutes({
      state,
      sealed,
      documents,
      decisions,
      keys,
      settings: config,
      clock,
      random,
      rate,
      log,
      signIns: rateLimit({ ...SIGN_INS, state, service: APPROVALS_SERVICE, random }),
      failed: failedLogins(config.AUTH_FAILURES_PER_MINUTE, monotonic),
      oidc,
    });
  }
}

const SIGN_INS = { name: "sign-ins", words: "sign in 10 times", perMinute: 10 } as const;
