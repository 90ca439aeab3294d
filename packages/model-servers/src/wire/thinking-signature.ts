import { createHmac } from "node:crypto";

/** The signature that thinking gets: it holds for this text of this model and for no other. */
export function signatureOf(thinking: string, model: string): string {
  return createHmac("sha256", model).update(thinking).digest("base64");
}
