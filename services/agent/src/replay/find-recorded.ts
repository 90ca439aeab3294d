import { findService, findTool, type RunRecord, serviceIdOf } from "@toolbus/contracts";
import type { ToolOffers } from "../tool-offers.ts";

/**
 * Finds the tools that calls name in their arguments as the run found them. The registry of that time is gone, so the calls of the log say it. The names
 * are compared as the registry compares them, because a model may write them in another case and with other separators.
 */
export function findRecorded({ calls, tools }: Pick<RunRecord, "calls" | "tools">): ToolOffers["find"] {
  const byName = calls.filter(({ via }) => via !== undefined);
  const named = tools.filter(({ hash }) => byName.some(({ toolHash }) => toolHash === hash));
  const services = [...Map.groupBy(named, serviceIdOf)].map(([id, own]) => ({ id, tools: own }));
  return (_profile, { now }, asked) => {
    const service = findService(services, asked.service);
    const definition = service && findTool(service, asked.tool);
    const call = definition && byName.find(({ toolHash }) => toolHash === definition.hash);
    if (call) {
      const isUsable = call.dispatch > 0 || call.approvalId !== undefined || call.result?.error?.code !== "tool_not_found";
      return Promise.resolve({ kind: isUsable ? "usable" : "withheld", tool: { ...definition, registeredAt: 0, lastSeenAt: now } });
    }
    const message = calls
      .map(({ result }) => result?.error?.message ?? "")
      .find((said) => said.includes(`${JSON.stringify(asked.tool)} of ${JSON.stringify(asked.service)}`));
    const nearest = /The nearest are: (.*)\.$/.exec(message ?? "")?.[1]?.split(", ") ?? [];
    return Promise.resolve({ kind: "none", nearest });
  };
}
