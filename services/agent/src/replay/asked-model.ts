import { ModelError, type ModelProvider, type ModelReply, type ModelRequest } from "@toolbus/models";

/** What the model was asked for one turn. */
export interface AskedTurn {
  readonly round: number;
  readonly request: ModelRequest;
}

/** What the next model call comes to. */
export type NextReply =
  | { readonly kind: "reply"; readonly provider: string; readonly reply: ModelReply; readonly allowedCalls: number }
  | { readonly kind: "fails"; readonly provider: string; readonly code: string; readonly message: string; readonly waitMs: number | null }
  /** The agent may not ask the model, such as without a budget. */
  | { readonly kind: "stopped"; readonly code: string; readonly message: string };

/** A model that says what the log says, and keeps what it was asked. */
export interface AskedModel {
  readonly provider: ModelProvider;
  readonly asked: readonly AskedTurn[];
  readonly next: NextReply | null;
  /** Sets what the next call comes to. With null, the replay does not expect a call. */
  expect(next: NextReply | null): void;
}

/** A replay came to a point that its log does not have. */
export class NotInLog extends Error {
  override readonly name = "NotInLog";
}

/** `live` answers in place of the log if it is given. */
export function askedModel(live?: ModelProvider): AskedModel {
  const asked: AskedTurn[] = [];
  let next: NextReply | null = null;
  return {
    asked,
    get next() {
      return next;
    },
    expect(reply) {
      next = reply;
    },
    provider: {
      get name() {
        return live?.name ?? (next && "provider" in next ? next.provider : "recorded");
      },
      get model() {
        return live?.model ?? (next?.kind === "reply" ? next.reply.model : "recorded");
      },
      dialect: live?.dialect ?? "any",
      capabilities: live?.capabilities ?? CAPABILITIES,
      estimateTokens: (entries, system) => live?.estimateTokens(entries, system) ?? 1,
      async complete(request, context) {
        asked.push({ round: request.run.round ?? 0, request });
        if (live) return live.complete(request, context);
        switch (next?.kind) {
          case "reply":
            return next.reply;
          case "fails":
            throw new RecordedFailure(next.code, next.message, next.waitMs !== null);
          case "stopped":
          case undefined:
            throw new NotInLog("The agent asks the model, and the log has no answer of the model here.");
        }
      },
    },
  };
}

/** The log has what the model was shown in the end, so no limit of the model may shorten anything again. */
const CAPABILITIES = {
  tools: true,
  streaming: false,
  vision: false,
  sampling: true,
  contextTokens: 1_000_000_000,
  maxOutputTokens: 1_000_000,
  resultChars: 1_000_000_000,
} as const;

/** A failed model call with the code and the message of the log. */
class RecordedFailure extends ModelError {
  override readonly name = "RecordedFailure";
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, retryable: boolean) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}
