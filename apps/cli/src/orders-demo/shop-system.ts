import { createHash, randomBytes } from "node:crypto";
import path from "node:path";
import { startAllInOne } from "@toolbus/all-in-one";
import { type Shop, startShop } from "@toolbus/example-orders-shop";
import { orders, shopAt } from "@toolbus/example-orders-worker";
import { type Client, client } from "../http/client.ts";
import { localHashFileFor, writeHashes } from "../keys/hash-file.ts";

/** The shop and a Toolbus whose agent acts on it, all in this process. */
export interface ShopSystem {
  readonly shop: Shop;
  readonly gateway: Client;
  /** The approvals HTTP API with the key of each approver. The first approver is also an operator. */
  readonly approvers: readonly [Client, Client];
  /** The gateway's HTTP API with the key of an operator. */
  readonly operator: Client;
  /** The public keys of approvals. */
  readonly keysFile: string;
  /** Makes the shop lose its next answer to an effect in this table. The shop calls `onLost` when it has lost the answer. Null cancels this. */
  loseAnswerTo(effect: string | null, onLost: () => void): void;
  /** Changes the address of an order in the shop, as its customer does. */
  changeAddress(order: string, address: { readonly [part: string]: string }, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export interface ShopSystemOptions {
  readonly directory: string;
  /** The file with the policy of the shop. */
  readonly policyFile: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

/** Starts the shop with a new database, and then every service with the toolset of the shop. */
export async function startShopSystem({ directory, policyFile, env, clock, signal }: ShopSystemOptions): Promise<ShopSystem> {
  let losing: { readonly effect: string | null; readonly onLost: () => void } | null = null;
  const losesAnswerTo = (effect: string): boolean => {
    if (losing === null || losing.effect !== effect) return false;
    losing.onLost();
    losing = null;
    return true;
  };
  const shop = await startShop({ directory: path.join(directory, "shop"), reset: true, clock, losesAnswerTo });
  try {
    const second = await addSecondApprover(directory);
    const system = await startAllInOne({
      directory,
      env: { ...env, TOOLSETS: "operations", GATEWAY_PORT: "0", APPROVALS_PORT: "0", APPROVAL_POLICY_FILE: policyFile },
      toolsets: [orders(shopAt(shop.url))],
      signal,
    });
    const { gatewayUrl, approvalsUrl, keys } = system;
    const asUser = (key: string): Client => client({ url: gatewayUrl, service: "gateway", key });
    const asApprover = (key: string): Client => client({ url: approvalsUrl, service: "approvals", key });
    return {
      shop,
      gateway: asUser(keys.user),
      approvers: [asApprover(keys.approver), asApprover(second)],
      operator: asUser(keys.operator),
      keysFile: path.join(directory, "keys", "jwks.json"),
      loseAnswerTo(effect, onLost) {
        losing = { effect, onLost };
      },
      async changeAddress(order, address, changing) {
        const change = { method: "PUT", path: `/orders/${order}/address`, body: address, key: `customer-${order}` } as const;
        await shopAt(shop.url).change(change, changing);
      },
      async stop() {
        await system.stop();
        await shop.stop();
      },
    };
  } catch (error) {
    await shop.stop();
    throw error;
  }
}

/**
 * Gives the hash of a second approver's key to approvals before approvals starts, because a critical write needs two people. The second approver is of
 * the group that the policy of the shop demands. Returns the key.
 */
async function addSecondApprover(directory: string): Promise<string> {
  const key = `tb_approver_${randomBytes(24).toString("base64url")}`;
  const sha256 = createHash("sha256").update(key).digest("hex");
  await writeHashes(localHashFileFor("approver", directory), [
    {
      id: "second-approver",
      sha256,
      principal: "approver:second",
      tenant: "local",
      roles: ["approver"],
      scopes: ["approve:*"],
      groups: ["finance"],
    },
  ]);
  return key;
}
