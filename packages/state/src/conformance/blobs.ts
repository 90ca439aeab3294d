import { createHash } from "node:crypto";
import { expect } from "vitest";
import { heldText, holdText } from "../held-text.ts";
import type { Checks } from "./case.ts";

export const blobChecks: Checks = {
  async "returns the bytes that were stored under their SHA-256"({ store }) {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, n) => n % 251);
    const hash = await store.putBlob(bytes);
    expect(hash).toBe(`sha256-${createHash("sha256").update(bytes).digest("hex")}`);
    expect(Buffer.compare((await store.getBlob(hash)) ?? new Uint8Array(), bytes)).toBe(0);
  },

  async "treats the same bytes, stored twice, as the same blob"({ store }) {
    const bytes = Buffer.from("the same");
    expect(await store.putBlob(bytes)).toBe(await store.putBlob(Uint8Array.from(bytes)));
  },

  async "keeps a blob separate from the array that was given and the one that was read"({ store }) {
    const bytes = Uint8Array.from([1, 2, 3]);
    const hash = await store.putBlob(bytes);
    bytes[0] = 9;
    (await store.getBlob(hash))?.fill(7);
    expect([...((await store.getBlob(hash)) ?? [])]).toEqual([1, 2, 3]);
  },

  async "stores an empty blob too"({ store }) {
    expect(await store.getBlob(await store.putBlob(new Uint8Array()))).toHaveLength(0);
  },

  async "holds a text that is too long for a document, to the last character"({ store }) {
    const text = "\u0000é😀\u2028 中".repeat(100_000);
    const held = await holdText(store, text);
    expect(held).toMatchObject({ content: text.slice(0, 4096), contentRef: { chars: text.length, bytes: Buffer.byteLength(text) } });
    expect(await heldText(store, held)).toBe(text);
    expect(await holdText(store, "short")).toEqual({ content: "short" });
  },

  async "returns null if there is none"({ store }) {
    expect(await store.getBlob(`sha256-${"0".repeat(64)}`)).toBeNull();
    expect(await store.getBlob("no hash")).toBeNull();
  },
};
