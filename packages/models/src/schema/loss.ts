/** A rule that was lost on the way to a vendor's form: the vendor cannot express it, so only the worker's own check enforces it. */
export interface Loss {
  /** JSON pointer (RFC 6901) into the tool's own parameters. */
  readonly pointer: string;
  /** One sentence, such as `"format": "ipv4" is not passed on`. */
  readonly what: string;
}

/** Why a part has no form: no value satisfies it, or it is not a schema. */
export interface Fault {
  readonly pointer: string;
  /** What is wrong and what its author can do, in a sentence. */
  readonly reason: string;
}
