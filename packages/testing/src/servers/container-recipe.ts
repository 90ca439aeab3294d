import { natsConfig, natsLogin } from "./nats-recipe.ts";
import type { PrivateServerOptions } from "./private-server.ts";
import { rabbitmqConfig } from "./rabbitmq-recipe.ts";
import { loginOf, redisContainerCommand } from "./redis-recipe.ts";
import { type ServerKind, serverKinds } from "./server-kinds.ts";

/** How one kind of server runs in a container of its official image. */
export interface ContainerRecipe {
  /** Null for the image's own command. */
  readonly command: readonly string[] | null;
  readonly files: readonly { readonly content: string; readonly target: string }[];
  /** User, password and colon, in the form that a URL has before the host. */
  readonly login: string;
  /** The port of its management inside the container, if requested. */
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
  // Without a sync to disk for each message: the version of the image is unknown before it runs, and a kill of a process loses no page.
  nats: (options) => ({
    command: ["-c", NATS_CONFIG],
    files: [{ content: natsConfig(options, "/data", false), target: NATS_CONFIG }],
    login: natsLogin(options),
    managementPort: null,
  }),
  // To the server we come from another host, from which `guest` may not log in by default. The image for management runs that plug-in anyway.
  rabbitmq: ({ settings, management }) => ({
    command: null,
    files: [{ content: rabbitmqConfig({ "loopback_users.guest": "false", ...settings }), target: RABBITMQ_CONFIG }],
    login: serverKinds.rabbitmq.usualLogin,
    managementPort: management ? 15_672 : null,
  }),
};
