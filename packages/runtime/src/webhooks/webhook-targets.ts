import { describeProblems, parseWebhookTargetsFile, type WebhookEvent, type WebhookTargetEntry } from "@toolbus/contracts";
import { parseStrictJson, readPrivateFile } from "@toolbus/grants";
import { Refusal } from "../refusal.ts";
import { str } from "../settings.ts";
import { type AllowedHosts, whyNotCalled } from "./network-guard.ts";
import { webhookSecret } from "./webhook-signature.ts";

/** The settings of a service that sends webhooks. */
export const webhookSettings = {
  WEBHOOKS_FILE: str({ default: "", desc: "a file of mode 0600 with the targets that webhooks are sent to; empty: none are sent" }),
  WEBHOOK_ALLOWED_HOSTS: str({
    default: "",
    desc: "hosts, as name or name:port and separated by commas, to which webhooks may be sent even if they are not https at port 443 of a public address",
  }),
  WEBHOOK_RETRIES_S: str({
    default: "5,30,300,1800,7200,18000,36000",
    desc: "the seconds between a failed attempt and the next one, separated by commas; the delivery is given up after the last attempt",
  }),
} as const;

export interface WebhookConfig {
  readonly WEBHOOKS_FILE: string;
  readonly WEBHOOK_ALLOWED_HOSTS: string;
  readonly WEBHOOK_RETRIES_S: string;
}

/** A target of webhooks, with the events that it receives. */
export interface WebhookTarget {
  readonly name: string;
  readonly url: URL;
  readonly secrets: readonly Uint8Array[];
  readonly events: ReadonlySet<WebhookEvent>;
  /** The tenant whose events it receives. Absent if it receives those of every tenant. */
  readonly tenant?: string;
}

export interface WebhookPlan {
  readonly targets: readonly WebhookTarget[];
  readonly allowed: AllowedHosts;
  /** The wait after each failed attempt. */
  readonly retriesMs: readonly number[];
}

/**
 * Reads the targets and their events. Throws a `Refusal` of one sentence for an invalid file. The message contains no secret and
 * no path of an address.
 */
export async function readWebhookPlan(config: WebhookConfig): Promise<WebhookPlan> {
  const allowed: AllowedHosts = new Set(parts(config.WEBHOOK_ALLOWED_HOSTS.toLowerCase()));
  const retriesMs = retriesOf(config.WEBHOOK_RETRIES_S);
  const file = config.WEBHOOKS_FILE;
  if (file === "") return { targets: [], allowed, retriesMs };
  const text = await readPrivateFile({ file, what: "The file of webhook targets" });
  if (text === null)
    throw new Refusal(`There is no file of webhook targets at ${file} (WEBHOOKS_FILE); make it, or leave the setting empty.`);
  const json = parseStrictJson(text);
  if (!json.ok) throw new Refusal(`The file of webhook targets ${file} is not unambiguous JSON.`);
  const read = parseWebhookTargetsFile(json.value);
  if (!read.ok) throw new Refusal(`The file of webhook targets ${file} breaks its schema: ${describeProblems(read.problems)}.`);
  const targets = read.value.targets.map((target) => targetOf(target, file, allowed));
  if (new Set(targets.map(({ name }) => name)).size < targets.length)
    throw new Refusal(`Two targets in ${file} have one name; give each its own.`);
  return { targets, allowed, retriesMs };
}

function targetOf({ name, url: address, secrets, events, tenant }: WebhookTargetEntry, file: string, allowed: AllowedHosts): WebhookTarget {
  const url = URL.parse(address);
  if (!url) throw new Refusal(`The target "${name}" in ${file} has no address that can be read; begin it with https://.`);
  const refused = whyNotCalled(url, allowed);
  if (refused !== null)
    throw new Refusal(`The target "${name}" in ${file} is refused: ${refused}. Name its host in WEBHOOK_ALLOWED_HOSTS if you mean it.`);
  const keys = secrets.map((secret) => {
    const key = webhookSecret(secret);
    if (!key) throw new Refusal(`A secret of the target "${name}" in ${file} is not whsec_ and base64 of 24 to 64 bytes.`);
    return key;
  });
  return { name, url, secrets: keys, events: new Set(events), ...(tenant === undefined ? {} : { tenant }) };
}

function retriesOf(text: string): readonly number[] {
  const seconds = parts(text).map(Number);
  if (seconds.length > MOST_RETRIES || seconds.some((one) => !Number.isInteger(one) || one < 1 || one > 7 * 86_400))
    throw new Refusal(`WEBHOOK_RETRIES_S accepts up to ${MOST_RETRIES} whole numbers of seconds from 1 to 604800, separated by commas.`);
  return seconds.map((one) => one * 1000);
}

const MOST_RETRIES = 20;

function parts(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
