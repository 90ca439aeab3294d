import { type AgentList, SEEN_FOR_MS } from "@toolbus/contracts";
import { readAgents, readRunPage, readTools } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeText } from "../terminal/safe-text.ts";
import { type Check, fail, ok } from "./check.ts";
import { findingOf } from "./finding-of.ts";

/** The longest normal wait of a run for an agent. An agent takes a run within a second, or within a few seconds if it has other runs. */
const TAKEN_WITHIN_MS = 15_000;
const LOOKED_AT = 50;

/**
 * Checks whether agents are alive and take runs. An agent may send heartbeats and still take no runs, so this also checks the
 * newest runs of this key.
 */
export function checkAgents(gateway: Client, now: number): Promise<Check> {
  const name = "agents";
  return findingOf(name, async () => {
    const alive = await whoLives(name, gateway);
    if (alive?.level === "fail") return alive;
    const { runs } = readRunPage(await gateway.get(`/v1/runs?limit=${LOOKED_AT}`));
    const accepted = runs.filter(({ status }) => status === "accepted");
    if (accepted.length === 0) return alive ?? ok(name, "no run of this key waits for an agent to take it");
    // The gateway accepts runs by the store's time. If the gateway is older and does not report this time, the check uses this machine's time.
    const { asOf = now } = readTools(await gateway.get("/v1/tools"));
    const waiting = accepted.map(({ runId, createdAt }) => ({ runId, age: asOf - createdAt })).filter(({ age }) => age > TAKEN_WITHIN_MS);
    const [oldest] = waiting.toSorted((a, b) => b.age - a.age);
    if (!oldest) return ok(name, `${count(accepted.length)} to be taken by one, for less than ${spanOf(TAKEN_WITHIN_MS)}`);
    return fail(
      name,
      `${count(waiting.length)} to be taken by an agent, the oldest (${safeText(oldest.runId)}) for ${spanOf(oldest.age)}.`,
      "Start the agent service, or see in its log why it does not take them. Nothing is lost: it takes them when it is back.",
    );
  });
}

/** Checks the agent's last heartbeat. Returns null if the gateway does not report agents. */
async function whoLives(name: string, gateway: Client): Promise<Check | null> {
  const { agents, asOf } = await agentsOf(gateway);
  const [agent] = agents;
  if (!agent) return null;
  const called = safeText(agent.name);
  const fix = "Start the agent service, or see in its log why it does not start. Nothing is lost: its runs wait.";
  if (agent.lastSeenAt === undefined) return fail(name, `No agent "${called}" has ever run, so nobody takes runs.`, fix);
  const age = asOf - agent.lastSeenAt;
  if (age > SEEN_FOR_MS) return fail(name, `No agent "${called}" has sent a heartbeat for ${spanOf(age)}: nobody takes runs.`, fix);
  return ok(name, `"${called}" is alive, seen ${spanOf(Math.max(0, age))} ago; no run of this key waits to be taken`);
}

async function agentsOf(gateway: Client): Promise<AgentList> {
  try {
    return readAgents(await gateway.get("/v1/agents"));
  } catch (error) {
    if (error instanceof Answered && error.status === 404) return { asOf: 0, agents: [] };
    throw error;
  }
}

function count(runs: number): string {
  return runs === 1 ? "1 run waits" : `${runs} runs wait`;
}
