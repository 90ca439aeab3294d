/** A rule of a schema that the vendor's form cannot express. Only the worker's own check enforces it. */
export interface Loss {
  /** The JSON pointer (RFC 6901) into the tool's own parameters. */
  readonly pointer: string;
  /** One sentence, such as `"format": "ipv4" is not passed on`. */
  readonly what: string;
}

/** The reason why a part has no form. Either no value satisfies it, or it is not a schema. */
export interface Fault {
  readonly pointer: string;
  /** A sentence that names the problem and what the author of the schema can do. */
  readonly reason: string;
}
