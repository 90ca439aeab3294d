import { type Answer, askApprover } from "./ask.ts";
import { readApprovalToDecide } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import type { StreamItem } from "../runs/watch-run.ts";
import type { Screen } from "./screen.ts";

/** What the approver was asked and answered; null when nobody was there to answer. */
export interface Decided {
  readonly approvalId: string;
  readonly effect: string;
  readonly arguments: { readonly [name: string]: unknown } | null;
  readonly decision: Answer["decision"] | null;
}

export interface ApproverOptions {
  /** The approvals HTTP API with the approver's own key: the only way to decide, also for --approve. */
  readonly approvals: Client;
  readonly decision: "approve" | "deny" | "ask";
  readonly show: Screen | null;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

export interface Approver {
  onItem(item: StreamItem): void;
  /** Resolves when there is a question and nobody to ask; rejects when a decision could not be made. */
  readonly leftPending: Promise<"pending">;
  decided(): readonly Decided[];
}

/** The demo's second principal: shows each held write and decides it as the approver. */
export function decideApproval(options: ApproverOptions): Approver {
  const { approvals, show } = options;
  const made: Decided[] = [];
  const { promise: leftPending, resolve: leave, reject: fail } = Promise.withResolvers<"pending">();
  // Nobody listens once the run has ended.
  leftPending.catch(() => undefined);
  let question = new AbortController();
  return {
    leftPending,
    decided: () => made,
    onItem(item) {
      if (item.type === "call.held") void decide(item.approvalId).catch(fail);
      // It ended without this approver: it expired, was cancelled, or was decided elsewhere.
      if (item.type === "call.decided") question.abort();
    },
  };

  async function decide(approvalId: string): Promise<void> {
    const path = `/v1/approvals/${encodeURIComponent(approvalId)}`;
    const card = readApprovalToDecide(await approvals.get(path));
    if (card.status !== "pending" || !card.decisionToken) return;
    show?.card(card, Date.now());
    const answer = await answerFor();
    const record = { approvalId, effect: card.effect, arguments: card.arguments };
    if (answer === "ended") return;
    if (answer === null) {
      made.push({ ...record, decision: null });
      return leave("pending");
    }
    made.push({ ...record, decision: answer.decision });
    try {
      await approvals.post(`${path}/decision`, { ...answer, token: card.decisionToken });
    } catch (error) {
      // It was decided elsewhere or expired in the meantime: the stream reports how it ended.
      if (!(error instanceof Answered && (error.status === 409 || error.status === 410))) throw error;
    }
  }

  async function answerFor(): Promise<Answer | null | "ended"> {
    const { decision, input, output, signal } = options;
    if (decision !== "ask") return { decision };
    if (!input.isTTY || show === null) return null;
    question = new AbortController();
    try {
      return await askApprover(input, output, AbortSignal.any([question.signal, signal]));
    } catch (error) {
      if (question.signal.aborted || signal.aborted) return "ended";
      throw error;
    }
  }
}
