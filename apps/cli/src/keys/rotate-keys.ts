import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import { SHARED_TOOLSETS } from "@toolbus/all-in-one";
import { OLD_SEALS_MS } from "@toolbus/contracts";
import { type Rotatable, rotateServiceKeys, serviceKeyFiles } from "@toolbus/runtime";
import { readSeals } from "../http/answers.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";

const DAY_MS = 86_400_000;

export interface RotateOptions {
  readonly finish?: true;
}

/** Performs the next step of the rotation of one service's keys, and says what to roll out before the following step. */
export async function rotateKeys(context: Context, typed: string, given: RotateOptions): Promise<ExitCode> {
  const { options, output } = context;
  const service = serviceOf(typed);
  const finish = given.finish === true;
  const directory = path.join(options.dataDirectory, "keys");
  const files = serviceKeyFiles(directory);
  if ((await stat(files.trusted).catch(() => null)) === null)
    throw new Failure(
      EXIT.failed,
      `There are no keys of services in ${directory}: "${SELF} keys" makes them, --data names another folder.`,
    );
  if (finish && (service === "approvals" || service === "approvals-seals")) await refuseWhileUsed(context);
  const step = await rotateServiceKeys(files, service, { finish, toolsets: SHARED_TOOLSETS, random: randomBytes });
  if (output.json) output.document({ service, step: step ?? "finished" });
  else output.lines(nextOf(service, step));
  return EXIT.ok;
}

/** Throws a Failure while documents are sealed or signed with the old key, or if approvals does not answer. */
async function refuseWhileUsed(context: Context): Promise<void> {
  const service = await context.approvals();
  const { left } = readSeals(await service.get("/v1/seals"));
  if (left === 0) return;
  throw new Failure(
    EXIT.failed,
    `${left} ${left === 1 ? "document carries" : "documents carry"} the old key: run "${SELF} approvals reseal" first, then this again.`,
  );
}

function serviceOf(typed: string): Rotatable {
  if (["gateway", "agent", "approvals", "approvals-seals", "worker"].includes(typed) || /^worker\.[a-z0-9][a-z0-9_-]*$/.test(typed))
    return typed as Rotatable;
  throw new Failure(
    EXIT.usage,
    `"${typed.slice(0, 40)}" has no keys to rotate: name gateway, agent, approvals, approvals-seals, worker or worker.<toolset>.`,
  );
}

function nextOf(service: Rotatable, step: "verifying" | "signing" | null): string[] {
  const again = `${SELF} keys rotate ${service}`;
  const seals = service === "approvals-seals";
  const everybody = seals
    ? "Give the file of seal keys to every replica of approvals"
    : "Give service-keys.json to every service, and its key file to this one";
  switch (step) {
    case "verifying":
      return [
        `The new key of ${service} is known, and the old one is still used.`,
        `${everybody}, restart them one by one, then: ${again}`,
      ];
    case "signing":
      return [
        `The new key of ${service} is used from its next start on; the old one still counts.`,
        `Give the file to every replica of ${seals ? "approvals" : "it"} and restart them one by one, then ${before(service)}: ${again} --finish`,
      ];
    case null:
      return [`The old key of ${service} is gone from its file: roll that out like the earlier steps.`];
  }
}

/** Returns what must finish before somebody may remove the old key. */
function before(service: Rotatable): string {
  const reseal = `run "${SELF} approvals reseal" until none are left`;
  if (service === "approvals") return `${reseal}, and wait for GRANT_TTL_MS, until the grants of the old key have ended`;
  if (service === "approvals-seals")
    return `${reseal}, and wait ${OLD_SEALS_MS / DAY_MS} days for tokens, counts and lists of waiting writes`;
  if (service.startsWith("worker")) return `enable its writes again ("${SELF} tools pending"), wait a day for open calls`;
  return "wait until the runs that began earlier have ended";
}
