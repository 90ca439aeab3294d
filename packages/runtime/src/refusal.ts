/** A problem that a person must fix before the process can continue. The message is one sentence with the remedy, and is shown without a stack. */
export class Refusal extends Error {
  readonly code = "refused";
  override readonly name = "Refusal";
}
