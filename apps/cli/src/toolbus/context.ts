import { client, type Client } from "../http/client.ts";
import { type Audience, findKey, type FoundKey, noKey } from "../keys/find-key.ts";
import { colourWanted, output, type Output } from "../terminal/output.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import type { GlobalOptions } from "./global-options.ts";
import type { Surroundings } from "./surroundings.ts";

/** The context of a command after its options are read. */
export interface Context {
  readonly options: GlobalOptions;
  readonly around: Surroundings;
  readonly output: Output;
  readonly colour: boolean;
  /** Aborts when the command must end because of Ctrl-C or --timeout. The reason is a Failure. */
  readonly signal: AbortSignal;
  /** Returns a client of the gateway with the caller's key. Throws a Failure if there is no key, and Unreachable if the gateway does not answer. */
  gateway(): Promise<Client>;
  /**
   * Returns a client of the gateway with the given key, or with the operator's key of a Toolbus on this machine. Throws the same errors as `gateway`.
   */
  gatewayForOperators(): Promise<Client>;
  /** Returns a client of approvals with the approver's key. Throws the same errors as `gateway`. */
  approvals(): Promise<Client>;
  /** Returns the key for a service, or null if there is none. `--key` and `--key-file` are for the service that the command talks to. */
  keyFor(audience: Audience): Promise<FoundKey | null>;
}

/** Creates the context of a command. `audience` is the service that --key and --key-file are for. */
export function contextOf(options: GlobalOptions, around: Surroundings, audience: Audience): Context {
  const { env, stdout, stderr, interrupts } = around;
  const colour = colourWanted(env, options.colour);
  const signal = options.timeoutMs === null ? interrupts.leave : AbortSignal.any([interrupts.leave, timeoutSignal(options.timeoutMs)]);
  const urls = { gateway: options.url, approvals: options.approvalsUrl };
  const searchFor = (service: Audience, role?: "operator") => ({
    audience: service,
    ...(role === undefined ? {} : { role }),
    url: urls[service],
    env,
    dataDirectory: options.dataDirectory,
    ...(service === audience && options.key !== undefined ? { key: options.key } : {}),
    ...(service === audience && options.keyFile !== undefined ? { keyFile: options.keyFile } : {}),
  });
  return {
    options,
    around,
    colour,
    signal,
    output: output({ out: stdout, err: stderr, json: options.json, quiet: options.quiet, colour }),
    gateway: () => open("gateway"),
    gatewayForOperators: () => open("gateway", "operator"),
    approvals: () => open("approvals"),
    keyFor: (service) => findKey(searchFor(service)),
  };

  async function open(service: Audience, role?: "operator"): Promise<Client> {
    const url = urls[service];
    const found = await findKey(searchFor(service, role));
    if (found !== null) return client({ url, service, key: found.key, keySource: found.source, signal });
    // This request fails if the service is down. That error is more important than a missing key, so the user must see it first.
    await client({ url, service, key: null, signal }).get("/healthz");
    throw noKey(searchFor(service));
  }
}

function timeoutSignal(ms: number): AbortSignal {
  const control = new AbortController();
  const why = new Failure(EXIT.timedOut, "The --timeout has passed. A run that was started continues.");
  setTimeout(() => control.abort(why), ms).unref();
  return control.signal;
}
