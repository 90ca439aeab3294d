import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { localKeys } from "@toolbus/all-in-one";
import type { ApiKey } from "@toolbus/contracts";

/** The folders of a system that lives only as long as an evaluation. */
export interface ScratchSystem {
  readonly data: string;
  readonly profiles: string;
  /** The keys of two different approvers, because a critical write needs two people. */
  readonly approvers: readonly [first: string, second: string];
}

/** Makes the folders and the keys of a system in an empty folder. The approvers are members of all these groups. */
export async function scratchSystem(folder: string, groups: readonly string[]): Promise<ScratchSystem> {
  const [data, profiles] = [path.join(folder, "data"), path.join(folder, "profiles")];
  await mkdir(profiles, { recursive: true });
  const { approvalsKeysFile } = await localKeys(path.join(data, "keys"));
  const [first, second] = [approver("local", groups), approver("second", groups)];
  const known = JSON.parse(await readFile(approvalsKeysFile, "utf8")) as readonly ApiKey[];
  await writeFile(approvalsKeysFile, JSON.stringify([...known, first.entry, second.entry]), { mode: 0o600 });
  return { data, profiles, approvers: [first.key, second.key] };
}

/** Returns a key of an approver without the role of an operator, which the local key of approvals has. */
function approver(name: string, groups: readonly string[]): { readonly key: string; readonly entry: ApiKey } {
  const key = `tb_approver_${randomBytes(24).toString("base64url")}`;
  const entry: ApiKey = {
    id: `scripted-${name}`,
    sha256: createHash("sha256").update(key).digest("hex"),
    principal: `approver:${name}`,
    tenant: "local",
    roles: ["approver"],
    scopes: ["approve:*"],
    groups: [...groups],
  };
  return { key, entry };
}
