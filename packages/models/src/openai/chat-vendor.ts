import type { StopReason } from "../model-provider.ts";
import type { DialectName } from "../schema/dialect.ts";
import type { TokenFamily } from "../tokens/token-family.ts";
import type { Remedies } from "./vendor-error.ts";

/** How one vendor of OpenAI's chat completions differs from the others. */
export interface ChatVendor {
  readonly name: string;
  /** The mark of its turns in the transcript. */
  readonly api: string;
  readonly dialect: DialectName;
  readonly tokens: TokenFamily;
  /** Including the version, as in `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The member for the maximum length of a reply. */
  readonly lengthMember: "max_tokens" | "max_completion_tokens";
  /** False: it has no option for whether to call a tool; for the choice `none` no tools are sent. */
  readonly toolChoice: boolean;
  /** False: it has no option for one call at a time. */
  readonly parallelCalls: boolean;
  /** Members of a turn, besides text and calls, that must be sent back to the model unchanged. */
  readonly keeps: readonly ("reasoning" | "reasoning_content" | "reasoning_details")[];
  /** Endings besides OpenAI's own; null for one that means that the server gave up. */
  readonly endings: Readonly<Record<string, StopReason | null>>;
  readonly remedies: Remedies;
}
