import { createHash } from "node:crypto";
import { MAX_MEDIA, MEDIA_TYPE, type MediaRef } from "@toolbus/contracts";
import { type Blobs, putBlobRepeatedly } from "@toolbus/state";

/** A picture, a sound or a file that a tool returns beside its text. */
export interface Media {
  /** Such as `image/png`. Anything that is not a media type is kept as `application/octet-stream`. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The media that one attempt of a call returns beside its text. */
export interface ResultMedia {
  /**
   * Keeps the media with the result if the call succeeds. Returns the name of the bytes, `sha256-` and 64 hexadecimal digits, or null if the result
   * already has too many media or bytes. Then nothing is kept, and the text of the result should say so. Never waits and never fails.
   */
  attach(media: Media): string | null;
  /** Returns whether there are any media. */
  any(): boolean;
  /** Stores the media, and returns the references for the result. Throws `StoreUnavailable`. */
  stored(blobs: Blobs): Promise<readonly MediaRef[]>;
}

/** Collects media of at most `maxBytes` together. */
export function resultMedia(maxBytes: number): ResultMedia {
  const kept = new Map<string, Media>();
  let total = 0;
  return {
    attach({ mediaType, bytes }) {
      const blob = `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
      if (kept.has(blob)) return blob;
      if (kept.size >= MAX_MEDIA || total + bytes.length > maxBytes) return null;
      total += bytes.length;
      kept.set(blob, { mediaType: TYPE.test(mediaType) ? mediaType.toLowerCase() : "application/octet-stream", bytes });
      return blob;
    },
    any: () => kept.size > 0,
    async stored(blobs) {
      const refs: MediaRef[] = [];
      for (const { mediaType, bytes } of kept.values())
        refs.push({ blob: await putBlobRepeatedly(blobs, bytes), mediaType, bytes: bytes.length });
      return refs;
    },
  };
}

/** The media of a step whose media nobody keeps, such as `prepare` of a write. */
export const noMedia: ResultMedia = { attach: () => null, any: () => false, stored: async () => [] };

const TYPE = new RegExp(MEDIA_TYPE, "i");
