import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { memoryBus, type MessageBus } from "@toolbus/bus";
import {
  type Approval,
  approvalIdOf,
  attributes,
  HOME_SHARD,
  type Json,
  type JsonObject,
  keys,
  type Message,
  message,
  messageIds,
  messageTypes,
  parseApproval,
  parseChainPosition,
  shardOf,
  type ToolDefinition,
  topics,
} from "@toolbus/contracts";
import {
  argumentsHash,
  canonicalJson,
  type GrantClaims,
  httpKeySet,
  sealKeysOf,
  signerOf,
  signDocument,
  type SignedDocumentType,
  signMessage,
  toolHash,
  verifyGrant,
} from "@toolbus/grants";
import { readSettings } from "@toolbus/runtime";
import { memoryStore, type StateStore } from "@toolbus/state";
import { type Log, silentLog } from "@toolbus/telemetry";
import { approvalsKeys } from "../approvals-keys.ts";
import { type SealedStore, sealedStore } from "../sealed/sealed-store.ts";
import { approvals, type ApprovalsService } from "../service.ts";
import { approvalsSettings } from "../settings.ts";
import { type Asked, note, own, putDocument, putOrigin, refund, register, requestMessage, RUN, START, wire } from "./writes-under-test.ts";

// The tests of a running service share this file. It has a real bus, store, keys and HTTP port, and a clock that the tests move.

/** The people in the tests. The key of each person is `key-<id>`. */
export const PEOPLE = [
  { id: "amy", tenant: "acme", roles: ["approver"], scopes: ["approve:*"] },
  { id: "ben", tenant: "acme", roles: ["approver"], scopes: ["approve:high", "approve:critical"] },
  { id: "cat", tenant: "acme", roles: ["approver"], scopes: ["approve:low"] },
  { id: "hal", tenant: "acme", roles: ["approver"], scopes: ["approve:high"] },
  { id: "rita", tenant: "acme", roles: ["approver"], scopes: ["approve:*"] },
  { id: "otto", tenant: "acme", roles: ["operator"], scopes: [] },
  { id: "oda", tenant: "other", roles: ["operator"], scopes: [] },
  { id: "una", tenant: "acme", roles: ["user"], scopes: [] },
  { id: "alma", tenant: "acme", roles: ["alertmanager"], scopes: ["approve:*"] },
  { id: "zed", tenant: "other", roles: ["approver"], scopes: ["approve:*"] },
] as const;
export type Person = (typeof PEOPLE)[number]["id"];

export interface Answer {
  readonly message: Message;
  readonly body: { readonly [field: string]: Json | undefined };
}

/** The parts of a request besides its address. */
export interface Requested {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: { readonly [field: string]: Json | undefined };
}

export interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly wrapStore?: (state: StateStore) => StateStore;
  readonly wrapBus?: (bus: MessageBus) => MessageBus;
  readonly tools?: readonly ToolDefinition[];
  /** The groups of people's keys. */
  readonly groups?: Partial<Readonly<Record<Person, readonly string[]>>>;
  /** The content of the policy file. */
  readonly policy?: string;
  readonly log?: Log;
}

