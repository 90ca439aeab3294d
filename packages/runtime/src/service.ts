import type { MessageBus } from "@toolbus/bus";
import type { Identity, TrustedKeys } from "@toolbus/grants";
import type { StateStore, StoreLosses } from "@toolbus/state";
import type { ClocksToWatch, Log } from "@toolbus/telemetry";
import type { Need } from "./http/health-routes.ts";
import type { Settings, SettingsOf } from "./settings.ts";

/** What every service needs; built once per process by `runServices`, or by a test. */
export interface Infrastructure {
  readonly bus: MessageBus;
  readonly state: StateStore;
  /** The losses of the store that this process noticed; absent if nothing can be lost. */
  readonly losses?: StoreLosses;
  /** Whether the store accepts changes: one check for all of this process's `/readyz`. Absent: each does its own. */
  readonly storeNeed?: Need;
  readonly log: Log;
  /** This service's own name and signing key. */
  readonly identity: Identity;
  /** All services are in this process (the bus is in memory): a missing key may be made. Otherwise keys come from an operator. */
  readonly embedded: boolean;
  /** The public keys of all services: which key belongs to which service. Never from bus or state. */
  readonly trusted: TrustedKeys;
  /** The environment of this process, for files that name its variables; absent in tests that have none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Cryptographically random bytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** Monotonic milliseconds, for durations inside this process only. */
  readonly monotonic: () => number;
  /** The store's time in milliseconds since 1970, as far as it is known without asking, for message times and age limits (decision 0043). */
  readonly clock: () => number;
  /** How this process's own clock and the store's agree; absent in tests that have one clock. */
  readonly clocks?: ClocksToWatch;
}

/** A running service. */
export interface Service {
  /** Why it is not ready, in a few words each; empty if it is. */
  readonly unready: () => readonly string[];
  /** Drains: accepts no new work; pending work ends or is handed back. Safe to call twice. */
  readonly stop: () => Promise<void>;
}

export interface ServiceDefinition<S extends Settings, R extends Service = Service> {
  readonly name: string;
  readonly settings: S;
  /**
   * The file of its signing key, and the names under which its public half is trusted in this process; the first is its own. Absent: it signs with a key
   * that nobody else trusts.
   */
  identity?(config: SettingsOf<S>): OwnKeyFile;
  /** Starts the service; resolves when it accepts work. */
  start(infrastructure: Infrastructure, config: SettingsOf<S>): Promise<R>;
}

/** The location of a service's signing key. */
export interface OwnKeyFile {
  /** The setting that names the file, for messages, and its value. */
  readonly setting: string;
  readonly file: string;
  readonly names: readonly string[];
}

/** Declares a service: its name, its settings and the one place where it is assembled. */
export function defineService<const S extends Settings, R extends Service>(definition: ServiceDefinition<S, R>): ServiceDefinition<S, R> {
  return definition;
}
