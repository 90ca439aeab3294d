import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { memoryBus } from "@toolbus/bus";
import { type Json, type JsonObject, type Message, topics } from "@toolbus/contracts";
import { ownKeys } from "@toolbus/grants";
import { readSettings } from "@toolbus/runtime";
import { memoryStore, type StateStore } from "@toolbus/state";
import { type Log, silentLog } from "@toolbus/telemetry";
import { agentByHand } from "./agent-under-test.ts";
import { documentedBy } from "./documented-under-test.ts";
import { lettersByHand } from "./letters-under-test.ts";
import { gateway } from "../service.ts";
import { gatewaySettings } from "../settings.ts";
import { openViewer, type Viewer } from "./viewer-under-test.ts";

// The tests of a running gateway share this file. It has a real bus, store, keys and HTTP port, and a clock that the tests move.

/** The people in the tests, and the programs that begin investigations. */
export const PEOPLE = [
  { id: "una", tenant: "acme", roles: ["user"], scopes: ["tools:read"] },
  { id: "ugo", tenant: "acme", roles: ["user"], scopes: [] },
  { id: "uri", tenant: "acme", roles: ["user"], scopes: ["orders"], tools: ["orders/find_order", "web"] },
  { id: "otto", tenant: "acme", roles: ["operator"], scopes: [] },
  { id: "amy", tenant: "acme", roles: ["approver"], scopes: ["approve:*"] },
  { id: "alma", tenant: "acme", roles: ["alertmanager"], scopes: ["tools:read"] },
  { id: "rolf", tenant: "acme", roles: ["releaser"], scopes: [] },
  { id: "uma", tenant: "other", roles: ["user"], scopes: [] },
  { id: "olga", tenant: "other", roles: ["operator"], scopes: [] },
] as const;
export type Person = (typeof PEOPLE)[number]["id"];

// Only the tests of these limits set them. All other tests may send as many requests as they need.
const UNLIMITED = {
  RUNS_PER_PRINCIPAL: "0",
  RUNS_PER_MINUTE: "0",
  CONVERSATIONS_PER_MINUTE: "0",
  ACTIONS_PER_MINUTE: "0",
  AUTH_FAILURES_PER_MINUTE: "0",
  SSE_PER_PRINCIPAL: "64",
} as const;

/** The time at which the store's clock starts. */
export const START = 1_750_000_000_000;

export const apiKeyOf = (who: Person): string => `tb_user_the-secret-of-${who}`;

export interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly wrapStore?: (state: StateStore) => StateStore;
  readonly log?: Log;
  /** Without an agent, nobody has declared the queue of wakes. */
  readonly noAgent?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The answer's JSON object, or an empty object if the answer has none. */
  readonly body: JsonObject;
}

