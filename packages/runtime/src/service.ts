import type { LocalToolsets, MessageBus } from "@toolbus/bus";
import type { Identity, TrustedKeys } from "@toolbus/grants";
import type { StateStore, StoreLosses } from "@toolbus/state";
import type { ClocksToWatch, Log } from "@toolbus/telemetry";
import type { Need } from "./http/health-routes.ts";
import type { Settings, SettingsOf } from "./settings.ts";

/** The infrastructure of every service. `runServices` or a test builds it once per process. */
export interface Infrastructure {
  readonly bus: MessageBus;
  /** The toolsets that this process serves. The agent calls them directly instead of sending a message (decision 0119). If absent, it sends every call. */
  readonly local?: LocalToolsets;
  readonly state: StateStore;
  /** The losses of the store that this process noticed. Absent if the store cannot lose anything. */
  readonly losses?: StoreLosses;
  /** Checks whether the store accepts changes, for every `/readyz` of this process. If absent, each `/readyz` has its own check. */
  readonly storeNeed?: Need;
  readonly log: Log;
  /** The service's own name and signing key. */
  readonly identity: Identity;
  /**
   * Whether all services run in this process, with a bus in memory. Only then may a service make a missing key. Otherwise
   * an operator provides the keys.
   */
  readonly embedded: boolean;
  /** The public keys of all services, by service. They never come from the bus or the store. */
  readonly trusted: TrustedKeys;
  /** The environment of this process, for files that name its variables. Absent in tests without one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Returns cryptographically random bytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** Returns monotonic milliseconds, only for durations inside this process. */
  readonly monotonic: () => number;
  /** Returns the store's time in milliseconds since 1970, extrapolated without a request, for message times and age limits (decision 0043). */
  readonly clock: () => number;
  /** Compares this process's own clock with the store's. Absent in tests that have only one clock. */
  readonly clocks?: ClocksToWatch;
}

/** A running service. */
export interface Service {
  /** Returns the reasons why the service is not ready, in a few words each. Empty if it is ready. */
  readonly unready: () => readonly string[];
  /** Drains the service: it accepts no new work, and it completes or returns pending work. A second call is safe. */
  readonly stop: () => Promise<void>;
}

export interface ServiceDefinition<S extends Settings, R extends Service = Service> {
  readonly name: string;
  readonly settings: S;
  /**
   * Returns the file of the service's signing key, and the names under which this process trusts its public key. The first name is the service's own.
   * If absent, the service signs with a key that nobody else trusts.
   */
  identity?(config: SettingsOf<S>): OwnKeyFile;
  /** Starts the service. Resolves when the service accepts work. */
  start(infrastructure: Infrastructure, config: SettingsOf<S>): Promise<R>;
}

/** The location of a service's signing key. */
export interface OwnKeyFile {
  /** The name of the setting that names the file, for messages. */
  readonly setting: string;
  readonly file: string;
  readonly names: readonly string[];
  /**
   * Those names whose keys in `SERVICE_KEYS_FILE` other processes verify signatures of this key with. If the file has other keys for one of them, the
   * process does not start. Absent for none.
   */
  readonly verifiedAs?: readonly string[];
}

/** Declares a service: its name, its settings and the function that assembles it. */
export function defineService<const S extends Settings, R extends Service>(definition: ServiceDefinition<S, R>): ServiceDefinition<S, R> {
  return definition;
}
