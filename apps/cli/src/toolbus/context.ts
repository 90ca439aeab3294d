import { client, type Client } from "../http/client.ts";
import { type Audience, findKey, type FoundKey, noKey } from "../keys/find-key.ts";
import { colourWanted, output, type Output } from "../terminal/output.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import type { GlobalOptions } from "./global-options.ts";
import type { Surroundings } from "./surroundings.ts";

/** What a command works with after its options are read. */
export interface Context {
  readonly options: GlobalOptions;
  readonly around: Surroundings;
  readonly output: Output;
  readonly colour: boolean;
  /** Aborts when the command must end: Ctrl-C, or --timeout. The reason is a Failure. */
  readonly signal: AbortSignal;
  /** The gateway with the caller's key. Throws a Failure if there is no key; Unreachable if nobody answers. */
  gateway(): Promise<Client>;
  /** The gateway with an operator's key: that of a Toolbus on this machine, unless another one is given. Throws the same. */
  gatewayForOperators(): Promise<Client>;
  /** Approvals with the approver's key; throws the same. */
  approvals(): Promise<Client>;
  /** The key for a service, if there is one. `--key` and `--key-file` are meant for the service that the command talks to. */
  keyFor(audience: Audience): Promise<FoundKey | null>;
}

/** `audience`: the service that --key and --key-file are for. */
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
    // A user who has not started anything yet needs to hear that first.
    await client({ url, service, key: null, signal }).get("/healthz");
    throw noKey(searchFor(service));
  }
}

function timeoutSignal(ms: number): AbortSignal {
  const control = new AbortController();
  const why = new Failure(EXIT.timedOut, "The --timeout has passed; the run continues.");
  setTimeout(() => control.abort(why), ms).unref();
  return control.signal;
}
