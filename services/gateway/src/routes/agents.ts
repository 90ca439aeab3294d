import { type AgentList, keys, parseProfileList } from "@toolbus/contracts";
import { getRoute, noQuery, type Route } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";
import { CALLERS } from "./callers.ts";
import { recorded, views } from "./documented.ts";

/**
 * Returns the route `GET /v1/agents`. It shows whether the agent that takes the runs of this gateway is alive, and which profiles the agent knows.
 */
export function agentRoutes({ state, config }: Gateway): readonly Route[] {
  return [
    getRoute({
      url: "/v1/agents",
      access: CALLERS,
      docs: {
        operationId: "listAgents",
        tag: "Agents",
        summary: "Shows the agent for the runs of this gateway, and when one of its replicas last sent a heartbeat.",
        description:
          "A replica sends a heartbeat every 30 s. The gateway accepts runs even while no replica is alive, and the runs wait for one.",
        answers: {
          200: {
            says: "The agents.",
            body: views.agents,
            example: recorded.agents,
          },
        },
        problems: [],
      },
      query: noQuery,
      async handle(): Promise<AgentList> {
        const name = config.AGENT_NAME;
        const { now, documents } = await state.read([keys.profiles(name)]);
        const reported = parseProfileList(documents[0]?.value);
        if (!reported.ok) return { asOf: now, agents: [{ name, profiles: [] }] };
        const { profiles, at, seenAt = at } = reported.value;
        return { asOf: now, agents: [{ name, profiles: profiles.map((profile) => profile.name), lastSeenAt: seenAt }] };
      },
    }),
  ];
}
