import type { StopReason } from "../model-provider.ts";
import type { DialectName } from "../schema/dialect.ts";
import type { TokenFamily } from "../tokens/token-family.ts";
import type { Remedies } from "./vendor-error.ts";

/** What sets one vendor of OpenAI's chat completions apart from the others. */
export interface ChatVendor {
  readonly name: string;
  /** How its turns are marked in the transcript. */
  readonly api: string;
  readonly dialect: DialectName;
  readonly tokens: TokenFamily;
  /** With the version, as in `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The member that holds the longest reply's length. */
  readonly lengthMember: "max_tokens" | "max_completion_tokens";
  /** False: it cannot be told whether to call; for the choice `none` no tools are sent. */
  readonly toolChoice: boolean;
  /** False: it cannot be told to make one call at a time. */
  readonly parallelCalls: boolean;
  /** Members of a turn, beside text and calls, that must come back to the model as they were. */
  readonly keeps: readonly ("reasoning" | "reasoning_content" | "reasoning_details")[];
  /** Endings beside OpenAI's own; null for one that means that the server gave up. */
  readonly endings: Readonly<Record<string, StopReason | null>>;
  readonly remedies: Remedies;
}
