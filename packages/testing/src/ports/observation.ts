import type { BatchDecisionAnswer, Json, JsonObject, Message, Plan, Tier } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";

/** A decision of a batch as the person sent it. */
export interface BatchItem {
  readonly approval: string;
  readonly decision: string;
  readonly token: string;
  readonly argumentsHash: string;
  /** Absent if the write has no plan. */
  readonly planHash?: string;
  readonly ticket?: string;
  /** The tier on the card that the person saw. */
  readonly tier: Tier;
  /** Whether the approval exists and the token is the person's own. */
  readonly isOwn: boolean;
}

/** An event that happened outside the processes. The simulator reports the events in order, and the invariants use nothing else. */
export type Observation =
  /** The store made a change. A repeat that it answered "ok" without doing anything is not a change. */
  | { readonly kind: "commit"; readonly at: number; readonly shard: string; readonly change: Change; readonly commit: number }
  /** Outbox rows were removed. */
  | {
      readonly kind: "settle";
      readonly at: number;
      readonly service: string;
      readonly rows: readonly { readonly shard: string; readonly id: string }[];
    }
  /** A message reached the broker. */
  | { readonly kind: "message"; readonly at: number; readonly id: string; readonly by: string; readonly message: Message }
  /** The target made a change. A repeat that the target recognised by its key is not a change. */
  | { readonly kind: "effect"; readonly at: number; readonly callId: string; readonly tool: string; readonly arguments: Json }
  /** A worker asked the target what a write would change. */
  | { readonly kind: "planned"; readonly at: number; readonly callId: string; readonly plan: Plan }
  /** From now on, the target refuses every attempt at this call. */
  | { readonly kind: "void"; readonly at: number; readonly callId: string }
  /** A person received the answer that this run is accepted. */
  | { readonly kind: "accepted"; readonly at: number; readonly runId: string }
  /** A viewer of this run received this event. */
  | {
      readonly kind: "told";
      readonly at: number;
      readonly runId: string;
      readonly id: string;
      readonly type: string;
      readonly data: string;
    }
  /** Somebody began to watch this run, and will watch it until its end. */
  | { readonly kind: "watches"; readonly at: number; readonly runId: string }
  /** A person sent a decision to approve these arguments instead of those on the card. The decision may be lost. */
  | { readonly kind: "edits"; readonly at: number; readonly approvalId: string; readonly arguments: JsonObject }
  /** A person received this answer to a decision. The answer says that the decision is recorded. */
  | {
      readonly kind: "decided";
      readonly at: number;
      readonly approvalId: string;
      readonly tokenId: string;
      readonly decision: string;
      readonly answer: string;
    }
  /** A person sends a decision about an approval in a request of this many decisions. The request may be lost or repeated. */
  | { readonly kind: "sends"; readonly at: number; readonly approvalId: string; readonly token: string; readonly among: number }
  /** A person received these answers to a batch. The last of the tries was sent at `sentAt`. A repeat of the batch has the same key. */
  | {
      readonly kind: "batch";
      readonly at: number;
      readonly sentAt: number;
      readonly tries: number;
      readonly who: string;
      readonly key: string;
      readonly items: readonly BatchItem[];
      readonly answers: readonly BatchDecisionAnswer[];
    }
  /** A process asked the model, or the model has answered, even if nobody receives the answer. */
  | { readonly kind: "model"; readonly at: number; readonly runId: string; readonly what: "asked" | "answered" }
  /** A process could not start, and exited. */
  | { readonly kind: "crash"; readonly at: number; readonly process: string; readonly error: string }
  /** Something happened that only a bug causes: a TypeError wherever it was caught, an answer 500, an unhandled rejection. */
  | { readonly kind: "fault"; readonly at: number; readonly process: string; readonly error: string };

export type Observe = (observation: Observation) => void;
