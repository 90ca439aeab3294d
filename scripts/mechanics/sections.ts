import { agent, agentTransitions } from "@toolbus/agent";
import { approvals, approvalTransitions } from "@toolbus/approvals";
import { gateway } from "@toolbus/gateway";
import { processSettings } from "@toolbus/runtime";
import { toolExecutor } from "@toolbus/tool-executor";
import { ledgerTransitions } from "@toolbus/tool-kit";
import type { Sections } from "../generated-sections.ts";
import { appliedIn, linksOf } from "./applied-in.ts";
import { decisionList, readDecisions } from "./decisions.ts";
import { familyTable, indexTable } from "./families.ts";
import { fixedNumbers, numberTable } from "./fixed-numbers.ts";
import { timingTable } from "./timings.ts";
import { topicTable } from "./topics.ts";
import { transitionTable } from "./transitions.ts";

/** Returns the generated parts of docs/mechanics.md: the rules that the code contains as data. */
export function mechanicsSections(root: string): Sections {
  return {
    families: familyTable(),
    indexes: indexTable(),
    topics: topicTable(),
    "transitions-agent": transitionTable(agentTransitions),
    "transitions-approvals": transitionTable(approvalTransitions),
    "transitions-ledger": transitionTable(ledgerTransitions),
    timings: timingTable(
      [
        { name: "gateway", settings: gateway.settings },
        { name: "agent", settings: agent.settings },
        { name: "approvals", settings: approvals.settings },
        { name: "workers", settings: toolExecutor.settings },
        { name: "every process", settings: processSettings },
      ],
      (setting) => linksOf(root, setting, appliedIn),
    ),
    numbers: numberTable(root, fixedNumbers),
    decisions: decisionList(readDecisions(root)),
  };
}
