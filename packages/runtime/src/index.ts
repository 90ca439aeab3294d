// The command line imports the following names from here, because it may import the bus and the store only through this package.
export { type BrokerSetup, brokerSetup, reachBroker } from "@toolbus/bus";
export { copySqliteStore, lockSqliteStore, storeDurability, tryLockDirectory } from "@toolbus/state";
export { type ApiKeys, apiKeys, type Principal, readApiKeys } from "./http/api-keys.ts";
export { bodyTextOf } from "./http/body-text.ts";
export { watchedApiKeys, type WatchedApiKeys } from "./http/watched-api-keys.ts";
export { type FailedLogins, failedLogins } from "./http/failed-logins.ts";
export { healthRoutes, type Need } from "./http/health-routes.ts";
export { startHttpServer } from "./http/http-server.ts";
export { httpSettings, perMinute } from "./http/http-settings.ts";
export { idempotencyKey, keyReused } from "./http/idempotency-key.ts";
export { openApiOf } from "./http/openapi.ts";
export { HttpProblem } from "./http/problem.ts";
export { type RateLimit, rateLimit } from "./http/rate-limit.ts";
export {
  getRoute,
  idOf,
  type Incoming,
  noBody,
  noQuery,
  deleteRoute,
  postRoute,
  type RenderProblem,
  type Route,
  type RouteDocs,
} from "./http/route.ts";
export { SAFE_HEADERS } from "./http/safe-headers.ts";
export { endedCalls } from "./ended-calls.ts";
export { observedOutbox } from "./observed-outbox.ts";
export { type Outbox, startOutbox } from "./outbox.ts";
export { pause } from "./pause.ts";
export { checkPermissions, type LoginCheck, setUpServers } from "./permissions/check-permissions.ts";
export { type KubernetesSecret, kubernetesSecrets, secretsAsYaml } from "./permissions/kubernetes-secrets.ts";
export { type PermissionRequest, readPermissions, recordWithOnly, writePermissions } from "./permissions/permission-files.ts";
export {
  ADMIN,
  type Deployment,
  loginNames,
  newSecrets,
  type PermissionPlan,
  permissionPlan,
  type ServerFile,
  type ServiceAddresses,
} from "./permissions/permission-plan.ts";
export { readSecretJson } from "./read-secret-json.ts";
export { Refusal } from "./refusal.ts";
export { runMain, sentenceOf } from "./run-main.ts";
export { processSettings, type Running, type RunOptions, runServices } from "./run-services.ts";
export {
  makeServiceKeys,
  type Rotatable,
  rotateServiceKeys,
  type ServiceKeyFiles,
  serviceKeyFiles,
  toolsetsWithKeys,
  workerKeyFile,
} from "./service-key-files.ts";
export { defineService, type Infrastructure, type Service } from "./service.ts";
export { BadSettings, dollars, httpAddress, integer, milliseconds, port, readSettings, type SettingsOf, str } from "./settings.ts";
export { RESULT_GONE, wholeEvents, wholeResult } from "./stored-results.ts";
export { type SpawnedService, spawnService } from "./spawned-service.ts";
export { storeReadiness } from "./store-readiness.ts";
export { startTimerLoop } from "./timer-loop.ts";
export { loopTimings } from "./timings.ts";
export { stampSettings } from "./stamp-settings.ts";
export { toolFlagSettings } from "./tool-flag-settings.ts";
export { needKeysOf } from "./trust.ts";
export { messagingSystem, tracedBus } from "./traced-bus.ts";
export { type UnknownSetting, unknownSettings } from "./unknown-settings.ts";
export type { AttemptOutcome, Channel, WebhookContent } from "./webhooks/channel.ts";
export { guardedRequest, unreached } from "./webhooks/guarded-request.ts";
export { type AllowedHosts, guardedLookup, NotPublic, type ResolveName, whyNotCalled } from "./webhooks/network-guard.ts";
export type { ReportedEvent } from "./webhooks/webhook-delivery.ts";
export { webhookDocs } from "./webhooks/webhook-docs.ts";
export { WEBHOOKS_TAG, webhookRoutes } from "./webhooks/webhook-routes.ts";
export { isSigned, webhookSecret } from "./webhooks/webhook-signature.ts";
export { type EmailTarget, readWebhookPlan, type SlackTarget, type WebhookPlan, webhookSettings } from "./webhooks/webhook-targets.ts";
export { startWebhooks } from "./webhooks/webhooks.ts";
