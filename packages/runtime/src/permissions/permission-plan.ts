import { brokerRights, type BrokerRights, type BusLogin } from "@toolbus/bus";
import { type DeploymentParts, rightsOf, SET_UP, type ServiceRights } from "@toolbus/contracts";
import { storeRights, StoreRefused, type StoreRightsPlace } from "@toolbus/state";
import { Refusal } from "../refusal.ts";

/** The secrets of one login. */
export interface LoginSecrets {
  readonly bus: string;
  readonly state: string;
  /** Four bytes for the hash of the broker's password, as hexadecimal digits. */
  readonly salt: string;
}

/** The addresses and the parts of a deployment. */
export interface Deployment {
  /** Addresses without logins, with their options. */
  readonly busUrl: string;
  readonly stateUrl: string;
  readonly parts: DeploymentParts;
}

/** The addresses for a service's process, with its login. */
export interface ServiceAddresses {
  readonly busUrl: string;
  readonly stateUrl: string;
}

/** The logins of a deployment: one for each service, one for the setup, and one for the operator of the servers. */
export interface PermissionPlan {
  readonly deployment: Deployment;
  readonly services: readonly ServiceRights[];
  readonly broker: BrokerRights;
  readonly store: StoreRightsPlace;
  /** The names of all logins: those of the services, then the login for the setup and the login of the operator. */
  readonly names: readonly string[];
  /** Returns the name of a login on the servers. */
  userOf(name: string): string;
  /** Returns the addresses with this login. Throws a RangeError for a name without a login. */
  addressesOf(name: string): ServiceAddresses;
  /** Returns the files for the servers. */
  serverFiles(): readonly ServerFile[];
}

/** A file for one of the servers. */
export interface ServerFile {
  readonly server: "redis" | "rabbitmq" | "nats";
  readonly name: string;
  readonly text: string;
  /** Whether it contains passwords. */
  readonly secret: boolean;
}

/** The login of the servers' operator. */
export const ADMIN = "admin";

/** Returns the names of all logins that a deployment needs. */
export function loginNames(parts: DeploymentParts): readonly string[] {
  return [...rightsOf(parts).map(({ service }) => service), SET_UP, ADMIN];
}

/** Returns the plan of a deployment. Throws a `Refusal` for an invalid address, and for a bus or store without logins. */
export function permissionPlan(deployment: Deployment, secrets: Readonly<Record<string, LoginSecrets>>): PermissionPlan {
  const { busUrl, stateUrl, parts } = deployment;
  const services = rightsOf(parts);
  const broker = brokerOf(busUrl);
  const store = storeOf(stateUrl);
  const names = loginNames(parts);
  const userOf = (name: string): string => `${broker.namespace}-${name}`;
  return {
    deployment,
    services,
    broker,
    store,
    names,
    userOf,
    addressesOf: (name) => ({
      busUrl: broker.urlFor({ user: userOf(name), password: secretsOf(name).bus }),
      stateUrl: store.urlFor({ user: userOf(name), password: secretsOf(name).state }),
    }),
    serverFiles() {
      const file = broker.fileOf(names.map(busLogin), parts);
      const users = names.map((name) => ({ user: userOf(name), password: secretsOf(name).state, service: name }));
      return [
        { server: "redis", name: "redis.acl", text: store.fileOf(users, services), secret: false },
        file.broker === "rabbitmq"
          ? { server: "rabbitmq", name: "rabbitmq-definitions.json", text: `${JSON.stringify(file.definitions, null, 1)}\n`, secret: false }
          : { server: "nats", name: "nats.conf", text: file.configuration, secret: true },
      ];
    },
  };

  function secretsOf(name: string): LoginSecrets {
    const found = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    if (!found) throw new RangeError(`There is no login for "${name}".`);
    return found;
  }

  function busLogin(name: string): BusLogin {
    const { bus: password, salt } = secretsOf(name);
    const rights = name === SET_UP || name === ADMIN ? name : services.find(({ service }) => service === name)?.topics;
    if (!rights) throw new RangeError(`There are no rights for "${name}".`);
    return { user: userOf(name), password, salt: Buffer.from(salt, "hex"), rights };
  }
}

/** Returns new secrets for these logins. `random` returns the requested number of random bytes. */
export function newSecrets(names: readonly string[], random: (bytes: number) => Uint8Array): Readonly<Record<string, LoginSecrets>> {
  const password = (): string => Buffer.from(random(PASSWORD_BYTES)).toString("base64url");
  return Object.fromEntries(
    names.map((name) => [name, { bus: password(), state: password(), salt: Buffer.from(random(SALT_BYTES)).toString("hex") }]),
  );
}

const PASSWORD_BYTES = 32;
const SALT_BYTES = 4;

function brokerOf(url: string): BrokerRights {
  const read = brokerRights(url);
  if (read.ok) return read.rights;
  throw new Refusal(read.reason);
}

function storeOf(url: string): StoreRightsPlace {
  try {
    return storeRights(url);
  } catch (error) {
    if (error instanceof StoreRefused) throw new Refusal(error.message);
    throw error;
  }
}
