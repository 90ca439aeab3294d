// This child process runs the all-in-one and kills itself at one point. The point is before an operation, or after it but before anybody sees the
// result. The product's own code does not know about the kill, because this script wraps the store and the bus.
import { writeSync } from "node:fs";
import type { MessageBus } from "@toolbus/bus";
import type { Infrastructure } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { startAllInOne } from "@toolbus/all-in-one";
import type { KillPlan } from "./kill-points.ts";

const plan = JSON.parse(process.env["KILL_PLAN"] ?? "null") as KillPlan | null;

const system = await startAllInOne({ directory: process.env["DATA_DIR"] ?? "", env: process.env, wrap });
writeSync(
  1,
  `ready ${JSON.stringify({ gateway: system.gatewayUrl, approvals: system.approvalsUrl, user: system.keys.user, approver: system.keys.approver })}\n`,
);
process.on("SIGTERM", () => void system.stop().then(() => process.exit(0)));

function wrap(infrastructure: Infrastructure): Infrastructure {
  if (!plan) return infrastructure;
  return { ...infrastructure, state: killingStore(infrastructure.state, plan), bus: killingBus(infrastructure.bus, plan) };
}

function killingStore(store: StateStore, { point, when }: KillPlan): StateStore {
  return new Proxy(store, {
    get(target, name, receiver) {
      if (name === "commit") {
        return async (...args: Parameters<StateStore["commit"]>) => {
          const here = args[1].op.startsWith(`${point}:`);
          if (here && when === "before") die();
          const reply = await target.commit(...args);
          // A change that the store refused is not a step of the run, so it does not count.
          if (here && when === "after" && reply.outcome === "ok") die();
          return reply;
        };
      }
      if (name === "live" && point === "model") {
        return async (...args: Parameters<StateStore["live"]>) => {
          if (when === "before") die();
          await target.live(...args);
          die();
        };
      }
      const value: unknown = Reflect.get(target, name, receiver);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function killingBus(bus: MessageBus, { point, when }: KillPlan): MessageBus {
  if (point !== "publish") return bus;
  return {
    ...bus,
    async publish(message) {
      if (when === "before") die();
      await bus.publish(message);
      die();
    },
  };
}

function die(): never {
  writeSync(1, `hit ${JSON.stringify(plan)}\n`);
  process.kill(process.pid, "SIGKILL");
  // The signal ends this process before the next line runs.
  for (;;);
}
