import {
  describeProblems,
  type HookSourceEntry,
  isJsonObject,
  type Json,
  parseHookSourcesFile,
  type SlackWorkspaceEntry,
} from "@toolbus/contracts";
import { HttpProblem, isSigned, type Principal, readSecretJson, Refusal, webhookSecret } from "@toolbus/runtime";

/** Another system that may decide by signed requests. */
export interface HookSource extends Omit<HookSourceEntry, "secrets"> {
  readonly secrets: readonly Uint8Array[];
}

/** The content of the file of decision hooks. */
export interface HooksFile {
  readonly sources?: readonly HookSourceEntry[];
  readonly slack?: readonly SlackWorkspaceEntry[];
}

/** The sources by their names. */
export type HookSources = ReadonlyMap<string, HookSource>;

/** The signed parts of a request, as received. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it was received, byte for byte. */
  readonly text: string;
}

/** The largest difference between the time of a request and the time of this service, in seconds. An intercepted request is useless after that. */
const REPLAY_WINDOW_S = 300;
const WHAT = "The file of decision hooks";

/** Reads which systems may decide by webhook. Returns none if no file is named. Throws a `Refusal` of one sentence that contains no secret. */
export async function readHookSources(file: string): Promise<HookSources> {
  const read = await readHooksFile(file);
  const given = read?.sources ?? [];
  const sources = new Map(given.map((source) => [source.name, withKeys(source, file)]));
  if (sources.size < given.length) throw new Refusal(`Two sources in ${file} have one name; give each its own.`);
  return sources;
}

/** Reads the file of decision hooks. Returns null if no file is named. Throws a `Refusal` of one sentence that contains no secret. */
export async function readHooksFile(file: string): Promise<HooksFile | null> {
  if (file === "") return null;
  const read = parseHookSourcesFile(await readSecretJson({ file, what: WHAT, setting: "DECISION_HOOKS_FILE" }));
  if (!read.ok) throw new Refusal(`${WHAT} ${file} breaks its schema: ${describeProblems(read.problems)}.`);
  return read.value;
}

function withKeys({ secrets, ...source }: HookSourceEntry, file: string): HookSource {
  const keys = secrets.map((secret) => {
    const key = webhookSecret(secret);
    if (!key) throw new Refusal(`A secret of the source "${source.name}" in ${file} is not whsec_ and base64 of 24 to 64 bytes.`);
    return key;
  });
  return { ...source, secrets: keys };
}

/**
 * Returns the source that signed this request by Standard Webhooks. The signed time must differ from `nowMs` by at most `REPLAY_WINDOW_S`. Throws the
 * same problem for an unknown source and for a wrong signature, so that guessing names reveals nothing.
 */
export function signingSource(sources: HookSources, name: string, { headers, text }: SignedRequest, nowMs: number): HookSource {
  const [id, time, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((header) => headers[header]);
  if (typeof id !== "string" || typeof time !== "string" || typeof signature !== "string" || !ID.test(id) || !TIME.test(time))
    throw unsigned("The request lacks webhook-id, webhook-timestamp or webhook-signature.", "Sign it as Standard Webhooks specifies.");
  const seconds = Number(time);
  const source = sources.get(name);
  if (!source || !isSigned(signature, { id, seconds, body: text }, source.secrets))
    throw unsigned("The signature is not this source's over these bytes.", "Sign the very bytes that are sent, with the source's secret.");
  if (Math.abs(nowMs / 1000 - seconds) > REPLAY_WINDOW_S)
    throw unsigned("The request was signed more than 5 minutes from now.", "Sign it again, with a correct clock.");
  return source;
}

const ID = /^[\x21-\x7e]{1,200}$/;
const TIME = /^[0-9]{1,12}$/;

/** Returns the approver to whom the source's name for a person maps, or null if the body names nobody. Throws a problem if the name is unknown. */
export function approverOf(source: HookSource, body: Json | undefined): Principal | null {
  const theirs = isJsonObject(body) ? body["approver"] : undefined;
  if (typeof theirs !== "string") return null;
  const id = Object.hasOwn(source.approvers, theirs) ? source.approvers[theirs] : undefined;
  if (id === undefined)
    throw new HttpProblem("forbidden", "This source has no approver of that name.", {
      remedy: "An operator names its people in the file of decision hooks.",
    });
  const groups = source.groups !== undefined && Object.hasOwn(source.groups, id) ? source.groups[id] : undefined;
  return {
    id,
    tenant: source.tenant,
    roles: ["approver"],
    scopes: source.tiers.map((tier) => `approve:${tier}`),
    ...(groups === undefined ? {} : { groups }),
    keyId: `hook:${source.name}`,
  };
}

function unsigned(detail: string, remedy: string): HttpProblem {
  return new HttpProblem("unauthenticated", detail, { remedy });
}
