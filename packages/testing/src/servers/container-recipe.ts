import { natsConfig, natsLogin } from "./nats-recipe.ts";
import type { PrivateServerOptions } from "./private-server.ts";
import { rabbitmqConfig } from "./rabbitmq-recipe.ts";
import { loginOf, redisContainerCommand } from "./redis-recipe.ts";
import { type ServerKind, serverKinds } from "./server-kinds.ts";

/** How to start one kind of server in a container of its official image. */
export interface ContainerRecipe {
  /** The command, or null for the image's own command. */
  readonly command: readonly string[] | null;
  readonly files: readonly { readonly content: string; readonly target: string }[];
  /** User, password and colon, in the form that a URL has before the host. */
  readonly login: string;
  /** The port of the server's management inside the container, or null if it was not requested. */
  readonly managementPort: number | null;
}

type ContainerRecipes = { readonly [Kind in ServerKind]: (options: PrivateServerOptions[Kind]) => ContainerRecipe };

const NATS_CONFIG = "/etc/nats/toolbus-test.conf";
const RABBITMQ_CONFIG = "/etc/rabbitmq/conf.d/90-toolbus-test.conf";

export const containerRecipes: ContainerRecipes = {
  redis: (options) => ({
    command: redisContainerCommand(options),
    files: [],
    login: loginOf(options.settings ?? {}),
    managementPort: null,
  }),
  // The server does not sync each message to disk, because the image's version is unknown before it starts. A killed process loses no data that the
  // operating system already has.
  nats: (options) => ({
    command: ["-c", NATS_CONFIG],
    files: [{ content: natsConfig(options, "/data", false), target: NATS_CONFIG }],
    login: natsLogin(options),
    managementPort: null,
  }),
  // Tests connect to the server from another host, and by default `guest` may not log in from there. The image for management enables the management
  // plug-in by default.
  rabbitmq: ({ settings, management }) => ({
    command: null,
    files: [{ content: rabbitmqConfig({ "loopback_users.guest": "false", ...settings }), target: RABBITMQ_CONFIG }],
    login: serverKinds.rabbitmq.usualLogin,
    managementPort: management ? 15_672 : null,
  }),
};
