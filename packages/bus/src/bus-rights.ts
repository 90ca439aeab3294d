import { queuesOf, type DeploymentParts, type TopicRights, topics, type TriedRight } from "@toolbus/contracts";
import { type AmqpSettings, parseAmqpUrl } from "./amqp/amqp-url.ts";
import { type AmqpDefinitions, amqpDefinitions } from "./amqp/rights.ts";
import { busKind } from "./bus-kind.ts";
import { BusUnavailable } from "./message-bus.ts";
import { natsAuthorization } from "./nats/rights.ts";
import { type NatsSettings, parseNatsUrl } from "./nats/nats-url.ts";

/** A login on the broker. */
export interface BusLogin {
  readonly user: string;
  readonly password: string;
  /** Four bytes for the hash of the password. NATS does not use them. */
  readonly salt: Uint8Array;
  /** The rights of the login. `setup` makes queues and streams but does not use them. `admin` operates the server. */
  readonly rights: TopicRights | "setup" | "admin";
}

/** The file that the operator loads into the broker. It gives each login only the rights for its own work. */
export type BusRightsFile =
  | { readonly broker: "rabbitmq"; readonly definitions: AmqpDefinitions }
  | { readonly broker: "nats"; readonly configuration: string };

/** The logins on the broker of a bus, and their rights. */
export interface BrokerRights {
  readonly broker: "rabbitmq" | "nats";
  /** The prefix of users, queues and subjects of this bus. */
  readonly namespace: string;
  fileOf(logins: readonly BusLogin[], parts: DeploymentParts): BusRightsFile;
  /** Returns the URL of the bus with another login. */
  urlFor(login: { readonly user: string; readonly password: string }): string;
  /**
   * Makes everything that services need on the broker, with the login of the URL. Repeating it is safe. Rejects with `BusUnavailable` if it fails.
   */
  setUp(parts: DeploymentParts): Promise<void>;
  /** Makes the scratch namespace with the login of the URL. The same logins have the same rights in it. Returns a function that removes it. */
  openScratch(parts: DeploymentParts): Promise<() => Promise<void>>;
  /**
   * Tries, in the scratch namespace, everything that the URL's login may do and everything that it may not do. `others` are the users whose replies
   * this login must not receive.
   */
  tryRights(rights: TopicRights, parts: DeploymentParts, others: readonly string[]): Promise<readonly TriedRight[]>;
}

/** The rights, or else the reason why the URL has none. The reason is one sentence, which begins with BUS_URL and contains no credentials. */
export type ReadBrokerRights = { readonly ok: true; readonly rights: BrokerRights } | { readonly ok: false; readonly reason: string };

/** Reads the rights from the URL of a bus, without a connection to the broker. */
export function brokerRights(url: string): ReadBrokerRights {
  const named = busKind(url);
  switch (named.kind) {
    case "none":
      return { ok: false, reason: named.reason };
    case "memory":
      return {
        ok: false,
        reason: "BUS_URL is memory:, a bus within one process, which has no logins; name an amqp:// or nats:// address.",
      };
    case "amqp":
      return ofAmqp(url);
    case "nats":
      return ofNats(url);
  }
}

/** Returns every broadcast topic of a deployment. */
function broadcastsOf({ agents }: DeploymentParts): readonly string[] {
  return [
    topics.toolCancel,
    topics.toolAnnounce,
    topics.toolRefresh,
    topics.mcpServersIndexed,
    topics.mcpMetadataRefresh,
    ...agents.map(topics.progress),
  ];
}

function ofAmqp(url: string): ReadBrokerRights {
  const parsed = parseAmqpUrl(url);
  if (!parsed.ok) return parsed;
  const { settings } = parsed;
  const { namespace, vhost } = settings;
  if (namespace.length > LONGEST_NAMESPACE) return tooLong();
  const scratch: AmqpSettings = { ...settings, namespace: scratchOf(namespace) };
  return {
    ok: true,
    rights: {
      broker: "rabbitmq",
      namespace,
      fileOf: (logins, parts) => ({
        broker: "rabbitmq",
        definitions: amqpDefinitions({ vhost, namespace, scratch: scratch.namespace }, logins, queuesOf(parts)),
      }),
      urlFor: (login) => withLogin(url, login),
      async setUp(parts) {
        const { setUpAmqp } = await import("./amqp/set-up.ts");
        await setUpAmqp(settings, queuesOf(parts));
      },
      async openScratch(parts) {
        const { removeAmqp, setUpAmqp } = await import("./amqp/set-up.ts");
        const remove = (): Promise<void> => removeAmqp(scratch, queuesOf(parts), []);
        // An interrupted try may have left queues behind, and they would distort the result of this one.
        await remove();
        await setUpAmqp(scratch, queuesOf(parts), []);
        return remove;
      },
      async tryRights(rights, parts) {
        const { tryAmqpRights } = await import("./amqp/try-rights.ts");
        return tryAmqpRights(scratch, rights, { queues: queuesOf(parts), broadcasts: broadcastsOf(parts) });
      },
    },
  };
}

function ofNats(url: string): ReadBrokerRights {
  const parsed = parseNatsUrl(url);
  if (!parsed.ok) return parsed;
  const { settings } = parsed;
  const { namespace } = settings;
  if (namespace.length > LONGEST_NAMESPACE) return tooLong();
  const scratch: NatsSettings = { ...settings, namespace: scratchOf(namespace), maxBytes: SCRATCH_BYTES };
  return {
    ok: true,
    rights: {
      broker: "nats",
      namespace,
      fileOf: (logins) => ({ broker: "nats", configuration: natsAuthorization({ namespace, scratch: scratch.namespace }, logins) }),
      urlFor: (login) => withLogin(url, login),
      async setUp(parts) {
        const { setUpNats } = await import("./nats/set-up.ts");
        await setUpNats(settings, queuesOf(parts));
      },
      async openScratch(parts) {
        const { removeNats, setUpNats } = await import("./nats/set-up.ts");
        await removeNats(scratch);
        await setUpNats(scratch, queuesOf(parts));
        return () => removeNats(scratch);
      },
      async tryRights(rights, parts, others) {
        const { tryNatsRights } = await import("./nats/try-rights.ts");
        return tryNatsRights(scratch, rights, { queues: queuesOf(parts), broadcasts: broadcastsOf(parts), others });
      },
    },
  };
}

const LONGEST_NAMESPACE = 30;
const SCRATCH_BYTES = 1024 * 1024;

function scratchOf(namespace: string): string {
  return `${namespace}-check`;
}

function tooLong(): ReadBrokerRights {
  return {
    ok: false,
    reason: `BUS_URL has a namespace over ${LONGEST_NAMESPACE} characters, which leaves no room for the one in which rights are tried.`,
  };
}

/**
 * Returns the URL with another login. The URL may list several servers, separated by commas, which no URL parser accepts. The login precedes
 * the first server.
 */
function withLogin(url: string, { user, password }: { readonly user: string; readonly password: string }): string {
  const [, scheme = "", address = ""] = /^([a-z]+:\/\/)(?:[^/?#@,]*@)?(.*)$/i.exec(url) ?? [];
  if (scheme === "") throw new BusUnavailable("BUS_URL is not a URL.");
  return `${scheme}${encodeURIComponent(user)}:${encodeURIComponent(password)}@${address}`;
}
