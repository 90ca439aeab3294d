import type { StopReason } from "../model-provider.ts";
import type { DialectName } from "../schema/dialect.ts";
import type { TokenFamily } from "../tokens/token-family.ts";
import type { Remedies } from "./vendor-error.ts";

/** The properties in which a vendor of OpenAI's chat completions differs from the others. */
export interface ChatVendor {
  readonly name: string;
  /** The mark of the vendor's turns in the transcript. */
  readonly api: string;
  readonly dialect: DialectName;
  readonly tokens: TokenFamily;
  /** The base address, including the version, as in `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The member for the maximum length of a reply. */
  readonly lengthMember: "max_tokens" | "max_completion_tokens";
  /** False if the vendor has no option for the choice among tools. The adapter then sends no tools for the choice `none`. */
  readonly toolChoice: boolean;
  /** False if the vendor has no option for one call at a time. */
  readonly parallelCalls: boolean;
  /** The members of a turn, in addition to text and calls, that later requests must contain unchanged. */
  readonly keeps: readonly ("reasoning" | "reasoning_content" | "reasoning_details")[];
  /** The values of `finish_reason` that OpenAI does not have. Null means that the server gave up. */
  readonly endings: Readonly<Record<string, StopReason | null>>;
  readonly remedies: Remedies;
}