export interface Asking {
  readonly method?: string;
  /** The body, as JSON. A string is sent unchanged. */
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a gateway and everything around it. */
export async function setup(options: Options = {}) {
  const clock = { now: START };
  const read = (): number => clock.now;
  const folder = await mkdtemp(path.join(os.tmpdir(), "gateway-"));
  const keysFile = path.join(folder, "api-keys.json");
  await writeFile(keysFile, JSON.stringify(PEOPLE.map(apiKey)));
  const store = memoryStore({ clock: read });
  const state = options.wrapStore?.(store) ?? store;
  const bus = memoryBus({ clock: read });
  const wakes: Message[] = [];
  const listenForWakes = () =>
    bus.consume(topics.runWake, async ({ message }) => (wakes.push(message), { kind: "ack" }), { concurrency: 1 });
  if (!options.noAgent) await listenForWakes();
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  const own = await ownKeys(["gateway"]);
  const keyed = { identity: own.identityOf("gateway"), trusted: own.trusted, embedded: true };
  const infrastructure = { bus, state, log: options.log ?? silentLog, ...keyed, random, monotonic: read, clock: read };
  const env = { GATEWAY_PORT: "0", GATEWAY_API_KEYS_FILE: keysFile, POLL_MS: "2", ...UNLIMITED, ...options.env };
  const start = (other: Options["env"] = {}) => gateway.start(infrastructure, readSettings(gatewaySettings, { ...env, ...other }));
  const service = await start();
  const documented = documentedBy(service.routes);
  const viewers = new Set<Viewer>();

  return {
    clock,
    store,
    bus,
    service,
    /** The viewers. Their streams are closed when the test ends. */
    viewers,
    /** Every route that the gateway serves. */
    routes: service.routes,
    /** Starts another gateway over the same store and bus. */
    start,
    folder,
    /** Every wake that reached the agent's queue, in order. */
    wakes,
    listenForWakes,
    agent: agentByHand(store),
    letters: lettersByHand(store),
    async ask(who: Person | null, url: string, asking: Asking = {}): Promise<Answer> {
      const response = await fetch(service.url + url, requestOf(who, asking));
      const answer = await answered(response);
      const type = answer.headers.get("content-type") ?? "";
      documented({ method: asking.method ?? "GET", url, status: answer.status, type, text: answer.text });
      return answer;
    },
    /** Starts an investigation as this person and returns its run id. */
    async accepted(who: Person = "una", key?: string): Promise<string> {
      const headers = key === undefined ? {} : { "idempotency-key": key };
      const { status, body, text } = await this.ask(who, "/v1/investigations", { method: "POST", body: { releaseId: "v2" }, headers });
      if (status !== 202) throw new Error(`The investigation was answered ${status}: ${text}`);
      return textIn(body, "runId");
    },
    /** Begins a conversation as this person and returns its id. */
    async conversation(who: Person = "una", profile = "chat"): Promise<string> {
      const { status, body, text } = await this.ask(who, "/v1/conversations", { method: "POST", body: { profile } });
      if (status !== 201) throw new Error(`The conversation was answered ${status}: ${text}`);
      return textIn(body, "conversationId");
    },
    /** Sends a message and returns the run that it starts. */
    async said(who: Person, conversationId: string, text = "Hello.", part: JsonObject = {}): Promise<string> {
      const answer = await this.ask(who, `/v1/conversations/${conversationId}/messages`, { method: "POST", body: { text, ...part } });
      if (answer.status !== 202) throw new Error(`The message was answered ${answer.status}: ${answer.text}`);
      return textIn(answer.body, "runId");
    },
    /** Opens the stream of a run. The stream is closed when the test ends. */
    async view(who: Person, runId: string, after?: string): Promise<Viewer> {
      const viewer = await openViewer(`${service.url}/v1/runs/${runId}/events`, apiKeyOf(who), after);
      viewers.add(viewer);
      return viewer;
    },
    async [Symbol.asyncDispose]() {
      for (const viewer of viewers) viewer.leave();
      await service.stop();
      await bus.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
      const undocumented = [...viewers].flatMap((viewer) => viewer.undocumented);
      if (undocumented.length > 0) throw new Error(`A stream told what its description does not promise:\n${undocumented.join("\n")}`);
    },
  };
}

/** Returns a text field of an answer. Throws if the field is not a text. */
export function textIn(body: JsonObject, field: string): string {
  const value = body[field];
  if (typeof value !== "string") throw new Error(`The field ${field} is ${JSON.stringify(value)}.`);
  return value;
}

/** Waits until `holds` returns true. Calls it once in every turn of the event loop. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  // This is longer than a test's own time limit. It stops the loop of a failed test, which would otherwise never end.
  const deadline = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("What the test waits for did not happen within 30 s.");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function requestOf(who: Person | null, { method = "GET", body, headers }: Asking): RequestInit {
  const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  return {
    method,
    ...sent,
    headers: {
      ...(who === null ? {} : { authorization: `Bearer ${apiKeyOf(who)}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
  };
}

async function answered(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "") && text !== "";
  const body: JsonObject = isJson ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, text, body };
}

function apiKey({ id, ...key }: (typeof PEOPLE)[number]) {
  return { ...key, id: `key of ${id}`, sha256: createHash("sha256").update(apiKeyOf(id)).digest("hex"), principal: id };
}
