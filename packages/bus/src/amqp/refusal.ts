import { BusUnavailable } from "../message-bus.ts";
import type { AmqpSettings } from "./amqp-url.ts";

/** The reason why there is no connection, in one sentence without credentials. */
export interface Refusal {
  readonly reason: string;
  /** True if another attempt would fail in the same way until someone changes something. */
  readonly final: boolean;
}

/** Interprets amqplib's error for a failed attempt to connect. An error of the socket has a code, and a refusal by the broker has only a text. */
export function refusalOf(fault: unknown, { protocol, host, port, user, vhost }: AmqpSettings): Refusal {
  const at = `RabbitMQ at ${host}:${port}`;
  const { message, code } = partsOf(fault);
  if (fault instanceof UnfitServer) return final(message);
  if (fault instanceof BusUnavailable) return { reason: message, final: false };
  if (/ACCESS.REFUSED/.test(message)) return final(`${at} refused the login of "${user}"; check user and password in BUS_URL.`);
  // The broker accepted the login, but then closed the connection instead of opening the virtual host.
  if (/ConnectionOpenOk.*ConnectionClose/.test(message))
    return final(`${at} refused the virtual host "${vhost}": it does not exist, or "${user}" has no rights in it.`);
  if (isTlsFault(code))
    return final(`${at} cannot be trusted or does not speak TLS (${code}); check its certificate and the scheme of BUS_URL.`);
  // A broker that starts or stops speaks AMQP and closes the connection. Another attempt may succeed.
  if (/Expected Connection.*ConnectionClose/i.test(message))
    return { reason: `${at} closed the connection before it was open; it may be starting or stopping.`, final: false };
  if (/maxFrameSize|frame size|Expected Connection/i.test(message))
    return final(`At ${host}:${port} there is something other than RabbitMQ.`);
  const hint = protocol === "amqp" ? "" : ", or only without TLS";
  return {
    reason: `${at} does not answer${hint} (${code || "it closed the connection"}); check BUS_URL and that the server runs.`,
    final: false,
  };
}

/** The server answers but cannot do what the bus needs. */
export class UnfitServer extends Error {
  override readonly name = "UnfitServer";
}

/** Throws `UnfitServer` if the server's properties show that it is not RabbitMQ, or that its quorum queues have no delays. */
export function requireFitServer({ product, version }: { readonly product: string; readonly version: string }): void {
  if (product !== "RabbitMQ")
    throw new UnfitServer(`The server calls itself "${product.slice(0, 40)}"; this bus needs RabbitMQ ${OLDEST} or newer.`);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < OLDEST_MAJOR || (major === OLDEST_MAJOR && minor < OLDEST_MINOR))
    throw new UnfitServer(`RabbitMQ ${version.slice(0, 40)} is too old; this bus needs ${OLDEST} or newer.`);
}

const OLDEST_MAJOR = 3;
const OLDEST_MINOR = 10;
const OLDEST = `${OLDEST_MAJOR}.${OLDEST_MINOR}`;

function final(reason: string): Refusal {
  return { reason, final: true };
}

function isTlsFault(code: string): boolean {
  return TLS_FAULTS.includes(code) || /^ERR_(?:TLS|SSL)_|CERT|_SIGNATURE$/.test(code);
}

const TLS_FAULTS: readonly string[] = ["EPROTO", "HOSTNAME_MISMATCH"];

function partsOf(fault: unknown): { readonly message: string; readonly code: string } {
  if (!(fault instanceof Error)) return { message: "", code: "" };
  return { message: fault.message, code: "code" in fault && typeof fault.code === "string" ? fault.code : "" };
}
