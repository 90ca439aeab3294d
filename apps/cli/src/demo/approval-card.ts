/** An approval as `GET /v1/approvals/{id}` shows it to the approver; what the demo reads of it. */
export interface ApprovalCard {
  readonly id: string;
  readonly callId: string;
  readonly correlationId: string;
  readonly status: string;
  readonly tool: string;
  readonly toolVersion: string;
  readonly tier: string;
  readonly effect: string;
  readonly arguments: { readonly [name: string]: unknown } | null;
  readonly requester: string;
  readonly idempotency: { readonly mode: string; readonly inWords: string };
  readonly expiresAt: number;
  readonly decisionToken?: string;
}

/** The card as text: what will be done, to what, for whom; made from what approvals keeps, not from the model's words. */
export function cardLines(card: ApprovalCard, now: number): string[] {
  const minutes = Math.max(0, Math.round((card.expiresAt - now) / 60_000));
  return [
    `${card.effect}`,
    "",
    `tool       ${card.tool}@${card.toolVersion}, a ${card.tier}-tier write`,
    `requester  ${card.requester}`,
    `${card.idempotency.inWords}`,
    `expires    in ${minutes} min`,
    `approval   ${card.id}`,
    "",
    ...Object.entries(card.arguments ?? {}).flatMap(([name, value]) => argumentLines(name, value)),
  ];
}

function argumentLines(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return [`${name}:`, ...value.map((item) => `  - ${shown(item)}`)];
  return [`${name}: ${shown(value)}`];
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
