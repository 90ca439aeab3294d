import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Benchmark, SpecialFlag, Requests } from "./benchmark.ts";
import { type Environment, serverUrls } from "./server-urls.ts";

export interface BenchArguments {
  readonly benchmark: Benchmark;
  readonly json: boolean;
  /** How long each row is measured, in seconds. */
  readonly seconds: number;
  readonly help: boolean;
  readonly requests: Requests;
}

export const BENCH_HELP = `Measures what Toolbus costs compared with the same work without it, in alternating slices.

Usage: npm run bench -- NAME [options]

  embedded           one process: a read call, a write call with grant and ledger, a whole run
  http               the gateway: a run accepted, the first event of a stream, events to 1 and to 100 readers
  streams            1,000 readers, slow ones, and ones that never read: what they cost in memory, and the others
  telemetry          a read call and a write call with traces and metrics on, against the same with telemetry off
  tool-call          a durable call over RabbitMQ and over JetStream, against their own clients, and with telemetry on
  run-loop           runs of five tool rounds on Redis, against a loop by hand; tools in process and over both brokers
  model-round        the same runs with a vendor's adapter, against OpenAI's client by hand and other libraries; a call of each adapter
  context            the context of the next turn at 10, 100 and 1,000 turns, against counting all of it each turn
  approvals          a page of the list, one decision and a thousand expiries with 100,000 pending approvals, against 100
  recovery           how long runs stand still after a worker, an agent, approvals or a gateway is killed or frozen
  tools              1,000 tools of 50 services against 100: starts, a choice, a search; and a call of an MCP server, against the SDK

  --seconds N        how long each row is measured, 1 to 600 (default: 10)
  --rabbitmq URL     tool-call, run-loop, recovery: RabbitMQ (default: BENCH_RABBITMQ_URL, or the usual local port as guest)
  --nats URL         tool-call, run-loop, recovery: NATS with JetStream (default: BENCH_NATS_URL, or the usual local port)
  --redis URL        run-loop, model-round, approvals, recovery: Redis (default: BENCH_REDIS_URL, or a private one that syncs each write to disk)
  --postgres URL     model-round --peers: PostgreSQL (default: BENCH_POSTGRES_URL, or the usual local port as postgres)
  --peers            tool-call: NestJS and moleculer as well; model-round: LangGraph, DBOS, AI SDK, OpenAI Agents and Mastra. npm installs
                     all of them into bench/peers the first time
  --before FOLDER    run-loop: also the checkout of an earlier commit in this folder, with its packages installed
  --json             print one JSON document instead of a table
  --help             this text

Existing data on a server is left alone: every name begins with a separate namespace, which is removed at the end.

Exit codes: 0 measured, 1 an error, or no server to measure on.
`;

const DEFAULT_SECONDS = 10;

export type ReadBenchArguments = { readonly ok: true; readonly args: BenchArguments } | { readonly ok: false; readonly message: string };

/** Returns the flags, or one sentence that names the mistake. */
export function benchArguments(
  argv: readonly string[],
  benchmarks: readonly Benchmark[],
  environment: Environment = {},
): ReadBenchArguments {
  const parsed = parse(argv);
  if (!parsed.ok) return parsed;
  const { values, positionals } = parsed;
  const [name, ...more] = positionals;
  const known = benchmarks.map((each) => each.name).join(", ");
  const [first] = benchmarks;
  const { json = false, help = false, peers = false, before } = values;
  if (help && first) {
    const { urls } = serverUrls({}, {});
    return { ok: true, args: { benchmark: first, json, seconds: DEFAULT_SECONDS, help, requests: { servers: urls, peers, before: null } } };
  }
  if (more.length > 0) return refused(`One benchmark at a time: "${more[0]}" is too many.`);
  if (name === undefined) return refused(`Name a benchmark, for example npm run bench -- embedded. The benchmarks are: ${known}.`);
  const benchmark = benchmarks.find((each) => each.name === name);
  if (!benchmark) return refused(`There is no benchmark "${name}". The benchmarks are: ${known}.`);
  const stray = SPECIAL_FLAGS.find((flag) => values[flag] !== undefined && !benchmark.flags?.includes(flag));
  if (stray) return refused(`--${stray} is not for ${name}, but for ${takersOf(stray, benchmarks)}.`);
  const text = values.seconds ?? String(DEFAULT_SECONDS);
  if (!/^[1-9][0-9]{0,2}$/.test(text) || Number(text) > 600) return refused(`--seconds needs a whole number from 1 to 600, not "${text}".`);
  if (before !== undefined && !existsSync(path.join(before, "bench/src/run-loop/loop-process.ts")))
    return refused(`--before needs the folder of a checkout of Toolbus, and "${before}" is none.`);
  const { urls, problem } = serverUrls(values, environment);
  if (problem !== null) return refused(problem);
  return { ok: true, args: { benchmark, json, seconds: Number(text), help, requests: { servers: urls, peers, before: before ?? null } } };
}

const SPECIAL_FLAGS = ["rabbitmq", "nats", "redis", "postgres", "peers", "before"] as const satisfies readonly SpecialFlag[];

function takersOf(flag: SpecialFlag, benchmarks: readonly Benchmark[]): string {
  return benchmarks
    .filter(({ flags }) => flags?.includes(flag))
    .map(({ name }) => name)
    .join(" and ");
}

const refused = (message: string): { readonly ok: false; readonly message: string } => ({ ok: false, message });

function parse(argv: readonly string[]) {
  const flag = { type: "boolean" } as const;
  const text = { type: "string" } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: {
        json: flag,
        help: { ...flag, short: "h" },
        seconds: text,
        rabbitmq: text,
        nats: text,
        redis: text,
        postgres: text,
        peers: flag,
        before: text,
      },
      strict: true,
      allowPositionals: true,
    });
    return { ok: true as const, values, positionals };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    const valueless = /'(--[a-z]+) <value>' argument/.exec(message)?.[1];
    if (valueless !== undefined) return refused(`${valueless} needs a value: see npm run bench -- --help.`);
    return refused(`${message.replace(/\. To specify.*$/s, "").replace(/\.$/, "")}: see npm run bench -- --help for the flags.`);
  }
}
