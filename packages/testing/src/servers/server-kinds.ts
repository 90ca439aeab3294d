export type ServerKind = "redis" | "rabbitmq" | "nats";

/** The facts about a kind of server that are known before a server is found. */
export interface ServerFacts {
  /** The name of the server in a sentence. */
  readonly name: string;
  /** The variable that names a server to use. */
  readonly variable: string;
  /** The scheme of that variable's URL. */
  readonly scheme: string;
  readonly usualPort: number;
  /** User, password and colon, in the form that a URL has before the host. Empty if no login is needed. */
  readonly usualLogin: string;
  /** The program that starts a private server. Its Debian package has the same name. */
  readonly program: string;
  /** The variable that names a container image. The default image follows. */
  readonly imageVariable: string;
  readonly image: string;
}

export const serverKinds: Readonly<Record<ServerKind, ServerFacts>> = {
  redis: {
    name: "Redis",
    variable: "TEST_REDIS_URL",
    scheme: "redis:",
    usualPort: 6379,
    usualLogin: "",
    program: "redis-server",
    imageVariable: "TEST_REDIS_IMAGE",
    image: "redis:8.2-alpine",
  },
  rabbitmq: {
    name: "RabbitMQ",
    variable: "TEST_RABBITMQ_URL",
    scheme: "amqp:",
    usualPort: 5672,
    usualLogin: "guest:guest@",
    program: "rabbitmq-server",
    imageVariable: "TEST_RABBITMQ_IMAGE",
    image: "rabbitmq:4.2-management-alpine",
  },
  nats: {
    name: "NATS",
    variable: "TEST_NATS_URL",
    scheme: "nats:",
    usualPort: 4222,
    usualLogin: "",
    program: "nats-server",
    imageVariable: "TEST_NATS_IMAGE",
    image: "nats:2.12-alpine",
  },
};

/** Returns the URL of a server on this machine. */
export function localUrl(kind: ServerKind, port: number, login: string = serverKinds[kind].usualLogin): string {
  return `${serverKinds[kind].scheme}//${login}127.0.0.1:${port}`;
}
