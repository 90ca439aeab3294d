import { KeyRefused, openSigningKey, type StoredSigningKey } from "@toolbus/grants";
import { Refusal } from "@toolbus/runtime";

/** The key that signs grants, from its file; made there at the first start. A file that cannot be used is a `Refusal` with the sentence that says why. */
export async function signingKey(file: string): Promise<StoredSigningKey> {
  try {
    return await openSigningKey({ file });
  } catch (error) {
    if (error instanceof KeyRefused) throw new Refusal(error.message);
    throw error;
  }
}
