import { publicKeySet } from "@toolbus/grants";
import { apiKeysFromFile, defineService, type Infrastructure, type Route, type Service, startHttpServer } from "@toolbus/runtime";
import { startApprovalsCore } from "./approvals-core.ts";
import { approvalsKeys } from "./approvals-keys.ts";
import { publishKeys } from "./publish-keys.ts";
import { APPROVALS_SERVICE, type ApprovalsConfig, approvalsSettings } from "./settings.ts";

/** A running approvals service. */
export interface ApprovalsService extends Service {
  /** Where approvers decide and workers find the public keys. */
  readonly url: string;
  /** Every route that it serves. */
  readonly routes: readonly Route[];
}

/** The approvals service: it alone holds the key that grants are signed with, and it alone lets a write run. */
export const approvals = defineService({
  name: APPROVALS_SERVICE,
  settings: approvalsSettings,
  identity: ({ APPROVALS_KEY_FILE }) => ({ setting: "APPROVALS_KEY_FILE", file: APPROVALS_KEY_FILE, names: [APPROVALS_SERVICE] }),
  start,
});

const ABOUT = {
  title: "Toolbus approvals",
  description: [
    "Writes that wait for people, and their decisions. It has an address and keys of its own: no approver's credential ever passes the gateway.",
    "Send an API key as `Authorization: Bearer <key>`. Approvals of other tenants are not found.",
    "Times are milliseconds since 1970. Every no is `application/problem+json` (RFC 9457): match on its `code`.",
  ].join("\n\n"),
} as const;

async function start(infrastructure: Infrastructure, config: ApprovalsConfig): Promise<ApprovalsService> {
  const { log } = infrastructure;
  const own = await approvalsKeys(config, infrastructure);
  await publishKeys(config.APPROVALS_JWKS_FILE, publicKeySet(own.signing));
  const keys = await apiKeysFromFile(config.APPROVALS_API_KEYS_FILE);
  const core = await startApprovalsCore(infrastructure, config, own);
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
    log.info({ url: http.url }, "approvals are decided here");
    let stopped: Promise<void> | null = null;
    return { url: http.url, routes: http.routes, unready: core.unready, stop: () => (stopped ??= stop()) };

    async function stop(): Promise<void> {
      core.retire();
      await http.stop();
      await core.stop();
    }
  } catch (error) {
    await core.stop();
    throw error;
  }
}
