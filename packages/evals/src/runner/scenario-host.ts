import type { Observation } from "../observation/observation.ts";
import type { Scenario } from "../scenario/scenario.ts";

/** What changes between the variants of an evaluation. An absent field is as the suite and the settings have it. */
export interface Variant {
  readonly name: string;
  /** The profile that replaces that of the scenarios. */
  readonly profile?: string;
  /** The text that replaces the system prompt of the profile. */
  readonly systemPrompt?: string;
  /** Descriptions that replace those of the tools, by name. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** The model that replaces the configured one, such as `anthropic` and `claude-sonnet-5`. */
  readonly model?: { readonly provider: string; readonly name: string };
}

/** One trial that a host has to run. */
export interface Assignment {
  readonly scenario: Scenario;
  readonly repeat: number;
  /** Is called for each run of the trial as soon as its id is known. */
  readonly onRun?: (runId: string) => void;
}

/** Runs scenarios in one variant. */
export interface ScenarioHost {
  /** What is evaluated, such as `offline rules-1`. */
  readonly model: string;
  /**
   * Runs one trial and returns what it did. Several trials may be under way, and none of them sees the fixtures of another. Rejects with one sentence
   * if the trial could not be run, and with the signal's reason once the signal has aborted.
   */
  run(assignment: Assignment, signal: AbortSignal): Promise<Observation>;
  /** Returns one sentence that says where people find a run after its trial. Absent if the runs are gone with the host. */
  readonly lookUp?: (runId: string) => string;
  stop(): Promise<void>;
}