export async function setup(options: Options = {}) {
  const clock = { now: START };
  const read = (): number => clock.now;
  const folder = await mkdtemp(path.join(os.tmpdir(), "approvals-"));
  const keysFile = path.join(folder, "api-keys.json");
  await writeFile(keysFile, JSON.stringify(PEOPLE.map((person) => ({ ...apiKey(person), groups: options.groups?.[person.id] ?? [] }))));
  const policyFile = path.join(folder, "policy.yaml");
  if (options.policy !== undefined) await writeFile(policyFile, options.policy);
  const store = memoryStore({ clock: read });
  const bus = memoryBus({ clock: read });
  const state = options.wrapStore?.(store) ?? store;
  const serviceBus = options.wrapBus?.(bus) ?? bus;
  const env = {
    APPROVALS_PORT: "0",
    APPROVALS_API_KEYS_FILE: keysFile,
    APPROVALS_KEY_FILE: path.join(folder, "key.json"),
    PIN_ON_FIRST_SIGHT: "true",
    POLL_MS: "5",
    // Only the tests of these limits set them. In all other tests, a person may decide as often as needed.
    DECISIONS_PER_MINUTE: "0",
    AUTH_FAILURES_PER_MINUTE: "0",
    ...(options.policy === undefined ? {} : { APPROVAL_POLICY_FILE: policyFile }),
    ...options.env,
  };
  const held = await mailbox(bus, topics.approvalHeld("default"));
  const decided = await mailbox(bus, topics.approvalDecided("default"));
  for (const tool of options.tools ?? [refund, wire, note]) await register(store, tool, clock.now);
  await putOrigin(store, {});
  let service: ApprovalsService = await startService();
  let requests = 0;

  return {
    clock,
    store,
    bus,
    held,
    decided,
    /** Replaces the content of the policy file. */
    writePolicy: (text: string) => writeFile(policyFile, text),
    /** The file of the service's signing key. The secrets of its seals are next to it. */
    keyFile: env.APPROVALS_KEY_FILE,
    async [Symbol.asyncDispose]() {
      await service.stop();
      await bus.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
    /** Starts a new process with the same store, bus and key. */
    async restart() {
      await service.stop();
      service = await startService();
    },
    async ask(asked: Asked, conversationId?: string): Promise<string> {
      await bus.publish(requestMessage(asked, ++requests, clock.now, conversationId));
      return approvalIdOf(asked.callId);
    },
    /** Sends a request and waits until people are asked. */
    async hold(asked: Asked): Promise<string> {
      const id = await this.ask(asked);
      await held.next();
      return id;
    },
    async cancel(
      callId: string,
      { reason = "run_cancelled", agent = "default", as = "agent" }: { reason?: string; agent?: string; as?: string | null } = {},
    ): Promise<void> {
      const body = { toolCallId: callId, reason };
      const parts = { topic: topics.approvalCancel, type: messageTypes.approvalCancel, source: "/agents/default" };
      const attributesOf = { [attributes.agent]: agent };
      const made = message({
        ...parts,
        id: messageIds.other("cancel", callId, ++requests),
        now: clock.now,
        attributes: attributesOf,
        body,
      });
      await (as === null ? bus.publish(made) : this.publishAs(as, made));
    },
    /** Signs a message as this service and sends it. */
    async publishAs(service: string, made: Message): Promise<void> {
      await bus.publish(await signMessage(made, own.identityOf(service)));
    },
    async get(who: Person | null, url: string): Promise<HttpAnswer> {
      return http(await fetch(service.url + url, { headers: authorization(who) }));
    },
    /** The address of the service. */
    get url(): string {
      return service.url;
    },
    /** Replaces the file of API keys. The service reads it again within two seconds. `part` changes the entry of a key, or null removes it. */
    async changeKey(who: Person, part: object | null): Promise<void> {
      const changed = PEOPLE.flatMap((person) =>
        person.id !== who ? [apiKey(person)] : part === null ? [] : [{ ...apiKey(person), ...part }],
      );
      await writeFile(keysFile, JSON.stringify(changed));
    },
    /** Every route that the service serves. */
    routes: service.routes,
    /** Sends one request and returns the response as it arrives over HTTP. */
    request(who: Person | null, url: string, init: Requested = {}): Promise<Response> {
      return fetch(service.url + url, { ...init, headers: { ...authorization(who), ...init.headers } });
    },
    /** Reads the approval to get this person's token. */
    async token(who: Person, id: string): Promise<string> {
      const { body } = await this.get(who, `/v1/approvals/${id}`);
      if (typeof body["decisionToken"] !== "string") throw new Error(`${who} may not decide: ${JSON.stringify(body["mayNotBecause"])}`);
      return body["decisionToken"];
    },
    async post(who: Person | null, id: string, body: object): Promise<HttpAnswer> {
      const headers = { ...authorization(who), "content-type": "application/json" };
      return http(await fetch(`${service.url}/v1/approvals/${id}/decision`, { method: "POST", headers, body: JSON.stringify(body) }));
    },
    /** Reads the approval and then decides, as a person does. */
    async decide(who: Person, id: string, decision: string, extra: object = {}): Promise<HttpAnswer> {
      return this.post(who, id, { decision, token: await this.token(who, id), ...extra });
    },
    async stored(id: string): Promise<Approval> {
      const { documents } = await store.read([keys.approval(id)]);
      const { seal: _, ...content } = (documents[0]?.value ?? {}) as Record<string, Json>;
      const parsed = parseApproval(content);
      if (!parsed.ok) throw new Error(`${id} is not stored as it should be.`);
      return parsed.value;
    },
    /** Overwrites a document as the service does, sealed or signed with its keys. */
    async write(key: string, value: Json): Promise<void> {
      const sealed = await this.sealedOfReplica();
      const { documents } = await store.read([key]);
      await sealed.open(key, documents[0]);
      await putDocument(sealed.store, key, value);
    },
    /** Returns the store as another replica with the same keys sees it. The replica remembers the revisions that it has seen. */
    async sealedOfReplica(): Promise<SealedStore> {
      const keysOf = { APPROVALS_KEY_FILE: env.APPROVALS_KEY_FILE, APPROVALS_SEAL_KEYS_FILE: "" };
      const { signing, verifying, seals } = await approvalsKeys(keysOf, { embedded: true, random: (count) => new Uint8Array(count) });
      return sealedStore({ state: store, seals, signer: await signerOf(signing[0]), ownKeys: verifying });
    },
    async audit(shard = shardOf(RUN)): Promise<readonly JsonObject[]> {
      return entries(store, keys.audit(shard));
    },
    /** Waits until every record of the audit has its place in a chain. */
    async chained(): Promise<void> {
      await until(async () => {
        for (const shard of [shardOf(RUN), HOME_SHARD]) {
          const { documents } = await store.read([keys.auditPosition(shard)]);
          const position = parseChainPosition(documents[0]?.value);
          const records = await store.range(keys.audit(shard), { after: 0, limit: 10_000 });
          if (records.length !== (position.ok ? position.value.sequence : 0)) return false;
        }
        return true;
      });
    },
    async security(shard = shardOf(RUN)): Promise<readonly JsonObject[]> {
      return entries(store, keys.security(shard, "approvals"));
    },
    /** Returns a worker's verdict on the grant in an answer. The worker checks it now, with the keys that the service publishes. */
    async verdict(
      answer: Answer,
      asked: Asked,
      expected: { readonly tier: "low" | "medium" | "high" | "critical"; readonly need: number; readonly era?: number },
    ) {
      const call = {
        callId: asked.callId,
        tool: asked.tool.name,
        toolVersion: asked.tool.version,
        toolHash: toolHash(asked.tool),
        argsHash: argumentsHash(canonicalJson(asked.args)),
      };
      return verifyGrant({
        grant: answer.message.attributes[attributes.grant],
        keys: httpKeySet({ url: `${service.url}/.well-known/jwks.json`, clock: read, timeoutMs: 5000 }),
        now: clock.now,
        era: expected.era ?? 1,
        expected: { toolset: "orders", ...call, tier: expected.tier, need: expected.need },
      });
    },
  };

  async function startService(): Promise<ApprovalsService> {
    const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
    return approvals.start(
      {
        bus: serviceBus,
        state,
        log: options.log ?? silentLog,
        identity: own.identityOf("approvals"),
        trusted: own.trusted,
        embedded: true,
        random,
        monotonic: read,
        clock: read,
      },
      readSettings(approvalsSettings, env),
    );
  }
}

/** Returns the claims of a grant without checking them. */
export function claimsOf(answer: Answer): GrantClaims {
  const payload = (answer.message.attributes[attributes.grant] ?? "").split(".")[1] ?? "";
  return JSON.parse(Buffer.from(payload, "base64url").toString());
}

/** Waits until `holds` returns true. Calls it once in every turn of the event loop. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  // This is longer than a test's own time limit. It stops the loop of a failed test, which would otherwise never end.
  const deadline = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("What the test waits for did not happen within 30 s.");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Collects the messages that arrive on a queue, in order. `next` waits for one. A moved clock makes the relay repeat a message, so a second message
 * with the same id is ignored.
 */
async function mailbox(bus: MessageBus, topic: string) {
  const arrived: Answer[] = [];
  const waiting: ((answer: Answer) => void)[] = [];
  const seen = new Set<string>();
  await bus.consume(
    topic,
    async ({ message: got }) => {
      if (seen.has(got.id)) return { kind: "ack" };
      seen.add(got.id);
      const answer: Answer = { message: got, body: JSON.parse(got.body) };
      const first = waiting.shift();
      if (first) first(answer);
      else arrived.push(answer);
      return { kind: "ack" };
    },
    { concurrency: 1 },
  );
  return {
    next(): Promise<Answer> {
      const answer = arrived.shift();
      return answer ? Promise.resolve(answer) : new Promise((resolve) => waiting.push(resolve));
    },
    get unread(): number {
      return arrived.length;
    },
  };
}

function apiKey({ id, tenant, roles, scopes }: (typeof PEOPLE)[number]) {
  return { id: `key of ${id}`, sha256: createHash("sha256").update(`key-${id}`).digest("hex"), principal: id, tenant, roles, scopes };
}

function authorization(who: Person | null): Record<string, string> {
  return who === null ? {} : { authorization: `Bearer key-${who}` };
}

async function http(response: Response): Promise<HttpAnswer> {
  return { status: response.status, body: JSON.parse(await response.text()) };
}

async function entries(store: StateStore, log: string): Promise<readonly JsonObject[]> {
  const found = await store.range(log, { after: 0, limit: 1000 });
  // Removes the seals, because tests compare only the content of the audit's records.
  return found.map(({ value }) => {
    const { seal: _, ...record } = value as { readonly [name: string]: Json };
    return record;
  });
}

/** Returns a store as approvals sees it, and a function that signs documents as approvals does. */
export function sealedUnderTest(store: StateStore) {
  const { signer } = own.identityOf("approvals");
  const seals = sealKeysOf({ keys: [{ kid: "test", secret: Buffer.alloc(32, 7).toString("base64url") }] });
  const sealed: SealedStore = sealedStore({ state: store, seals, signer, ownKeys: own.trusted.of("approvals") });
  return {
    sealed,
    signed: (typ: SignedDocumentType, key: string, content: JsonObject, revision: number) =>
      signDocument(typ, { key, revision, content }, signer),
  };
}
