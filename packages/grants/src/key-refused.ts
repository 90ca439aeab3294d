/** A key or a key set cannot be used. The message is one sentence for the operator: what is wrong with which file, and the remedy. */
export class KeyRefused extends Error {
  readonly code = "key_refused";
  override readonly name = "KeyRefused";
}
