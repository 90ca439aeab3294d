import { startForOperator } from "@toolbus/all-in-one";
import { client } from "../http/client.ts";
import type { Context } from "../toolbus/context.ts";

/** The two services of a Toolbus that is otherwise stopped. They end when this is disposed of. */
export type StoppedSystem = Pick<Context, "approvals" | "gatewayForOperators"> & AsyncDisposable;

/** Starts approvals and the gateway on the store of a stopped Toolbus, for this command only. Throws a `Refusal` or `StoreRefused`. */
export async function stoppedSystem({ around, signal }: Pick<Context, "around" | "signal">, directory: string): Promise<StoppedSystem> {
  const { approvalsUrl, gatewayUrl, keys, stop } = await startForOperator({ directory, env: around.env, signal });
  return {
    approvals: async () => client({ url: approvalsUrl, service: "approvals", key: keys.approver, signal }),
    gatewayForOperators: async () => client({ url: gatewayUrl, service: "gateway", key: keys.operator, signal }),
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}
