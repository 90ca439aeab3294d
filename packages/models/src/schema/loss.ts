/** What was lost on the way into a vendor's form: the vendor cannot be told, so that only the worker's own check holds it. */
export interface Loss {
  /** JSON pointer (RFC 6901) into the tool's own parameters. */
  readonly pointer: string;
  /** One sentence, such as `"format": "ipv4" is not passed on`. */
  readonly what: string;
}

/** Why a part has no form: nothing satisfies it, or it is no schema. */
export interface Fault {
  readonly pointer: string;
  /** What is wrong and what its author can do, in a sentence. */
  readonly reason: string;
}
