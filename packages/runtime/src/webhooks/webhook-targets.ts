import {
  describeProblems,
  type EmailTargetEntry,
  parseWebhookTargetsFile,
  type SlackTargetEntry,
  type TargetEntry,
  type WebhookEvent,
  type WebhookTargetEntry,
} from "@toolbus/contracts";
import { readSecretJson } from "../read-secret-json.ts";
import { Refusal } from "../refusal.ts";
import { str } from "../settings.ts";
import { type AllowedHosts, isAllowedHost, whyNoMail, whyNotCalled } from "./network-guard.ts";
import { webhookSecret } from "./webhook-signature.ts";

/** The settings of a service that sends webhooks. */
export const webhookSettings = {
  WEBHOOKS_FILE: str({
    default: "",
    desc: "a file of mode 0600 with the targets that are told by webhook, e-mail or Slack; empty: none are told",
  }),
  WEBHOOK_ALLOWED_HOSTS: str({
    default: "",
    desc: "hosts, as name or name:port and separated by commas, that may be called even if they are not https at port 443 of a public address; a mail server or an OIDC provider in a private network too",
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

interface AnyTarget {
  readonly name: string;
  readonly events: ReadonlySet<WebhookEvent>;
  /** The tenant whose events the target receives. Absent if it receives the events of every tenant. */
  readonly tenant?: string;
}

/** A target of webhooks, with the events that it receives. */
export interface WebhookTarget extends AnyTarget {
  readonly kind: "webhook";
  readonly url: URL;
  readonly secrets: readonly Uint8Array[];
}

/** People who are notified by e-mail. */
export interface EmailTarget extends AnyTarget {
  readonly kind: "email";
  readonly host: string;
  readonly port: number;
  readonly tls: "starttls" | "implicit" | "none";
  /** Whether the operator allows the host even if its addresses are not public. */
  readonly allowed: boolean;
  readonly login?: { readonly user: string; readonly password: string };
  readonly from: string;
  readonly to: readonly string[];
}

/** A channel of a Slack workspace. */
export interface SlackTarget extends AnyTarget {
  readonly kind: "slack";
  readonly workspace: string;
  readonly token: string;
  readonly channel: string;
  /** The address of Slack's methods, which ends with a slash. */
  readonly apiUrl: URL;
}

export type Target = WebhookTarget | EmailTarget | SlackTarget;

export interface WebhookPlan {
  readonly targets: readonly Target[];
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
  const read = parseWebhookTargetsFile(await readSecretJson({ file, what: "The file of webhook targets", setting: "WEBHOOKS_FILE" }));
  if (!read.ok) throw new Refusal(`The file of webhook targets ${file} breaks its schema: ${describeProblems(read.problems)}.`);
  const targets = read.value.targets.map((target) => targetOf(target, file, allowed));
  if (new Set(targets.map(({ name }) => name)).size < targets.length)
    throw new Refusal(`Two targets in ${file} have one name; give each its own.`);
  return { targets, allowed, retriesMs };
}

function targetOf(entry: TargetEntry, file: string, allowed: AllowedHosts): Target {
  switch (entry.kind) {
    case "email":
      return emailTarget(entry, file, allowed);
    case "slack":
      return slackTarget(entry, file, allowed);
    default:
      return webhookTarget(entry, file, allowed);
  }
}

function webhookTarget({ url: address, secrets, ...entry }: WebhookTargetEntry, file: string, allowed: AllowedHosts): WebhookTarget {
  const url = addressOf(entry.name, address, file, allowed);
  const keys = secrets.map((secret) => {
    const key = webhookSecret(secret);
    if (!key) throw new Refusal(`A secret of the target "${entry.name}" in ${file} is not whsec_ and base64 of 24 to 64 bytes.`);
    return key;
  });
  return { ...common(entry), kind: "webhook", url, secrets: keys, events: new Set(entry.events) };
}

function emailTarget(entry: EmailTargetEntry, file: string, allowed: AllowedHosts): EmailTarget {
  const { name, tls = "starttls", user, password, from, to, events } = entry;
  const { port = tls === "implicit" ? 465 : 587 } = entry;
  const host = entry.host.toLowerCase();
  const isAllowed = isAllowedHost({ hostname: host, host: `${host}:${port}` }, allowed);
  const refused = isAllowed ? null : whyNoMail({ host, port, tls });
  if (refused !== null)
    throw new Refusal(`The target "${name}" in ${file} is refused: ${refused}. Name its host in WEBHOOK_ALLOWED_HOSTS if you mean it.`);
  if ((user === undefined) !== (password === undefined))
    throw new Refusal(`The target "${name}" in ${file} has only one of user and password; give both, or neither.`);
  const login = user === undefined || password === undefined ? {} : { login: { user, password } };
  return { ...common(entry), kind: "email", host, port, tls, allowed: isAllowed, ...login, from, to, events: new Set(events) };
}

function slackTarget(entry: SlackTargetEntry, file: string, allowed: AllowedHosts): SlackTarget {
  const { name, workspace, token, channel, reminders = true, apiUrl: address = SLACK_API } = entry;
  const apiUrl = addressOf(name, address.endsWith("/") ? address : `${address}/`, file, allowed);
  // The service must remove the buttons of the Slack message when the write has ended. So it always sends `approval.ended`.
  const events = new Set<WebhookEvent>(["approval.held", ...(reminders ? (["approval.reminder"] as const) : []), "approval.ended"]);
  return { ...common(entry), kind: "slack", workspace, token, channel, apiUrl, events };
}

const SLACK_API = "https://slack.com/api/";

function common({ name, tenant }: Pick<TargetEntry, "name" | "tenant">): Pick<AnyTarget, "name" | "tenant"> {
  return { name, ...(tenant === undefined ? {} : { tenant }) };
}

function addressOf(name: string, address: string, file: string, allowed: AllowedHosts): URL {
  const url = URL.parse(address);
  if (!url) throw new Refusal(`The target "${name}" in ${file} has no address that can be read; begin it with https://.`);
  const refused = whyNotCalled(url, allowed);
  if (refused !== null)
    throw new Refusal(`The target "${name}" in ${file} is refused: ${refused}. Name its host in WEBHOOK_ALLOWED_HOSTS if you mean it.`);
  return url;
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
