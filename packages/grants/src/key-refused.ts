/** A key or a key set cannot be used. The message is one sentence for whoever runs the service: what is wrong with what, and the remedy. */
export class KeyRefused extends Error {
  readonly code = "key_refused";
  override readonly name = "KeyRefused";
}
