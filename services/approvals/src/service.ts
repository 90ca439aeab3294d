import { publicKeySet } from "@toolbus/grants";
import {
  defineService,
  type Infrastructure,
  type Route,
  type Service,
  readWebhookPlan,
  startHttpServer,
  watchedApiKeys,
  webhookDocs,
  WEBHOOKS_TAG,
} from "@toolbus/runtime";
import { startApprovalsCore } from "./approvals-core.ts";
import { approvalsKeys } from "./approvals-keys.ts";
import { readSlackWorkspaces, refuseMuteWorkspaces } from "./channels/slack/slack-workspaces.ts";
import { readHookSources } from "./decisions/hook-sources.ts";
import { watchedPolicy } from "./policy-file/watched-policy.ts";
import { readOidcFile } from "./oidc/oidc-file.ts";
import { checkPublicUrl, refuseClosedPage } from "./page/page-address.ts";
import { publishKeys } from "./routes/publish-keys.ts";
import { APPROVALS_SERVICE, type ApprovalsConfig, approvalsSettings } from "./settings.ts";

/** A running approvals service. */
export interface ApprovalsService extends Service {
  /** The address where approvers decide and workers find the public keys. */
  readonly url: string;
  /** Every route that the service serves. */
  readonly routes: readonly Route[];
}

/** The approvals service. Only this service has the key for signing grants, and only it permits writes. */
export const approvals = defineService({
  name: APPROVALS_SERVICE,
  settings: approvalsSettings,
  identity: ({ APPROVALS_KEY_FILE }) => ({
    setting: "APPROVALS_KEY_FILE",
    file: APPROVALS_KEY_FILE,
    names: [APPROVALS_SERVICE],
    verifiedAs: [APPROVALS_SERVICE],
  }),
  start,
});

const ABOUT = {
  title: "Toolbus approvals",
  description: [
    "Writes that wait for people, and their decisions. It has an address and keys of its own: no approver's credential ever passes the gateway.",
    "Send an API key as `Authorization: Bearer <key>`. Approvals of other tenants are not found.",
    "Times are milliseconds since 1970. Every refusal is `application/problem+json` (RFC 9457): match on its `code`.",
  ].join("\n\n"),
  tags: {
    Approvals: "Writes that wait for people, and their decisions.",
    Audit: "Who did what to which write, in chains of records that nobody can change unnoticed; for operators.",
    Era: "Decides which grants count; raised when the store has lost writes.",
    Writes: "Which tools may write, and from which tier on people are asked; for operators.",
    Security: "Documents and messages that were refused because no authorised service wrote them; for operators.",
    [WEBHOOKS_TAG]: "The webhook events of approvals, and the deliveries that failed; the latter are for operators.",
    Keys: "The public keys with which workers check grants.",
  },
  webhooks: webhookDocs(["approval.held", "approval.reminder", "approval.escalated", "approval.ended"]),
} as const;

async function start(infrastructure: Infrastructure, config: ApprovalsConfig): Promise<ApprovalsService> {
  const { log } = infrastructure;
  checkPublicUrl(config);
  const own = await approvalsKeys(config, infrastructure);
  await publishKeys(config.APPROVALS_JWKS_FILE, publicKeySet(own.signing));
  const webhooks = await readWebhookPlan(config);
  const hooks = await readHookSources(config.DECISION_HOOKS_FILE);
  const policy = await watchedPolicy(config, { targets: webhooks.targets.map(({ name }) => name), log });
  const workspaces = await readSlackWorkspaces(config.DECISION_HOOKS_FILE);
  refuseMuteWorkspaces(workspaces, webhooks, config.DECISION_HOOKS_FILE);
  const oidc = await readOidcFile(config.APPROVALS_OIDC_FILE, webhooks.allowed);
  refuseClosedPage(config);
  const keys = await watchedApiKeys(config.APPROVALS_API_KEYS_FILE, { log, clock: infrastructure.clock });
  const core = await startApprovalsCore(infrastructure, config, own, { webhooks, hooks, policy, keys, workspaces, oidc });
  try {
    const http = await startHttpServer({
      name: APPROVALS_SERVICE,
      host: config.APPROVALS_HOST,
      port: config.APPROVALS_PORT,
      keys,
      routes: core.routes,
      api: ABOUT,
      config,
      monotonic: infrastructure.monotonic,
      log,
    });
    log.debug({ url: http.url }, "approvals are decided here");
    // The probe is stored only after the server has started, because a worker that finds the probe fetches the keys.
    await core.showKeys();
    let stopped: Promise<void> | null = null;
    return { url: http.url, routes: http.routes, unready: core.unready, stop: () => (stopped ??= stop()) };

    async function stop(): Promise<void> {
      core.retire();
      await http.stop();
      keys.stop();
      policy.stop();
      await core.stop();
    }
  } catch (error) {
    keys.stop();
    policy.stop();
    await core.stop();
    throw error;
  }
}
