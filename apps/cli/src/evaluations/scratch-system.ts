import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { localKeys } from "@toolbus/all-in-one";
import type { ApiKey } from "@toolbus/contracts";

/** The folders of a system that lives only as long as an evaluation. */
export interface ScratchSystem {
  readonly data: string;
  readonly profiles: string;
  /** The key of an approver besides the one of the local keys, because a critical write needs two people. */
  readonly secondApprover: string;
}

/** Makes the folders and the keys of a system in an empty folder. */
export async function scratchSystem(folder: string): Promise<ScratchSystem> {
  const [data, profiles] = [path.join(folder, "data"), path.join(folder, "profiles")];
  await mkdir(profiles, { recursive: true });
  const { approvalsKeysFile } = await localKeys(path.join(data, "keys"));
  const secondApprover = `tb_approver_${randomBytes(24).toString("base64url")}`;
  const entry: ApiKey = {
    id: "second-approver",
    sha256: createHash("sha256").update(secondApprover).digest("hex"),
    principal: "approver:second",
    tenant: "local",
    roles: ["approver"],
    scopes: ["approve:*"],
  };
  const known = JSON.parse(await readFile(approvalsKeysFile, "utf8")) as readonly ApiKey[];
  await writeFile(approvalsKeysFile, JSON.stringify([...known, entry]), { mode: 0o600 });
  return { data, profiles, secondApprover };
}
