import { randomUUID } from "node:crypto";
import { HOME_SHARD, type Json, type JsonObject, keys, type Message } from "@toolbus/contracts";
import { type Identity, readSigningKeys, signerOf } from "@toolbus/grants";
import type { ServiceAddresses } from "@toolbus/runtime";
import { connectState } from "@toolbus/state";
import { redisClient, type RedisReply } from "../servers/redis-client.ts";
import { type RawBus, rawBus } from "./raw-bus.ts";
import { orRefused } from "./refused-by-server.ts";
import { textOf, valueOf, withLaterVersion, withValue } from "./stored-text.ts";
import type { ServiceKeys, SystemUnderAttack } from "./system.ts";

/** What an attacker has: the login and the key of a service. */
export interface Means {
  /** Sends one command to Redis. Throws `RefusedByServer`. */
  redis(...words: readonly string[]): Promise<RedisReply>;
  readonly addresses: ServiceAddresses;
  /** Returns the identity with which the service signs. */
  readonly identity: () => Promise<Identity>;
  /** Returns the raw text of a document, or null if the document does not exist. Throws `RefusedByServer`. */
  text(key: string): Promise<string | null>;
  /** Returns the content of a document. Throws `RefusedByServer`. */
  look(key: string): Promise<JsonObject>;
  /** Overwrites a document, as any Redis client can. Throws `RefusedByServer`. */
  overwrite(key: string, value: Json): Promise<void>;
  /** Writes the exact text of a document, for example an earlier one. Null removes the document. Throws `RefusedByServer`. */
  putBack(key: string, text: string | null): Promise<void>;
  /** Overwrites a registration, gives it a later version and makes a commit, so that every process reads it at once. Throws `RefusedByServer`. */
  register(key: string, value: Json): Promise<void>;
  /**
   * Makes a commit without an effect in the shard of the registry, as each heartbeat does. Processes read the registry again only after a commit, so without
   * it they may use what they have read before an overwrite for ten seconds. The same is true of a document whose version did not change.
   */
  commitInRegistry(): Promise<void>;
  publish(sent: Message): Promise<void>;
  /** Sends other requests to the broker. Throws `RefusedByServer`. */
  broker<T>(act: (bus: RawBus) => Promise<T>): Promise<T>;
}

/** The logins and the key that an attacker has. Without `keyOf`, the attacker has no key. */
export interface Whose {
  readonly addresses: ServiceAddresses;
  readonly keyOf: keyof ServiceKeys | null;
  readonly service: string;
}

export interface MeansParts {
  readonly system: Pick<SystemUnderAttack, "keyFiles">;
  /** Receives what must be closed at the end of the trial. */
  readonly closing: (() => Promise<void>)[];
  /** Reads a document without the attacker's login. */
  text(key: string): Promise<string | null>;
}

/** Returns what an attacker can do with these logins and this key. */
export function openMeans({ addresses, keyOf, service }: Whose, { system, closing, text: genuineText }: MeansParts): Means {
  let bus: Promise<RawBus> | null = null;
  const redis = async (...words: readonly string[]): Promise<RedisReply> => {
    await using client = await orRefused(redisClient(addresses.stateUrl));
    return await orRefused(client.ask(...words));
  };
  const text = async (key: string): Promise<string | null> => textOf(await redis("GET", key));
  const commitInRegistry = async (): Promise<void> => {
    const state = await connectState(addresses.stateUrl, { clock: Date.now });
    try {
      const change = {
        op: randomUUID(),
        guards: [{ key: keys.profiles(`nobody-${randomUUID()}`), version: 0 }],
        timers: [{ service: "agent", id: randomUUID(), dueIn: null }],
      };
      const { outcome } = await state.commit(HOME_SHARD, change);
      if (outcome !== "ok") throw new Error(`The commit in the shard of the registry was not made: ${outcome}`);
    } finally {
      await state.close();
    }
  };
  const openBus = (): Promise<RawBus> => (bus ??= orRefused(rawBus(addresses.busUrl).then(closed)));
  return {
    addresses,
    redis,
    text,
    async identity() {
      const [key] = keyOf === null ? [] : ((await readSigningKeys({ file: system.keyFiles[keyOf] })) ?? []);
      if (!key) throw new Error(`${service} has no key.`);
      return { service, signer: await signerOf(key) };
    },
    look: async (key) => valueOf(key, await text(key)),
    overwrite: async (key, value) => void (await redis("SET", key, withValue(await genuineText(key), value))),
    putBack: async (key, before) => void (await (before === null ? redis("DEL", key) : redis("SET", key, before))),
    async register(key, value) {
      await redis("SET", key, withLaterVersion(withValue(await genuineText(key), value)));
      await commitInRegistry();
    },
    commitInRegistry,
    publish: async (sent) => orRefused((await openBus()).publish(sent)),
    broker: async (act) => orRefused(act(await openBus())),
  };

  function closed<Client extends AsyncDisposable>(client: Client): Client {
    closing.push(async () => client[Symbol.asyncDispose]());
    return client;
  }
}
