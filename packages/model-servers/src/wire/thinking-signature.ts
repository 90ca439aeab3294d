import { createHmac } from "node:crypto";

/** The signature of thinking: valid for this text of this model only. */
export function signatureOf(thinking: string, model: string): string {
  return createHmac("sha256", model).update(thinking).digest("base64");
}
