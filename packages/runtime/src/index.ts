// What whoever keeps the broker needs to know, for the command line, which has the bus only by way of this package.
export { type BrokerSetup, brokerSetup } from "@toolbus/bus";
export { type StoreDurability, storeDurability } from "@toolbus/state";
export { type ApiKeys, apiKeys, type Principal, readApiKeys } from "./http/api-keys.ts";
export { bodyTextOf } from "./http/body-text.ts";
export { KEYS_SEEN_WITHIN_MS, watchedApiKeys } from "./http/watched-api-keys.ts";
export { type HealthOptions, healthRoutes, type Need } from "./http/health-routes.ts";
export { type HttpServer, startHttpServer } from "./http/http-server.ts";
export { type HttpConfig, httpSettings, perMinute } from "./http/http-settings.ts";
export { idempotencyKey, keyReused } from "./http/idempotency-key.ts";
export { type ApiAbout, openApiOf } from "./http/openapi.ts";
export { HttpProblem } from "./http/problem.ts";
export { type RateLimit, rateLimit } from "./http/rate-limit.ts";
export {
  type Access,
  type BodyDefinition,
  getRoute,
  idOf,
  type Incoming,
  noBody,
  noQuery,
  deleteRoute,
  postRoute,
  type Route,
  type RouteDocs,
} from "./http/route.ts";
export { SAFE_HEADERS } from "./http/safe-headers.ts";
export { nearest } from "./nearest.ts";
export { observedOutbox } from "./observed-outbox.ts";
export { type Outbox, startOutbox } from "./outbox.ts";
export { pause } from "./pause.ts";
export { checkPermissions, type LoginCheck, setUpServers } from "./permissions/check-permissions.ts";
export { type PermissionRequest, readPermissions, writePermissions, type WrittenPermissions } from "./permissions/permission-files.ts";
export {
  ADMIN,
  type Deployment,
  loginNames,
  type LoginSecrets,
  newSecrets,
  type PermissionPlan,
  permissionPlan,
  type ServerFile,
  type ServiceAddresses,
} from "./permissions/permission-plan.ts";
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
export { defineService, type Infrastructure, type OwnKeyFile, type Service, type ServiceDefinition } from "./service.ts";
export {
  BadSettings,
  dollars,
  httpAddress,
  integer,
  milliseconds,
  port,
  readSettings,
  type Settings,
  type SettingsOf,
  str,
} from "./settings.ts";
export { type SpawnedService, type SpawnOptions, spawnService } from "./spawned-service.ts";
export { storeReadiness } from "./store-readiness.ts";
export { type Loop, startTimerLoop } from "./timer-loop.ts";
export { loopTimings } from "./timings.ts";
export { toolFlagSettings } from "./tool-flag-settings.ts";
export { needKeysOf } from "./trust.ts";
export { messagingSystem, tracedBus, type TracedBusOptions } from "./traced-bus.ts";
export { type UnknownSetting, unknownSettings } from "./unknown-settings.ts";
export type { Told } from "./webhooks/webhook-delivery.ts";
export { webhookDocs } from "./webhooks/webhook-docs.ts";
export { WEBHOOKS_TAG, webhookRoutes } from "./webhooks/webhook-routes.ts";
export { isSigned, webhookSecret } from "./webhooks/webhook-signature.ts";
export { readWebhookPlan, type WebhookPlan, webhookSettings } from "./webhooks/webhook-targets.ts";
export { startWebhooks, type WebhookContent, type Webhooks } from "./webhooks/webhooks.ts";
