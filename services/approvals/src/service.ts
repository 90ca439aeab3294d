import { consumeQueue, listenTo } from "@toolbus/bus";
import { ApprovalCancel, ApprovalRequest, messageTypes, parser, ToolAnnounce, topics } from "@toolbus/contracts";
import { publicKeySet, signerOf } from "@toolbus/grants";
import {
  apiKeysFromFile,
  defineService,
  type Infrastructure,
  type Service,
  startHttpServer,
  startOutbox,
  startTimerLoop,
} from "@toolbus/runtime";
import { answerMaker } from "./answers.ts";
import { correlationIdFrom } from "./correlation-id.ts";
import { createDecisions } from "./decisions.ts";
import { expiryHandler } from "./expiry.ts";
import { createPins } from "./pins.ts";
import { publishKeys } from "./publish-keys.ts";
import { handleRequests } from "./requests.ts";
import { approvalRoutes } from "./routes.ts";
import { securityRecorder } from "./security.ts";
import { APPROVALS_SERVICE, type ApprovalsConfig, approvalsSettings } from "./settings.ts";
import { signingKey } from "./signing-key.ts";

/** A running approvals service. */
export interface ApprovalsService extends Service {
  /** Where approvers decide and workers find the public keys. */
  readonly url: string;
}

/** The approvals service: it alone holds the key that grants are signed with, and it alone lets a write run. */
export const approvals = defineService({ name: APPROVALS_SERVICE, settings: approvalsSettings, start });

async function start(infrastructure: Infrastructure, config: ApprovalsConfig): Promise<ApprovalsService> {
  const { bus, state, log, random, clock } = infrastructure;
  // What was opened last is closed first, at a stop and when a later step of the start fails.
  const open = new AsyncDisposableStack();
  try {
    const key = await signingKey(config.APPROVALS_KEY_FILE);
    await publishKeys(config.APPROVALS_JWKS_FILE, publicKeySet([key]));
    const approverKeys = await apiKeysFromFile(config.APPROVALS_API_KEYS_FILE);
    const timings = { visibilityMs: config.OUTBOX_VISIBILITY_MS, pollMs: config.POLL_MS };
    const outbox = startOutbox({
      state,
      bus,
      service: APPROVALS_SERVICE,
      prepare: answerMaker({ state, signer: await signerOf(key) }),
      log,
      ...timings,
    });
    open.defer(() => outbox.stop());

    const firstSight = config.PIN_ON_FIRST_SIGHT === "true";
    if (firstSight) log.info({}, "writes are pinned at first sight: whatever a toolset registers may be asked for (PIN_ON_FIRST_SIGHT)");
    const pins = createPins({ state, log, firstSight });
    const security = securityRecorder({ state, log, newId: () => text(random(16)) });
    const requests = handleRequests({
      state,
      outbox,
      pins,
      security,
      rules: config,
      newCorrelationId: () => correlationIdFrom(random(16)),
      log,
    });
    const announcements = await listenTo(bus, {
      topic: topics.toolAnnounce,
      types: [messageTypes.toolAnnounce],
      parse: parser(ToolAnnounce),
      listener: () => pins.sight(),
      log,
    });
    open.defer(() => announcements.stop());
    await pins.sight();

    const decisions = createDecisions({ state, outbox, pins, security, rules: config, newToken: () => text(random(32)) });
    const stopping = new AbortController();
    const unready = (): readonly string[] => (stopping.signal.aborted ? ["stopping"] : []);
    const routes = approvalRoutes({ state, decisions, jwks: publicKeySet([key]), unready });
    const http = await startHttpServer({
      name: APPROVALS_SERVICE,
      host: config.APPROVALS_HOST,
      port: config.APPROVALS_PORT,
      keys: approverKeys,
      routes,
      log,
    });
    open.defer(() => http.stop());

    const timers = startTimerLoop({
      state,
      service: APPROVALS_SERVICE,
      handle: expiryHandler({ state, outbox }),
      log,
      ...TIMERS,
      pollMs: config.POLL_MS,
      random: fraction,
    });
    open.defer(() => timers.stop());
    const queue = { concurrency: CONCURRENCY, deadlineMs: DEADLINE_MS, log, clock } as const;
    const asked = await consumeQueue(bus, {
      ...queue,
      topic: topics.approvalRequest,
      types: [messageTypes.approvalRequest],
      parse: parser(ApprovalRequest),
      handler: requests.request,
    });
    open.defer(() => asked.stop());
    const cancelled = await consumeQueue(bus, {
      ...queue,
      topic: topics.approvalCancel,
      types: [messageTypes.approvalCancel],
      parse: parser(ApprovalCancel),
      handler: requests.cancel,
    });
    open.defer(() => cancelled.stop());

    log.info({ url: http.url }, "approvals are decided here");
    let stopped: Promise<void> | null = null;
    return {
      url: http.url,
      unready,
      stop() {
        stopping.abort();
        return (stopped ??= open.disposeAsync());
      },
    };
  } catch (error) {
    await open.disposeAsync();
    throw error;
  }

  function text(bytes: Uint8Array): string {
    return Buffer.from(bytes).toString("base64url");
  }

  function fraction(): number {
    return (random(1)[0] ?? 0) / 256;
  }
}

const CONCURRENCY = 16;
const DEADLINE_MS = 10_000;
const TIMERS = { visibleMs: 10_000 } as const;
