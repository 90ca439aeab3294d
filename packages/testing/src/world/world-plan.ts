import type { Prng } from "../clockwork/prng.ts";
import type { FaultRates } from "../ports/faults.ts";
import type { ServiceSettings } from "./deployment.ts";
import type { Habits, Request } from "./persons.ts";
import type { Role } from "./roles.ts";
import type { Script } from "./scripted-model.ts";

/** Everything that distinguishes one simulated world from another before it starts. */
export interface WorldPlan {
  readonly name: string;
  readonly rates: FaultRates;
  readonly latencyMs: { readonly least: number; readonly most: number };
  readonly replicas: Readonly<Record<Role, number>>;
  readonly settings: ServiceSettings;
  readonly habits: Habits;
  /** The requests of people. */
  readonly requests: readonly Request[];
  /** The largest error of a wall clock, in milliseconds. */
  readonly skewMs: number;
  /** The probability that the target of a write has changed when its worker plans it. */
  readonly drifts: number;
  /** How long faults happen, in virtual milliseconds from the start. */
  readonly faultsForMs: number;
  /** How long faults continue after every run has ended, in virtual milliseconds. */
  readonly lingerMs: number;
  /** How long a model thinks, in milliseconds. */
  readonly modelMs: { readonly least: number; readonly most: number };
  readonly script: (random: Prng) => Script;
}
