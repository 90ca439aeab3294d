import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Apart } from "@toolbus/all-in-one";
import { Webhook } from "standardwebhooks";

/** One request that decides an approval. A repeat sends the same bytes. */
export interface Sent {
  readonly kind: "approve" | "deny" | "edit" | "webhook";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
export interface Answered {
  readonly status: number;
  readonly text: string;
}
export type Seen = Readonly<Record<string, unknown>>;

/** How long people have to decide about a write in a hurry. The write has to reach its approvers in this time, even just after a restart. */
const EXPIRY_MS = 5000;
const SECOND = "key-of-the-second-approver";
const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const REQUEST_MS = 5000;
const DEADLINE_MS = 60_000;

/**
 * Writes the files of approvals and returns the settings that name them. People have an hour to decide about a report of severity low. About any other
 * report they have so little time that a test can race against its end.
 */
export async function racingSettings(at: (name: string) => string): Promise<Readonly<Record<string, string>>> {
  const source = { name: "chat", secrets: [SECRET], tenant: "local", tiers: ["high"], approvers: { U1: "cleo" } };
  const low = { required: ["severity"], properties: { severity: { const: "low" } } };
  const policy = { version: 1, rules: [{ name: "unhurried", tools: ["file_risk_report"], when: low, needs: { expires: "1h" } }] };
  await writeFile(at("hooks.json"), JSON.stringify({ sources: [source] }), { mode: 0o600 });
  await writeFile(at("policy.yaml"), JSON.stringify(policy));
  return {
    DECISION_HOOKS_FILE: at("hooks.json"),
    APPROVAL_POLICY_FILE: at("policy.yaml"),
    APPROVAL_EXPIRY_MS: String(EXPIRY_MS),
    DECISIONS_PER_MINUTE: "0",
  };
}

/** Returns the approvers of a system: a client that repeats each request until a replica answers, and the races that they run. */
export function racingDecisions({ approvalsUrls, keys }: Pick<Apart, "approvalsUrls" | "keys">) {
  let hooks = 0;
  return {
    decided,
    look: (approvalId: string) => look(approvalId, SECOND),

    /** Adds a second approver to the file of API keys, and waits until every replica has read it. */
    async addApprover(): Promise<void> {
      const entries = JSON.parse(await readFile(keys.approvalsKeysFile, "utf8")) as { readonly roles: readonly string[] }[];
      const first = entries.find(({ roles }) => roles.includes("approver"));
      const sha256 = createHash("sha256").update(SECOND).digest("hex");
      await writeFile(keys.approvalsKeysFile, JSON.stringify([...entries, { ...first, id: "second", principal: "second", sha256 }]));
      // Each replica reads the file again within two seconds, so each one is asked until it knows the key.
      for (const url of approvalsUrls)
        await patiently("a replica that knows the second approver", async (other) =>
          other === url && (await fetch(`${url}/v1/approvals`, sentBy(SECOND))).ok ? true : null,
        );
    },

    /** Returns the races that may decide a pending approval, with the time at which it expires. */
    async racesOf(approvalId: string, editedFinding: string) {
      const seen = await look(approvalId, keys.approver);
      const other = await look(approvalId, SECOND);
      const path = `/v1/approvals/${approvalId}/decision`;
      const by = (kind: Sent["kind"], key: string, token: unknown, more: object): Sent => ({
        kind,
        path,
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ token, argumentsHash: seen["argumentsHash"], ...more }),
      });
      const approve = by("approve", keys.approver, seen["decisionToken"], { decision: "approve" });
      const deny = by("deny", SECOND, other["decisionToken"], { decision: "deny" });
      const edited = { ...(seen["arguments"] as object), findings: [editedFinding] };
      const edit = by("edit", SECOND, other["decisionToken"], { decision: "approve", arguments: edited });
      const [approveHook, denyHook] = [
        hook({ approval: approvalId, decision: "approve" }),
        hook({ approval: approvalId, decision: "deny" }),
      ];
      const races: readonly (readonly Sent[])[] = [
        [approve, deny],
        [approve, edit],
        [approve, approve],
        [deny, deny],
        [edit, edit],
        [approveHook, approveHook, deny],
        [denyHook, approve, denyHook],
      ];
      return { races, expiresAt: Number(seen["expiresAt"]) };
    },

    /** Waits until an approval has ended, and returns it. */
    async endOf(approvalId: string): Promise<Seen> {
      return patiently(`the end of ${approvalId}`, async () => {
        const seen = await look(approvalId, SECOND);
        return seen["status"] === "pending" ? null : seen;
      });
    },
  };

  /** Returns a signed request of the chat. */
  function hook(decision: object): Sent {
    const [body, id, at] = [JSON.stringify({ ...decision, approver: "U1" }), `msg-${++hooks}`, new Date()];
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(SECRET).sign(id, at, body),
    };
    return { kind: "webhook", path: "/v1/hooks/chat", headers, body };
  }

  /** Sends a decision until a replica answers, as a person's client and a sender of webhooks do. */
  async function decided({ kind, path, headers, body }: Sent): Promise<Answered> {
    return patiently(`an answer to ${kind} at ${path}`, async (url) => {
      const signal = AbortSignal.timeout(REQUEST_MS);
      const response = await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
        signal,
      });
      return response.status < 500 ? { status: response.status, text: await response.text() } : null;
    });
  }

  async function look(approvalId: string, key: string): Promise<Seen> {
    return patiently(`the approval ${approvalId}`, async (url) => {
      const response = await fetch(`${url}/v1/approvals/${approvalId}`, sentBy(key));
      return response.ok ? ((await response.json()) as Seen) : null;
    });
  }

  async function patiently<T>(what: string, attempt: (url: string) => Promise<T | null>): Promise<T> {
    const late = AbortSignal.timeout(DEADLINE_MS);
    for (let n = 0; !late.aborted; n++) {
      const value = await attempt(approvalsUrls[n % approvalsUrls.length] ?? "").catch(() => null);
      if (value !== null) return value;
      await pause(20);
    }
    throw new Error(`Waited ${DEADLINE_MS / 1000} s for ${what}.`);
  }
}

function sentBy(key: string): RequestInit {
  return { headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(REQUEST_MS) };
}
