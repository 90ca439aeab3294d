import type { RunRecord } from "@toolbus/contracts";
import type { ToolOffers } from "../tool-offers.ts";

/** Finds the tools that calls name in their arguments as the run found them. The registry of that time is gone, so the calls of the log say it. */
export function findRecorded({ calls, tools }: Pick<RunRecord, "calls" | "tools">): ToolOffers["find"] {
  return (_profile, { now }, { service, tool }) => {
    const named = calls.find((call) => call.via !== undefined && (call.toolName === tool || call.toolName.endsWith(`_${tool}`)));
    const definition = named && tools.find(({ hash }) => hash === named.toolHash);
    if (named && definition) {
      const isUsable = named.dispatch > 0 || named.approvalId !== undefined || named.result?.error?.code !== "tool_not_found";
      return Promise.resolve({ kind: isUsable ? "usable" : "withheld", tool: { ...definition, registeredAt: 0, lastSeenAt: now } });
    }
    const message = calls
      .map(({ result }) => result?.error?.message ?? "")
      .find((said) => said.includes(`${JSON.stringify(tool)} of ${JSON.stringify(service)}`));
    const nearest = /The nearest are: (.*)\.$/.exec(message ?? "")?.[1]?.split(", ") ?? [];
    return Promise.resolve({ kind: "none", nearest });
  };
}
