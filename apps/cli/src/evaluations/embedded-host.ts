import {
  type AllInOne,
  type AnsweredToolsets,
  answeredToolsets,
  modelEnvironment,
  SHIPPED_TOOLSETS,
  shippedTools,
  startAllInOne,
} from "@toolbus/all-in-one";
import { GUIDES } from "@toolbus/contracts";
import { type Scenario, type ScenarioHost, scriptedModel, type Suite, type Variant } from "@toolbus/evals";
import { client } from "../http/client.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { type Approvers, decideAsScripted } from "./decide-as-scripted.ts";
import { followTrial } from "./follow-trial.ts";
import { type ScratchFolder, scratchFolder } from "./scratch-folder.ts";
import { type ScratchSystem, scratchSystem } from "./scratch-system.ts";
import { suitePolicy } from "./suite-policy.ts";
import { runOfCall, type TrialBook, trialBook } from "./trial-book.ts";
import { writeProfiles } from "./variant-profiles.ts";

export interface EmbeddedHostOptions {
  readonly suite: Suite;
  readonly variant: Variant;
  /** The environment, of which only the settings of the model and of profiles are used. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly newId: () => string;
  readonly signal: AbortSignal;
}

/**
 * Starts every service in this process for the scenarios of one variant, with its state in memory. Fixtures answer each tool, so no call reaches a
 * target. Approvals, grants, policies and the ledger are the real ones. Only the model of the settings is asked over the network, if one is configured.
 * Throws a Failure if the system cannot start.
 */
export async function embeddedHost(options: EmbeddedHostOptions): Promise<ScenarioHost> {
  const folder = await scratchFolder();
  try {
    return await hostIn(folder, options);
  } catch (error) {
    await folder.remove();
    if (error instanceof Failure || options.signal.aborted || !(error instanceof Error)) throw error;
    // The suite or the settings are at fault: a definition of a tool that cannot work, a profile or a model that cannot be used.
    if (error instanceof TypeError || "code" in error || error.name === "Refusal")
      throw new Failure(EXIT.failed, error.message, { cause: error });
    throw error;
  }
}

async function hostIn(folder: ScratchFolder, { suite, variant, env, newId, signal }: EmbeddedHostOptions): Promise<ScenarioHost> {
  const policy = await suitePolicy(suite.policyFile, folder.path);
  const { data, profiles, approvers } = await scratchSystem(folder.path, policy.groups);
  await writeProfiles(profiles, { scenarios: suite.scenarios, from: suite.profilesFolder ?? (env["PROFILES_DIR"] || null), variant });
  const book = trialBook();
  let asked = "";
  const system = await startAllInOne({
    directory: data,
    env: {
      ...modelEnvironment(env),
      ...SETTINGS,
      ...policy.env,
      LOG_LEVEL: env["LOG_LEVEL"] || "error",
      LOG_FORMAT: env["LOG_FORMAT"] || "text",
      PROFILES_DIR: profiles,
    },
    toolsets: answeredToolsets({
      shipped: toolsetsFor(suite.scenarios),
      definitions: suite.tools,
      descriptions: variant.descriptions ?? {},
      answer: answerFrom(book),
    }),
    wrapModel(model) {
      // The model of the settings is the first one. Those of profiles follow.
      asked ||= `${model.name} ${model.model}`;
      return scriptedModel(model, async (runId, until) => (await book.of(runId, until))?.turns ?? null);
    },
    signal,
  });
  return {
    model: suite.scenarios.every(({ turns }) => turns !== null)
      ? "scripted turns"
      : variant.model
        ? `${variant.model.provider} ${variant.model.name}`
        : asked,
    ...runner(system, approvers, { book, newId }),
    async stop() {
      await system.stop();
      await folder.remove();
    },
  };
}

/** Nothing outlives the evaluation, and the limits of a production system would only make trials wait. */
const SETTINGS = {
  STATE_URL: "memory:",
  GATEWAY_PORT: "0",
  APPROVALS_PORT: "0",
  // The toolset that has no tools. All others are in the answered toolsets.
  TOOLSETS: "operations",
  TOOL_LIMITS: "*.callsPerMinute=0",
  RUNS_PER_PRINCIPAL: "0",
  RUNS_PER_MINUTE: "0",
  CONVERSATIONS_PER_MINUTE: "0",
  ACTIONS_PER_MINUTE: "0",
  DECISIONS_PER_MINUTE: "0",
  SSE_PER_PRINCIPAL: "10000",
} as const;

function runner(
  { gatewayUrl, approvalsUrl, keys }: AllInOne,
  [first, second]: ScratchSystem["approvers"],
  { book, newId }: { readonly book: TrialBook } & Pick<EmbeddedHostOptions, "newId">,
): Pick<ScenarioHost, "run"> {
  const gateway = client({ url: gatewayUrl, service: "gateway", key: keys.user });
  const approver = (key: string) => client({ url: approvalsUrl, service: "approvals", key });
  const approvers: Approvers = [approver(first), approver(second)];
  return {
    run(assignment, signal) {
      const { scenario } = assignment;
      const trial = book.open(assignment);
      return followTrial(
        scenario,
        {
          gateway,
          newId,
          onRun: (runId, rounds) => book.enter(runId, { ...trial, turns: trial.turns?.slice(rounds) ?? null }),
          decide: decideAsScripted(scenario, approvers),
        },
        signal,
      );
    },
  };
}

function answerFrom(book: TrialBook): AnsweredToolsets["answer"] {
  return async ({ signal, ...call }) => {
    const trial = await book.of(runOfCall(call.callId), signal);
    return trial?.answers(call) ?? { kind: "error", code: "not_recorded", message: "No scenario waits for this run. Nothing was called." };
  };
}

/** Returns the toolsets whose tools are served. The guides are served only to scenarios that name them, because nobody could read a guide otherwise. */
function toolsetsFor(scenarios: readonly Scenario[]): readonly string[] {
  const named = new Set(
    scenarios.flatMap(({ fixtures, turns }) => [
      ...Object.keys(fixtures),
      ...(turns ?? []).flatMap(({ calls }) => calls.map(({ tool }) => tool)),
    ]),
  );
  return SHIPPED_TOOLSETS.filter((name) => name !== GUIDES || (shippedTools(name) ?? []).some(({ name: tool }) => named.has(tool)));
}
