import { createHmac } from "node:crypto";

/** Returns the signature of thinking, which is valid only for this text of this model. */
export function signatureOf(thinking: string, model: string): string {
  return createHmac("sha256", model).update(thinking).digest("base64");
}
