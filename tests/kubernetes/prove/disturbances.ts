import { setTimeout as pause } from "node:timers/promises";
import { kubectl, objects, ready } from "./cluster.ts";

/** What a proof does to the cluster during the load. Returns what it did, in a few words. */
export type Disturbance = () => Promise<string>;

/** The Deployments of Toolbus itself. The release API is the world outside, which counts effects, so it stays. */
export const SERVICES = ["gateway", "agent", "approvals", "worker-release", "worker-operations", "worker-mcp"] as const;

/** Restarts every Deployment of a service, one after the other. */
export async function rollOut(): Promise<string> {
  for (const service of SERVICES) {
    await kubectl("rollout", "restart", `deployment/${service}`);
    await ready(`deployment/${service}`);
  }
  return `rolling restart of ${SERVICES.length} Deployments`;
}

/** Deletes a random pod of a service every ten seconds, without a grace period. */
export function killPods(minutes: number, random: () => number): Disturbance {
  return async () => {
    const until = performance.now() + minutes * 60_000;
    let killed = 0;
    while (performance.now() < until) {
      const pods = await objects("pod", "-l", `app.kubernetes.io/component in (${SERVICES.join(",")})`);
      const alive = pods.filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === "Running");
      const pod = alive[Math.floor(random() * alive.length)];
      if (pod) {
        await kubectl("delete", "pod", pod.metadata.name, "--grace-period=0", "--force", "--wait=false");
        killed++;
      }
      await pause(10_000);
    }
    await ready(...SERVICES.map((service) => `deployment/${service}`));
    if (killed === 0) throw new Error("No pod of a service was running, so none was deleted, and this proves nothing.");
    return `${killed} random pods deleted with grace period 0, one every 10 s`;
  };
}

/** Deletes the broker's pod and then the pod of Redis, each once and without a grace period. */
export function killServers(broker: string): Disturbance {
  return async () => {
    for (const server of [broker, "redis"]) {
      await pause(10_000);
      await kubectl("delete", "pod", `${server}-0`, "--grace-period=0", "--force", "--wait=false");
      await pause(2000);
      await ready(`statefulset/${server}`);
    }
    await ready(...SERVICES.map((service) => `deployment/${service}`));
    return `the pod of ${broker} and the pod of redis deleted once each, with grace period 0`;
  };
}
