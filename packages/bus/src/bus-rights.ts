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
  /** Four bytes for the hash of its password; NATS does not use them. */
  readonly salt: Uint8Array;
  /** What it may do; `setup` makes queues and streams and uses none, `admin` operates the server. */
  readonly rights: TopicRights | "setup" | "admin";
}

/** What the broker's operator gives it, so that each login may do its own work and nothing else. */
export type BusRightsFile =
  | { readonly broker: "rabbitmq"; readonly definitions: AmqpDefinitions }
  | { readonly broker: "nats"; readonly configuration: string };

/** The broker of a bus, as far as logins are concerned. */
export interface BrokerRights {
  readonly broker: "rabbitmq" | "nats";
  /** The prefix of users, queues and subjects of this bus. */
  readonly namespace: string;
  fileOf(logins: readonly BusLogin[], parts: DeploymentParts): BusRightsFile;
  /** The URL of the bus with another login. */
  urlFor(login: { readonly user: string; readonly password: string }): string;
  /** Makes what services need there, with the login of the URL. It can be repeated. Rejects with `BusUnavailable`. */
  setUp(parts: DeploymentParts): Promise<void>;
  /** Makes the scratch namespace, in which the same logins have the same rights, with the login of the URL; returns a function that removes it again. */
  openScratch(parts: DeploymentParts): Promise<() => Promise<void>>;
  /** Tries there everything that the URL's login may do, and everything that it may not. `others` are the users whose replies it must not hear. */
  tryRights(rights: TopicRights, parts: DeploymentParts, others: readonly string[]): Promise<readonly TriedRight[]>;
}

/** A refusal is one sentence without credentials that begins with BUS_URL. */
export type ReadBrokerRights = { readonly ok: true; readonly rights: BrokerRights } | { readonly ok: false; readonly reason: string };

/** Reads it from the URL of a bus. Asks no broker. */
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

/** Every topic that is announced in such a deployment. */
function broadcastsOf({ agents }: DeploymentParts): readonly string[] {
  return [topics.toolCancel, topics.toolAnnounce, topics.toolRefresh, ...agents.map(topics.progress)];
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
        // The remains of an interrupted try would count as its own.
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

/** Several servers may follow each other, separated by commas, which no URL parser accepts; the login precedes the first. */
function withLogin(url: string, { user, password }: { readonly user: string; readonly password: string }): string {
  const [, scheme = "", address = ""] = /^([a-z]+:\/\/)(?:[^/?#@,]*@)?(.*)$/i.exec(url) ?? [];
  if (scheme === "") throw new BusUnavailable("BUS_URL is not a URL.");
  return `${scheme}${encodeURIComponent(user)}:${encodeURIComponent(password)}@${address}`;
}
