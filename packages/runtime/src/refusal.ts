/** Something that a person must fix before the process can continue. The message is one clear sentence with the remedy; it is shown without a stack. */
export class Refusal extends Error {
  readonly code = "refused";
  override readonly name = "Refusal";
}
