import type { Json, JsonObject, Severity } from "@toolbus/contracts";

/** A suite as it was read and checked. Every path in it was resolved, and every file was read. */
export interface Suite {
  readonly name: string;
  readonly description: string;
  /** A folder of profiles, as `PROFILES_DIR` names one. */
  readonly profilesFolder: string | null;
  /** The policy file of approvals. Null if the tiers decide. */
  readonly policyFile: string | null;
  /** The definitions of tools that only fixtures answer, as the tools file of the suite has them. */
  readonly tools: readonly JsonObject[];
  readonly repeats: number;
  readonly judge: JudgeSettings | null;
  readonly scenarios: readonly Scenario[];
  /** A hash of everything that a result depends on: the scenarios, and the tools, profiles and policy of the suite. */
  readonly hash: string;
  /** A hash of the suite's tools, profiles and policy. They are a part of the agent that is evaluated, so no hash of a scenario has them. */
  readonly agentHash: string;
  /** The hash of each scenario by its id, with its fixtures. Results of scenarios with the same hash can be compared. */
  readonly scenarioHashes: Readonly<Record<string, string>>;
}

/** How the judge of a suite is asked. Absent settings are those of the configured model. */
export interface JudgeSettings {
  readonly votes: number;
  /** The file with labels, with its path resolved. */
  readonly labels?: string;
  readonly provider?: string;
  readonly model?: string;
}

/** What a scenario asks of the agent. */
export type ScenarioInput =
  /** A release by its id, the facts of its change, or both. The facts may have measurements beside them. */
  | {
      readonly kind: "release";
      readonly release?: string;
      readonly changes?: JsonObject;
      readonly measurements?: JsonObject;
      readonly note?: string;
    }
  | { readonly kind: "alert"; readonly alert: JsonObject; readonly note?: string }
  /** The messages of one conversation, one after the other. The last one is the run that is scored. */
  | { readonly kind: "messages"; readonly messages: readonly string[] };

export interface Scenario {
  readonly id: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** The profile of a conversation. An investigation has the profile of its kind. */
  readonly profile: string | null;
  readonly input: ScenarioInput;
  /** The answers of the tools by name. The defaults of the suite are already in it. */
  readonly fixtures: Readonly<Record<string, readonly Fixture[]>>;
  /** How people decide on a write, by the name of its tool. A write that is not named waits, and nobody decides. */
  readonly approvals: Readonly<Record<string, ScriptedDecision>>;
  /** The turns of the model, if the scenario brings them. Otherwise the configured model is asked. */
  readonly turns: readonly ScriptedTurn[] | null;
  readonly timeoutMs: number;
  readonly expect: Expectations;
  readonly rubric: readonly Criterion[];
}

/** One answer of a tool. It answers a call that `when` matches, at most `times` times in a trial. */
export interface Fixture {
  readonly when: Json | null;
  readonly times: number | null;
  readonly answer:
    | { readonly kind: "result"; readonly result: Json }
    /** `code` is one of the table of error codes, or a code of the tool's own domain. */
    | { readonly kind: "error"; readonly code: string; readonly message: string };
}

export const DECISIONS = ["approve", "deny", "revise", "wait"] as const;

export interface ScriptedDecision {
  readonly decide: (typeof DECISIONS)[number];
  readonly comment?: string;
  /** The ticket of an approval. By default it is made from the id of the scenario. */
  readonly ticket?: string;
}

export interface ScriptedTurn {
  readonly text: string;
  readonly calls: readonly { readonly tool: string; readonly arguments: JsonObject }[];
}

/** One question of a rubric. Only the judge answers it. */
export interface Criterion {
  readonly name: string;
  readonly question: string;
}

export interface ExpectedCall {
  readonly tool: string;
  /** A matcher over the arguments. */
  readonly arguments?: Json;
  readonly withinRound?: number;
  readonly status?: string;
}

/** What the deterministic scorers look for. Each key that is present gives at least one score. */
export interface Expectations {
  readonly end?: "completed" | "failed" | "cancelled";
  readonly tools?: {
    readonly called?: readonly ExpectedCall[];
    readonly order?: readonly string[];
    readonly notCalled?: readonly string[];
  };
  readonly severity?: readonly Severity[];
  readonly findings?: {
    readonly include?: readonly string[];
    readonly exclude?: readonly string[];
    readonly grounded?: boolean;
  };
  readonly approvals?: readonly { readonly tool: string; readonly decidedBy: "people" | "policy" }[];
  readonly recovery?: { readonly repeatedCalls: number };
  readonly limits?: {
    readonly rounds?: number;
    readonly toolCalls?: number;
    readonly tokens?: number;
    readonly usd?: number;
    readonly seconds?: number;
  };
  readonly answer?: { readonly includes?: readonly string[]; readonly excludes?: readonly string[]; readonly matches?: string };
}
