import { type Answer, askApprover } from "./ask.ts";
import { readApprovalToDecide } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import type { StreamItem } from "../runs/watch-run.ts";
import type { Screen } from "./screen.ts";

/** One question to the approver, with the answer. The decision is null if nobody could answer. */
export interface Decided {
  readonly approvalId: string;
  readonly effect: string;
  readonly arguments: { readonly [name: string]: unknown } | null;
  readonly decision: Answer["decision"] | null;
}

export interface ApproverOptions {
  /** A client of approvals with the approver's own key. Every decision goes through this client, even with --approve. */
  readonly approvals: Client;
  readonly decision: "approve" | "deny" | "ask";
  readonly show: Screen | null;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

export interface Approver {
  onItem(item: StreamItem): void;
  /** Resolves if a write waits for a decision but there is no keyboard to ask at. Rejects if the approver could not decide because of an error. */
  readonly leftPending: Promise<"pending">;
  decided(): readonly Decided[];
}

/** Acts as the demo's second principal: shows each held write and decides it as the approver. */
export function decideApproval(options: ApproverOptions): Approver {
  const { approvals, show } = options;
  const made: Decided[] = [];
  const { promise: leftPending, resolve: leave, reject: fail } = Promise.withResolvers<"pending">();
  // Nobody awaits this promise after the end of the run, so a later rejection would be unhandled.
  leftPending.catch(() => undefined);
  let question = new AbortController();
  return {
    leftPending,
    decided: () => made,
    onItem(item) {
      if (item.type === "call.held") void decide(item.approvalId).catch(fail);
      // The question is closed: the approval was decided here or elsewhere, expired, or was cancelled.
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
      // The approval was decided elsewhere or expired in the meantime. The stream reports how it ended.
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
