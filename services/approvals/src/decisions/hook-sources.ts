import { describeProblems, type HookSourceEntry, isJsonObject, type Json, parseHookSourcesFile } from "@toolbus/contracts";
import { parseStrictJson, readPrivateFile } from "@toolbus/grants";
import { HttpProblem, isSigned, type Principal, Refusal, webhookSecret } from "@toolbus/runtime";

/** Another system whose signed requests decide. */
export interface HookSource extends Omit<HookSourceEntry, "secrets"> {
  readonly secrets: readonly Uint8Array[];
}

/** By their names. */
export type HookSources = ReadonlyMap<string, HookSource>;

/** What of a request is signed, as it came. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body, byte for byte. */
  readonly text: string;
}

/** How far the time of a request may be from ours: one that was overheard is of no use later. */
const REPLAY_WINDOW_S = 300;
const WHAT = "The file of decision hooks";

/** Reads who may decide by webhook; nobody where no file is named. Throws a `Refusal` of one sentence, without a secret. */
export async function readHookSources(file: string): Promise<HookSources> {
  if (file === "") return new Map();
  const text = await readPrivateFile({ file, what: WHAT });
  if (text === null)
    throw new Refusal(`There is no file of decision hooks at ${file} (DECISION_HOOKS_FILE); make it, or leave the setting empty.`);
  const json = parseStrictJson(text);
  if (!json.ok) throw new Refusal(`${WHAT} ${file} is not unambiguous JSON.`);
  const read = parseHookSourcesFile(json.value);
  if (!read.ok) throw new Refusal(`${WHAT} ${file} breaks its schema: ${describeProblems(read.problems)}.`);
  const sources = new Map(read.value.sources.map((source) => [source.name, withKeys(source, file)]));
  if (sources.size < read.value.sources.length) throw new Refusal(`Two sources in ${file} have one name; give each its own.`);
  return sources;
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
 * The source that signed this request, by Standard Webhooks, now. Throws the same problem for a source that does not exist as for a signature that is not
 * its own: who guesses names learns none.
 */
export function signingSource(sources: HookSources, name: string, { headers, text }: SignedRequest, nowMs: number): HookSource {
  const [id, time, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((header) => headers[header]);
  if (typeof id !== "string" || typeof time !== "string" || typeof signature !== "string" || !ID.test(id) || !TIME.test(time))
    throw unsigned("The request lacks webhook-id, webhook-timestamp or webhook-signature.", "Sign it as Standard Webhooks has it.");
  const seconds = Number(time);
  const source = sources.get(name);
  if (!source || !isSigned(signature, { id, seconds, body: text }, source.secrets))
    throw unsigned("The signature is not this source's over these bytes.", "Sign the very bytes that are sent, with the source's secret.");
  if (Math.abs(nowMs / 1000 - seconds) > REPLAY_WINDOW_S)
    throw unsigned("The request was signed more than 5 minutes from now.", "Sign it anew, by a clock that is right.");
  return source;
}

const ID = /^[\x21-\x7e]{1,200}$/;
const TIME = /^[0-9]{1,12}$/;

/** The approver that the source's name for somebody stands for. Throws the problem for one whom nobody named; null where the body names none. */
export function approverOf(source: HookSource, body: Json | undefined): Principal | null {
  const theirs = isJsonObject(body) ? body["approver"] : undefined;
  if (typeof theirs !== "string") return null;
  const id = Object.hasOwn(source.approvers, theirs) ? source.approvers[theirs] : undefined;
  if (id === undefined)
    throw new HttpProblem("forbidden", "This source has no approver of that name.", {
      remedy: "An operator names its people in the file of decision hooks.",
    });
  return {
    id,
    tenant: source.tenant,
    roles: ["approver"],
    scopes: source.tiers.map((tier) => `approve:${tier}`),
    keyId: `hook:${source.name}`,
  };
}

function unsigned(detail: string, remedy: string): HttpProblem {
  return new HttpProblem("unauthenticated", detail, { remedy });
}
