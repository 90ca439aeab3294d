import type { KeySet } from "@toolbus/grants";
import type { ModelProvider } from "@toolbus/models";
import type { Infrastructure } from "@toolbus/runtime";
import { type DefinitionPace, type NameOwners, readRegistry } from "@toolbus/tool-kit";
import type { AgentConfig } from "../settings.ts";
import { enabledTools } from "./enabled-tools.ts";
import { keepSummaries } from "./keep-summaries.ts";
import { type ServerSummaries, serverSummaries } from "./server-summaries.ts";

/** How often the agent looks for MCP servers whose enabled definitions have changed. */
const EVERY_MS = 30_000;

/** Summaries that are kept current until `stop`. */
export type StartedSummaries = Pick<ServerSummaries, "words"> & { stop(): Promise<void> };

interface SummariesFrom {
  readonly model: ModelProvider;
  readonly approvals: KeySet;
  readonly pace: DefinitionPace;
  readonly owners: NameOwners;
}

/** Starts the summaries of MCP servers by the agent's model, if the settings ask for them. The offline rules write no words. */
export function startSummaries(
  { state, log, monotonic, random }: Pick<Infrastructure, "state" | "log" | "monotonic" | "random">,
  config: Pick<AgentConfig, "SERVER_SUMMARIES" | "SERVER_SUMMARIES_PER_HOUR" | "MODEL_TIMEOUT_MS">,
  { model, approvals, pace, owners }: SummariesFrom,
): StartedSummaries {
  if (config.SERVER_SUMMARIES !== "model" || model.name === "offline") return { words: () => new Map(), stop: async () => undefined };
  const summaries = serverSummaries({
    state,
    enabled: async () => enabledTools({ state, approvals }, await readRegistry(state, log, pace, owners)),
    model,
    log,
    monotonic,
    newId: () => Buffer.from(random(16)).toString("base64url"),
    deadlineMs: config.MODEL_TIMEOUT_MS,
    perHour: config.SERVER_SUMMARIES_PER_HOUR,
  });
  const { stop } = keepSummaries(summaries, { log, everyMs: EVERY_MS });
  return { words: () => summaries.words(), stop };
}
