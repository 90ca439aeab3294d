import type { ServerUrls } from "./benchmark.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

type Server = keyof ServerUrls;

interface ServerFacts {
  /** The server's name in a sentence. */
  readonly name: string;
  readonly schemes: readonly string[];
  /** The address that is used if nobody gives one. Null means that a private server is started in this case. */
  readonly usual: string | null;
}

/** The servers that benchmarks use. */
export const SERVERS: Readonly<Record<Server, ServerFacts>> = {
  rabbitmq: { name: "RabbitMQ", schemes: ["amqp:", "amqps:"], usual: "amqp://guest:guest@127.0.0.1:5672" },
  nats: { name: "NATS", schemes: ["nats:", "tls:"], usual: "nats://127.0.0.1:4222" },
  redis: { name: "Redis", schemes: ["redis:", "rediss:"], usual: null },
  postgres: { name: "PostgreSQL", schemes: ["postgres:", "postgresql:"], usual: "postgres://postgres@127.0.0.1:5432/postgres" },
};

/**
 * Returns the address of each server: from its flag, else from the environment, else the usual address. `problem` is one sentence that contains no
 * part of a URL.
 */
export function serverUrls(
  flags: { readonly [S in Server]?: string | undefined },
  environment: Environment,
): { readonly urls: ServerUrls; readonly problem: string | null } {
  const urls = {
    rabbitmq: found("rabbitmq") ?? "",
    nats: found("nats") ?? "",
    redis: found("redis"),
    postgres: found("postgres") ?? "",
  };
  const problems = (["rabbitmq", "nats", "redis", "postgres"] as const).flatMap((server) => {
    const { name, schemes } = SERVERS[server];
    const url = urls[server];
    if (url === null || schemes.includes(URL.parse(url)?.protocol ?? "")) return [];
    const where = flags[server] === undefined ? variableOf(server) : `--${server}`;
    return [`${where} is not an address of ${name}: such an address begins with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}.`];
  });
  return { urls, problem: problems[0] ?? null };

  function found(server: Server): string | null {
    return flags[server] ?? (environment[variableOf(server)] || SERVERS[server].usual);
  }
}

/** Returns the same address with one option of its query added or replaced. */
export function withOption(url: string, name: string, value: string): string {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed.href;
}

/** Returns the host of an address, which may be printed. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "an invalid URL";
}

function variableOf(server: Server): string {
  return `BENCH_${server.toUpperCase()}_URL`;
}
