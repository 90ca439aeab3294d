import { randomBytes } from "node:crypto";
import { startAsked } from "../asked-process.ts";
import type { Conditions } from "../benchmark.ts";
import type { StubQuestion } from "./stub-model-process.ts";

/** The values that all rows of this benchmark share. */
export interface Ground {
  readonly modelUrl: string;
  readonly conditions: Conditions;
}

export const SLICE_MS = 1000;

const STUB = new URL("stub-model-process.ts", import.meta.url);

/** Starts the stub of a model, uses it, and always stops it. */
export async function onGround<T>(conditions: Conditions, use: (ground: Ground) => Promise<T>): Promise<T> {
  const stub = startAsked<StubQuestion>(STUB);
  try {
    const { url } = (await stub.ask({ kind: "begin" })) as { readonly url: string };
    return await use({ modelUrl: url, conditions });
  } finally {
    await stub.stop();
  }
}

export function newNamespace(): string {
  return `bench-${randomBytes(5).toString("hex")}`;
}
