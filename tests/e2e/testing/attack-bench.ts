import { createHash, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type AllInOne, localKeys, startAllInOne } from "@toolbus/all-in-one";
import type { Disposition, MessageBus } from "@toolbus/bus";
import { attributes, type Message, parseApiKeys, type SecurityEvents, type SecurityEventView, topics } from "@toolbus/contracts";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import { type GrantClaims, parseGrantClaims } from "@toolbus/grants";
import type { Infrastructure } from "@toolbus/runtime";
import { approve, heldApproval, startRun } from "./http-client.ts";
import { overTheBus } from "./over-the-bus.ts";
import { someRelease } from "./releases.ts";

/**
 * The all-in-one with an attacker on its bus. The bench holds back the message of every granted write before a worker sees it, so that a test can
 * tamper with the message.
 */
export interface AttackBench {
  readonly system: AllInOne;
  readonly api: ReleaseApi;
  readonly requester: { readonly gateway: string; readonly user: string };
  readonly decider: { readonly approvals: string; readonly approver: string };
  /** The requester's own key for the approvals API, with the role approver. */
  readonly requestersApproverKey: string;
  /** Starts a run whose write a person approves. Returns the run and the genuine message that would run the write. No worker has seen the message. */
  granted(): Promise<{ readonly runId: string; readonly genuine: Message }>;
  /** Publishes directly on the bus and waits until the worker has settled the message. Returns everything that the worker published meanwhile. */
  publish(message: Message): Promise<{ readonly disposition: Disposition; readonly answers: readonly Message[] }>;
  /** Returns the security events about a call or an approval that this service recorded, as approvals lists them to an operator. */
  securityRecords(id: string, service: string): Promise<readonly SecurityEventView[]>;
  stop(): Promise<void>;
}

const RELEASE = "r1";
const INVOKE = topics.invoke("release");

export async function attackBench(directory: string): Promise<AttackBench> {
  const api = await startReleaseApi({
    directory: path.join(directory, "api"),
    releases: new Map([[RELEASE, someRelease(RELEASE)]]),
    clock: () => Date.now(),
    newId: randomUUID,
  });
  const requestersApproverKey = `tb_approver_${randomUUID()}`;
  const tap = tapped();
  const env = {
    RELEASE_API_URL: api.url,
    GATEWAY_PORT: "0",
    APPROVALS_PORT: "0",
    LOG_LEVEL: "silent",
    // The agent must not send a held-back write again while a test tampers with it.
    REDISPATCH_MS: "600000",
    APPROVALS_API_KEYS_FILE: await approversWith(requestersApproverKey, directory),
  };
  const system = await startAllInOne({ directory, env, wrap: tap.wrap });
  const requester = { gateway: system.gatewayUrl, user: system.keys.user };
  const decider = { approvals: system.approvalsUrl, approver: system.keys.approver };
  return {
    system,
    api,
    requester,
    decider,
    requestersApproverKey,
    async granted() {
      const runId = await startRun(requester, RELEASE);
      const heldBack = tap.heldBack(`${runId}.1.0`);
      await approve(decider, await heldApproval(requester, runId));
      return { runId, genuine: await heldBack };
    },
    publish: tap.publish,
    async securityRecords(id, service) {
      const headers = { authorization: `Bearer ${decider.approver}` };
      const response = await fetch(`${decider.approvals}/v1/security?limit=100`, { headers });
      const { events } = (await response.json()) as SecurityEvents;
      return events.filter((event) => (event.details?.["recordedBy"] ?? "approvals") === service && JSON.stringify(event).includes(id));
    },
    async stop() {
      await system.stop();
      await api.stop();
    },
  };
}

/** Returns the claims of a genuine grant, so that a test can change them. */
export function claimsOf(message: Message): GrantClaims {
  const [, payload = ""] = grantOf(message).split(".");
  const parsed = parseGrantClaims(JSON.parse(Buffer.from(payload, "base64url").toString()));
  if (!parsed.ok) throw new Error("The genuine grant has no claims.");
  return parsed.value;
}

export function grantOf(message: Message): string {
  const grant = message.attributes[attributes.grant];
  if (!grant) throw new Error(`The message ${message.id} carries no grant.`);
  return grant;
}

/**
 * Writes the approvers file of the embedded form with one more approver. The new approver is the requester, who may approve only writes of other
 * people.
 */
async function approversWith(key: string, directory: string): Promise<string> {
  const { approvalsKeysFile } = await localKeys(path.join(directory, "keys"));
  const known = parseApiKeys(await readFile(approvalsKeysFile, "utf8"));
  if (!known.ok) throw new Error("The file of approvers' keys cannot be read.");
  const own = {
    id: "requester",
    sha256: createHash("sha256").update(key).digest("hex"),
    principal: "user:local",
    tenant: "local",
    roles: ["approver"],
    scopes: ["approve:*"],
  };
  const file = path.join(directory, "approvers.json");
  await writeFile(file, JSON.stringify([...known.value, own]));
  return file;
}

interface Tap {
  wrap(infrastructure: Infrastructure): Infrastructure;
  heldBack(callId: string): Promise<Message>;
  publish: AttackBench["publish"];
}

/** Makes a layer between the services and their bus. */
function tapped(): Tap {
  let inner: Infrastructure | null = null;
  const answers: Message[] = [];
  const heldBack = new Map<string, PromiseWithResolvers<Message>>();
  const settled = new Map<string, PromiseWithResolvers<Disposition>>();
  const infrastructure = (): Infrastructure => {
    if (!inner) throw new Error("The system has not started.");
    return inner;
  };
  const entry = <T>(map: Map<string, PromiseWithResolvers<T>>, id: string): PromiseWithResolvers<T> => {
    const known = map.get(id) ?? Promise.withResolvers<T>();
    map.set(id, known);
    return known;
  };

  return {
    wrap(built) {
      inner = built;
      return overTheBus({ ...built, bus: tappedBus(built.bus) });
    },
    heldBack: (callId) => within(entry(heldBack, callId).promise, `the granted write of ${callId}`),
    async publish(message) {
      const before = answers.length;
      settled.delete(message.id);
      const done = entry(settled, message.id).promise;
      await infrastructure().bus.publish(message);
      const disposition = await within(done, `the worker's settling of ${message.id}`);
      return { disposition, answers: answers.slice(before) };
    },
  };

  function tappedBus(bus: MessageBus): MessageBus {
    return {
      ...bus,
      async publish(message) {
        if (message.topic === INVOKE && message.attributes[attributes.grant] !== undefined)
          return entry(heldBack, message.correlationId ?? "").resolve(message);
        if (message.topic.startsWith("tool.result.")) answers.push(message);
        return bus.publish(message);
      },
      consume(topic, handler, options) {
        if (topic !== INVOKE) return bus.consume(topic, handler, options);
        return bus.consume(
          topic,
          async (delivery) => {
            const disposition = await handler(delivery);
            entry(settled, delivery.message.id).resolve(disposition);
            return disposition;
          },
          options,
        );
      },
    };
  }
}

const DEADLINE_MS = 20_000;

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} did not come within ${DEADLINE_MS} ms.`)), DEADLINE_MS);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
