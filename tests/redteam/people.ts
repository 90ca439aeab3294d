import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { ApiKey, Role } from "@toolbus/contracts";

/** Everybody who has a key for the gateway or approvals, by role. */
export interface People {
  /** Asks for writes at the gateway. */
  readonly rita: string;
  /** A user of Rita's tenant, with only the right to read. */
  readonly reader: string;
  /** May only ask for one low write of the toolset. */
  readonly clerk: string;
  /** A user of another tenant. */
  readonly foreigner: string;
  /** May approve everything. */
  readonly amy: string;
  readonly ben: string;
  /** Rita's own key at approvals. */
  readonly ritaApproving: string;
  /** An approver of another tenant. */
  readonly foreignApprover: string;
  /** May only approve low writes. */
  readonly junior: string;
  /** Enables and disables tools and raises the era, but decides nothing. */
  readonly operator: string;
}

export interface KeyFiles {
  readonly people: People;
  readonly gatewayKeysFile: string;
  readonly approvalsKeysFile: string;
}

const GATEWAY = {
  rita: ["rita", "acme", ["user"], ["tools:read", "tools:write"]],
  reader: ["reader", "acme", ["user"], ["tools:read"]],
  clerk: ["clerk", "acme", ["user"], ["tools:read", "tools:write"], ["payments/post_notice"]],
  foreigner: ["fred", "globex", ["user"], ["tools:read", "tools:write"]],
} as const satisfies Record<string, Row>;

const APPROVALS = {
  amy: ["amy", "acme", ["approver"], ["approve:*"]],
  ben: ["ben", "acme", ["approver"], ["approve:*"]],
  ritaApproving: ["rita", "acme", ["approver"], ["approve:*"]],
  foreignApprover: ["gert", "globex", ["approver"], ["approve:*"]],
  junior: ["jun", "acme", ["approver"], ["approve:low"]],
  operator: ["olga", "acme", ["operator"], []],
} as const satisfies Record<string, Row>;

type Row = readonly [principal: string, tenant: string, roles: readonly Role[], scopes: readonly string[], tools?: readonly string[]];

/** Makes the keys of all people, and writes the files with the keys' hashes into this folder. */
export async function peopleIn(folder: string): Promise<KeyFiles> {
  const files = { gatewayKeysFile: path.join(folder, "callers.json"), approvalsKeysFile: path.join(folder, "approvers.json") };
  const gateway = keysOf(GATEWAY);
  const approvals = keysOf(APPROVALS);
  await writeFile(files.gatewayKeysFile, JSON.stringify(gateway.file), { mode: 0o600 });
  await writeFile(files.approvalsKeysFile, JSON.stringify(approvals.file), { mode: 0o600 });
  return { ...files, people: { ...gateway.secrets, ...approvals.secrets } };
}

function keysOf<Name extends string>(rows: Readonly<Record<Name, Row>>) {
  const secrets = {} as Record<Name, string>;
  const file = (Object.entries(rows) as [Name, Row][]).map(([id, [principal, tenant, roles, scopes, tools]]): ApiKey => {
    secrets[id] = `tb_${id.toLowerCase()}_${randomBytes(18).toString("base64url")}`;
    const sha256 = createHash("sha256").update(secrets[id]).digest("hex");
    return { id, sha256, principal, tenant, roles: [...roles], scopes: [...scopes], ...(tools ? { tools: [...tools] } : {}) };
  });
  return { secrets, file };
}
