import type { JsonObject } from "@toolbus/contracts";
import { type Answer, ask } from "./http.ts";

/** A decision as a person makes it. */
export interface Decided {
  /** The address of the approval. */
  readonly url: string;
  readonly key: string;
  readonly decision: "approve" | "deny";
  readonly ticket?: string | undefined;
}

/**
 * Reads the card of an approval and decides about what it shows. Returns null if the person wants to approve, and no worker has planned the write yet,
 * because nobody can approve the write until then. Returns the card itself if this person may not decide.
 */
export async function decideOnCard({ url, key, decision, ticket }: Decided): Promise<Answer | null> {
  const shown = await ask(url, key);
  const { decisionToken: token, planning, plan } = shown.body;
  if (decision === "approve" && planning === true) return null;
  if (token === undefined) return shown;
  const planHash = (plan as JsonObject | undefined)?.["hash"];
  const more = { ...(ticket === undefined ? {} : { ticket }), ...(planHash === undefined ? {} : { planHash }) };
  return ask(`${url}/decision`, key, { decision, token, ...more });
}
