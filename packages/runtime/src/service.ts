import type { MessageBus } from "@toolbus/bus";
import type { Identity, TrustedKeys } from "@toolbus/grants";
import type { StateStore, StoreLosses } from "@toolbus/state";
import type { ClocksToWatch, Log } from "@toolbus/telemetry";
import type { Need } from "./http/health-routes.ts";
import type { Settings, SettingsOf } from "./settings.ts";

/** What every service stands on; built once a process by `runServices`, or by a test. */
export interface Infrastructure {
  readonly bus: MessageBus;
  readonly state: StateStore;
  /** What the store has lost, as far as this process noticed; absent where nothing can be lost. */
  readonly losses?: StoreLosses;
  /** Whether the store takes changes: one question for all of this process's `/readyz`. Absent: each asks its own. */
  readonly storeNeed?: Need;
  readonly log: Log;
  /** This service's own name and signing key. */
  readonly identity: Identity;
  /** All services are in this process (the bus is in memory): a key that is not there may be made. Otherwise keys come from an operator. */
  readonly embedded: boolean;
  /** The public keys of all services: whose signature counts as whose. Never from bus or state. */
  readonly trusted: TrustedKeys;
  /** The environment of this process, for files that name variables of it; absent in tests that have none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Cryptographically random bytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** Monotonic milliseconds, for durations inside this process only. */
  readonly monotonic: () => number;
  /** The store's time in milliseconds since 1970, as far as it is known without asking: message times, and what is too old (decision 0043). */
  readonly clock: () => number;
  /** How this process's own clock and the store's agree; absent in tests that have one clock. */
  readonly clocks?: ClocksToWatch;
}

/** A service that runs. */
export interface Service {
  /** Why it is not ready, in a few words each; empty when it is. */
  readonly unready: () => readonly string[];
  /** Drains: no new work, what is under way ends or is handed back. Safe to call twice. */
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
  /** Starts the service; resolves when it takes work. */
  start(infrastructure: Infrastructure, config: SettingsOf<S>): Promise<R>;
}

/** Where a service has its signing key. */
export interface OwnKeyFile {
  /** The setting that names the file, for sentences, and what it says. */
  readonly setting: string;
  readonly file: string;
  readonly names: readonly string[];
}

/** Declares a service: its name, its settings and the one place where it is put together. */
export function defineService<const S extends Settings, R extends Service>(definition: ServiceDefinition<S, R>): ServiceDefinition<S, R> {
  return definition;
}
