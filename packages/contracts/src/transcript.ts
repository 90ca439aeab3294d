import type { Json } from "./json.ts";
import type { ContentRef } from "./result.ts";

/**
 * The neutral transcript: one log per conversation, the same for every provider. Adapters convert it into their vendor's shape. Results follow their turn
 * in call index order, not in order of arrival, so a replay is exact.
 */
export interface TranscriptCall {
  /** The id that pairs call and result for the provider. */
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  /** JSON text as the model wrote it, or canonical text once it was parsed. */
  readonly arguments: string;
}

/**
 * A vendor's own payload, kept beside the neutral form: it is sent back unchanged while the same model of the same vendor continues, and ignored when
 * another one takes over. A payload over `VENDOR_INLINE_BYTES` is a blob in the store and read back with the transcript.
 */
export interface VendorTurn {
  /** The wire format, such as `anthropic.messages`: an adapter reads only its own. */
  readonly api: string;
  /** The requested model; thinking that is signed for one model is of no use to another. */
  readonly model: string;
  readonly payload: Json;
}

export type TranscriptEntry =
  | { readonly type: "user"; readonly runId: string; readonly text: string; readonly at: number }
  | {
      readonly type: "assistant";
      readonly runId: string;
      readonly round: number;
      readonly text: string;
      readonly calls: readonly TranscriptCall[];
      readonly at: number;
      /** The model that wrote it; our own code writes a seed turn. */
      readonly provider: string;
      readonly model: string;
      readonly vendor?: VendorTurn;
    }
  | {
      readonly type: "result";
      readonly runId: string;
      readonly round: number;
      readonly id: string;
      readonly callId: string;
      readonly name: string;
      readonly status: string;
      readonly content: string;
      readonly isError: boolean;
      readonly at: number;
      /** If `content` is an index of a result in working memory: its key. */
      readonly indexKey?: string;
    };

type EntryOf<T extends TranscriptEntry["type"]> = Extract<TranscriptEntry, { type: T }>;

/** The largest payload of a vendor's turn that is stored in its entry, in bytes of JSON. */
export const VENDOR_INLINE_BYTES = 12 * 1024;

/** A vendor's turn as it is stored: its payload, or the blob that holds the JSON of a large one. */
export type StoredVendorTurn = VendorTurn | (Omit<VendorTurn, "payload"> & { readonly payloadBlob: string });

/** An entry as the log holds it: anything too large for it is a blob, and of a long result `content` holds only the beginning. */
export type StoredEntry =
  | EntryOf<"user">
  | (Omit<EntryOf<"assistant">, "vendor"> & { readonly vendor?: StoredVendorTurn })
  | (EntryOf<"result"> & { readonly contentRef?: ContentRef });
