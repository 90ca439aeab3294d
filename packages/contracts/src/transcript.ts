import type { ArgumentChange } from "./argument-changes.ts";
import type { Json } from "./json.ts";
import type { ContentRef } from "./result.ts";

/**
 * A call in the neutral transcript. Each conversation has one transcript, which is the same for every provider. Adapters convert it into their
 * vendor's format. Results follow their turn in the order of the calls, not in the order of arrival. So a replay is exact.
 */
export interface TranscriptCall {
  /** The id that pairs call and result for the provider. */
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  /** The arguments as the model wrote them, or as canonical JSON text once they were parsed. */
  readonly arguments: string;
  /** The tool that was called, if the arguments name it. `name` and `arguments` are then still those of the model. */
  readonly tool?: string;
}

/**
 * A vendor's own payload for a turn. It is sent back unchanged while the same model of the same vendor continues, and another model ignores it. A
 * payload over `VENDOR_INLINE_BYTES` is stored as a blob and is read back with the transcript.
 */
export interface VendorTurn {
  /** The wire format, such as `anthropic.messages`. An adapter reads only its own format. */
  readonly api: string;
  /** The requested model. Thinking that is signed for one model is useless to another. */
  readonly model: string;
  readonly payload: Json;
}

export type TranscriptEntry =
  | {
      readonly type: "user";
      readonly runId: string;
      readonly text: string;
      readonly at: number;
      /** A note of the agent for the model, such as the services that match the message best. People do not see it. */
      readonly note?: string;
    }
  | {
      readonly type: "assistant";
      readonly runId: string;
      readonly round: number;
      readonly text: string;
      readonly calls: readonly TranscriptCall[];
      readonly at: number;
      /** The provider of the model that wrote the turn. Our own code writes a seed turn. */
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
      /** The key of the index, if `content` is an index of a result in working memory. */
      readonly indexKey?: string;
      /** The arguments that an approver changed before the call was executed. A model reads them before the content. */
      readonly edited?: readonly ArgumentChange[];
    };

type EntryOf<T extends TranscriptEntry["type"]> = Extract<TranscriptEntry, { type: T }>;

/** The largest payload of a vendor's turn that is stored in its entry, in bytes of JSON. */
export const VENDOR_INLINE_BYTES = 12 * 1024;

/** A vendor's turn as it is stored. It contains the payload itself, or names the blob with the JSON of a large payload. */
export type StoredVendorTurn = VendorTurn | (Omit<VendorTurn, "payload"> & { readonly payloadBlob: string });

/**
 * An entry as the log contains it. A part that is too large for the log is stored as a blob. If that part is a long result, `content` contains only
 * its beginning.
 */
export type StoredEntry =
  | EntryOf<"user">
  | (Omit<EntryOf<"assistant">, "vendor"> & { readonly vendor?: StoredVendorTurn })
  | (EntryOf<"result"> & { readonly contentRef?: ContentRef });
