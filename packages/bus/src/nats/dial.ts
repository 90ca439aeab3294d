import { JetStreamApiCodes, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect, errors, type NatsConnection, type NodeConnectionOptions } from "@nats-io/transport-node";
import { inboxPrefix, LARGEST_MESSAGE_BYTES } from "./topology.ts";
import type { NatsSettings } from "./nats-url.ts";
import { refusedSubject } from "./refused-subject.ts";
import type { NatsTimings } from "./timings.ts";

/** A checked connection to a server whose JetStream is available and new enough. */
export interface Dialled {
  readonly nc: NatsConnection;
  readonly jsm: JetStreamManager;
}

/**
 * The outcome of an attempt to connect. After `absent`, a later attempt may succeed. After `refused`, no attempt succeeds until somebody changes
 * something.
 */
export type DialOutcome =
  | { readonly kind: "open"; readonly dialled: Dialled }
  | { readonly kind: "absent"; readonly reason: string; readonly what: "server" | "jetstream" }
  | { readonly kind: "refused"; readonly reason: string };

/** Tries each of the servers once until one answers. The reason for a failure is one sentence and contains nothing of the login. */
export async function dial(settings: NatsSettings, timings: NatsTimings): Promise<DialOutcome> {
  const where = settings.servers.join(", ");
  let nc: NatsConnection;
  try {
    nc = await connect(connectOptions(settings, timings));
  } catch (error) {
    return connectFailure(error, where);
  }
  try {
    const outcome = await checked(nc, timings);
    if (outcome.kind !== "open") await nc.close();
    return outcome;
  } catch (error) {
    await nc.close();
    return absent(`The NATS server at ${where} was lost while it was asked for JetStream (${nameOf(error)}).`);
  }
}

/** Returns the prefix of the reply subjects that this login may listen to. */
export function inboxOf({ namespace, login }: NatsSettings): string {
  return inboxPrefix(namespace, login.kind === "password" ? login.user : "all");
}

function connectOptions(settings: NatsSettings, timings: NatsTimings): NodeConnectionOptions {
  const { servers, tls, login, namespace } = settings;
  return {
    servers: [...servers],
    ...(tls ? { tls: {} } : {}),
    ...(login.kind === "password" ? { user: login.user, pass: login.password } : {}),
    ...(login.kind === "token" ? { token: login.token } : {}),
    name: `toolbus ${namespace}`,
    inboxPrefix: inboxOf(settings),
    timeout: timings.dialMs,
    pingInterval: timings.pingMs,
    maxPingOut: 2,
    // The link reconnects by itself. The client would give up after two refusals of the login. It would also never end a connection whose pings go
    // unanswered while its send buffer is full (measured with 3.4.0).
    reconnect: false,
  };
}

const LEAST_VERSION = [2, 9] as const;

async function checked(nc: NatsConnection, { confirmMs }: NatsTimings): Promise<DialOutcome> {
  const where = nc.getServer();
  const { version = "", jetstream = false, max_payload: largest = 0 } = nc.info ?? {};
  if (isOlder(version))
    return refused(`The NATS server at ${where} has version ${version}; this bus needs ${LEAST_VERSION.join(".")} or newer.`);
  if (largest < LARGEST_MESSAGE_BYTES)
    return refused(
      `The NATS server at ${where} accepts messages of ${largest} bytes; set its max_payload to ${LARGEST_MESSAGE_BYTES} or more.`,
    );
  const jsm = await jetstreamManager(nc, { checkAPI: false, timeout: confirmMs });
  try {
    await jsm.getAccountInfo();
  } catch (error) {
    // A login without the right to query JetStream may still use the objects for which it has rights.
    if (refusedSubject(error) === null) return withoutJetStream(error, where, jetstream);
  }
  return { kind: "open", dialled: { nc, jsm } };
}

function withoutJetStream(error: unknown, where: string, announced: boolean): DialOutcome {
  const isOff = error instanceof Error && error.name === "JetStreamNotEnabled";
  // While a cluster elects a leader, it announces JetStream but does not answer.
  if (isOff && !announced)
    return refused(`The NATS server at ${where} has no JetStream; start it with -js, or enable JetStream for this account.`);
  if (isOff && hasApiCode(error.cause, JetStreamApiCodes.JetStreamNotEnabledForAccount))
    return refused(`JetStream is not enabled for this account at the NATS server at ${where}; enable it there.`);
  return { kind: "absent", what: "jetstream", reason: `JetStream at ${where} does not answer (${nameOf(error)}).` };
}

function hasApiCode(error: unknown, code: number): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1]);
}

function connectFailure(error: unknown, where: string): DialOutcome {
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError)
    return refused(`The NATS server at ${where} refuses this login; correct the user and password, or the token, in BUS_URL.`);
  const code = codeOf(error);
  if (code !== null && TLS_CODE.test(code))
    return refused(`The certificate of the NATS server at ${where} is not trusted (${code}); name its authority in NODE_EXTRA_CA_CERTS.`);
  if (error instanceof errors.ConnectionError && error.message.includes("'tls'"))
    return refused(`The NATS server at ${where} has no TLS; use nats:// in BUS_URL, or give the server a certificate.`);
  return absent(`No NATS server answers at ${where} (${code ?? nameOf(error)}); start one, or correct BUS_URL.`);
}

const TLS_CODE = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|HOSTNAME_MISMATCH)/;

/** Returns the code of the error or of its cause, because a refused connection has the code only in the cause. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return codeOf(error.cause);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function absent(reason: string): DialOutcome {
  return { kind: "absent", what: "server", reason };
}

function refused(reason: string): DialOutcome {
  return { kind: "refused", reason };
}
