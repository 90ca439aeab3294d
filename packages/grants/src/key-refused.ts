/** The error for a key or a key set that cannot be used. Its message says what is wrong with which file, and what the operator must do. */
export class KeyRefused extends Error {
  readonly code = "key_refused";
  override readonly name = "KeyRefused";
}
