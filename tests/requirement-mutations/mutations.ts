import type { Mutations } from "./mutation.ts";
import { busMutations } from "./areas/bus.ts";
import { registryMutations } from "./areas/registry.ts";
import { executorMutations } from "./areas/executor.ts";
import { chunkingMutations } from "./areas/chunking.ts";
import { approvalsMutations } from "./areas/approvals.ts";
import { errorsMutations } from "./areas/errors.ts";
import { loopMutations } from "./areas/loop.ts";
import { providersMutations } from "./areas/providers.ts";
import { contextWindowMutations } from "./areas/context-window.ts";
import { retryMutations } from "./areas/retry.ts";
import { conversationMutations } from "./areas/conversation.ts";
import { releaseConfidenceMutations } from "./areas/release-confidence.ts";
import { observabilityMutations } from "./areas/observability.ts";
import { productionMutations } from "./areas/production.ts";
import { expectationsMutations } from "./areas/expectations.ts";
import { evaluationMutations } from "./areas/evaluation.ts";
import { firstsMutations } from "./areas/firsts.ts";
import { mcpMutations } from "./areas/mcp.ts";

/** One mutation for each met row, by area. Each shows that the row's tests can fail. */
export const mutations: Mutations = {
  ...busMutations,
  ...registryMutations,
  ...executorMutations,
  ...chunkingMutations,
  ...approvalsMutations,
  ...errorsMutations,
  ...loopMutations,
  ...providersMutations,
  ...contextWindowMutations,
  ...retryMutations,
  ...conversationMutations,
  ...releaseConfidenceMutations,
  ...observabilityMutations,
  ...productionMutations,
  ...expectationsMutations,
  ...evaluationMutations,
  ...firstsMutations,
  ...mcpMutations,
};
