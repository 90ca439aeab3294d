import type { SlackInteraction, SlackWorkspaceEntry } from "@toolbus/contracts";
import { HttpProblem, type Principal, Refusal, type WebhookPlan } from "@toolbus/runtime";
import { readHooksFile } from "../../decisions/hook-sources.ts";
import { isFresh, isSignedBySlack, type SlackRequest } from "./slack-signature.ts";

/** The workspaces of Slack whose people may decide. */
export type SlackWorkspaces = readonly SlackWorkspaceEntry[];

/** Reads the workspaces from the file of decision hooks. Returns none if no file is named. Throws a `Refusal` that contains no secret. */
export async function readSlackWorkspaces(file: string): Promise<SlackWorkspaces> {
  const workspaces = (await readHooksFile(file))?.slack ?? [];
  if (new Set(workspaces.map(({ workspace }) => workspace)).size < workspaces.length)
    throw new Refusal(`Two entries of slack in ${file} have one workspace; join them.`);
  return workspaces;
}

/** Throws a `Refusal` if a workspace has no target, because nothing could open its dialogs. */
export function refuseMuteWorkspaces(workspaces: SlackWorkspaces, { targets }: Pick<WebhookPlan, "targets">, file: string): void {
  const mute = workspaces.find(({ workspace }) => !targets.some((target) => target.kind === "slack" && target.workspace === workspace));
  if (mute)
    throw new Refusal(
      `The people of the Slack workspace ${mute.workspace} in ${file} may decide, but no target of WEBHOOKS_FILE posts there; add one of kind "slack".`,
    );
}

/**
 * Returns the workspaces whose secret signed this request. The signed time must differ from `nowMs` by at most 5 minutes. Throws the same problem
 * whatever is wrong with the signature.
 */
export function signingWorkspaces(workspaces: SlackWorkspaces, request: SlackRequest, nowMs: number): SlackWorkspaces {
  const signing = workspaces.filter(({ signingSecrets }) => isSignedBySlack(request, signingSecrets));
  if (signing.length === 0)
    throw new HttpProblem("unauthenticated", "The signature is not Slack's over these bytes.", {
      remedy: "Put the signing secret of the app into the file of decision hooks, and let Slack send the request.",
    });
  if (!isFresh(request, nowMs))
    throw new HttpProblem("unauthenticated", "The request was signed more than 5 minutes from now.", {
      remedy: "Set the clock of this machine right, and press the button again.",
    });
  return signing;
}

/** Returns the workspace from which an interaction comes. Throws a problem if the file has no such workspace with this secret. */
export function workspaceOf(signing: SlackWorkspaces, { team, enterprise }: SlackInteraction): SlackWorkspaceEntry {
  const id = team?.id ?? enterprise?.id;
  const found = signing.find(({ workspace }) => workspace === id);
  if (!found)
    throw new HttpProblem("forbidden", "The people of this workspace may not decide.", {
      remedy: "An operator names the workspace in the file of decision hooks.",
    });
  return found;
}

/** Returns the approver to whom a person of the workspace maps, or null. Only the file decides this, never membership of a channel. */
export function slackApprover({ workspace, tenant, tiers, approvers, groups: known }: SlackWorkspaceEntry, user: string): Principal | null {
  const id = Object.hasOwn(approvers, user) ? approvers[user] : undefined;
  if (id === undefined) return null;
  const groups = known !== undefined && Object.hasOwn(known, id) ? known[id] : undefined;
  return {
    id,
    tenant,
    roles: ["approver"],
    scopes: tiers.map((tier) => `approve:${tier}`),
    keyId: `slack:${workspace}`,
    ...(groups === undefined ? {} : { groups }),
  };
}
